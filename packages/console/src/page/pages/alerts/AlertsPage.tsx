/** The page "alerts". */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const AlertsPage = () => <PageHead page="alerts" />

export default AlertsPage
