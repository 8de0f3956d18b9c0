/** The page "exports". */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const ExportsPage = () => <PageHead page="exports" />

export default ExportsPage
