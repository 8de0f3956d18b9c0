/** The page "integrity". */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const IntegrityPage = () => <PageHead page="integrity" />

export default IntegrityPage
