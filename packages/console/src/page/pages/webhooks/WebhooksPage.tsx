/** Webhooks, and what was sent to them, by mail, and in tests of log streams. */
import { useRoute } from "preact-iso"
import { useMay } from "../../data/Session.ts"
import { NotAllowed } from "../../frame/NotAllowed.tsx"
import { WebhookDetail } from "./WebhookDetail.tsx"
import { WebhookList } from "./WebhookList.tsx"
import "./webhooks.css"

/** The page: all webhooks, or the one that the address names. */
const WebhooksPage = () => {
  const { id } = useRoute().params
  if (!useMay("webhooks:read")) return <NotAllowed page="webhooks" />
  return id === undefined ? <WebhookList /> : <WebhookDetail key={id} id={id} />
}

export default WebhooksPage
