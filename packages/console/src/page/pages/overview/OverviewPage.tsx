/** Is all well? */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const OverviewPage = () => <PageHead page="" />

export default OverviewPage
