import type { EventContent } from "../../src/event/EventContent.ts"

/** A content with what is required, and nothing else. */
export const bare: EventContent = {
  action: "document.created",
  action_category: null,
  actor: { id: "ada", name: null, type: null },
  idempotency_key: null,
  ip_city: null,
  ip_country: null,
  metadata: null,
  occurred_at: "2024-05-01T12:00:00.000000Z",
  resource: { id: null, name: null, type: null },
  session_id: null,
  targets: [],
  tenant_id: null,
  version: null
}
