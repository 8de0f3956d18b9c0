import { assert, describe, it } from "@effect/vitest"
import { firstOf, markOf } from "../../../src/page/pages/keys/Arrival.ts"

type Listed = Parameters<typeof firstOf>[0][number]

const event = (id: string, action: string, resourceId: string | null): Listed => ({
  id,
  actor: { id: "ada", type: null, name: null },
  action,
  action_category: null,
  resource: { type: null, id: resourceId, name: null },
  targets: [],
  metadata: {},
  tenant_id: null,
  session_id: null,
  ip_country: null,
  ip_city: null,
  idempotency_key: null,
  version: null,
  integrity: { event_hash: "00", previous_event_hash: null },
  occurred_at: "2026-01-01T00:00:00.000000Z",
  created_at: "2026-01-01T00:00:00.000000Z"
})

const shown = (arrived: ReturnType<typeof firstOf>) => [arrived?.event.id, arrived?.isOurs]

const MARK = markOf({ id: "key_9fce0cd2-0000-4000-8000-000000000000" })

describe("The first event of a new key", () => {
  it("is marked with the beginning of the key's id", () => {
    assert.strictEqual(MARK, "first-9fce0cd2")
  })

  it("is the snippet's, however many others came before and after", () => {
    const events = [
      event("3", "invoice.paid", "1"),
      event("2", "invoice.paid", MARK),
      event("1", "user.login", null)
    ]
    assert.deepEqual(shown(firstOf(events, MARK)), ["2", true])
  })

  it("is otherwise the oldest that the service has not written itself", () => {
    const events = [event("3", "b", null), event("2", "a", null), event("1", "cairn.api_key.created", null)]
    assert.deepEqual(shown(firstOf(events, MARK)), ["2", false])
  })

  it("is not there while only the service has written", () => {
    assert.isUndefined(firstOf([event("1", "cairn.access.events", null)], MARK))
    assert.isUndefined(firstOf([], MARK))
  })
})
