/** The page "usage". */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const UsagePage = () => <PageHead page="usage" />

export default UsagePage
