/** The page "streams". */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const StreamsPage = () => <PageHead page="streams" />

export default StreamsPage
