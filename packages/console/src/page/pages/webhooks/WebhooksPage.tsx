/** The page "webhooks". */
import { PageHead } from "../../frame/PageHead.tsx"

/** The page. */
const WebhooksPage = () => <PageHead page="webhooks" />

export default WebhooksPage
