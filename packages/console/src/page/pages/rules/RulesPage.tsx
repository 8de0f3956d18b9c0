/** The page "rules". */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const RulesPage = () => <PageHead page="rules" />

export default RulesPage
