/** The page "keys". */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const KeysPage = () => <PageHead page="keys" />

export default KeysPage
