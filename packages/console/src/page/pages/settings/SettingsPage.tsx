/** The page "settings". */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const SettingsPage = () => <PageHead page="settings" />

export default SettingsPage
