/** The page "members". */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const MembersPage = () => <PageHead page="members" />

export default MembersPage
