/** The page "retention". */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const RetentionPage = () => <PageHead page="retention" />

export default RetentionPage
