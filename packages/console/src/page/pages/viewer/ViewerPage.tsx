/** The page "viewer". */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const ViewerPage = () => <PageHead page="viewer" />

export default ViewerPage
