/** What tests of exports that are sent as they are made have in common. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { send, sequence } from "./TestServer.ts"

export const EXPORT = "/api/v1/events/export"

/** Accepts and sequences events. */
export const accept = Effect.fnUntraced(function* (key: string, events: ReadonlyArray<unknown>) {
  for (let at = 0; at < events.length; at += 100) {
    const body = { events: events.slice(at, at + 100) }
    assert.strictEqual((yield* send({ path: "/api/v1/events/batch", key, body })).status, 202)
    yield* sequence
  }
})

/** So many events, of two people and two tenants. */
export const many = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    actor_id: index % 3 === 0 ? "ada" : "bob",
    actor_name: "Zoë 🦊",
    action: index % 2 === 0 ? "document.created" : "document.deleted",
    tenant_id: index % 5 === 0 ? "acme" : "other",
    metadata: { index },
    ...more
  }))

/** So much that neither system holds it all: some 16 MB. */
export const LARGE = many(2_000, { metadata: { text: "é".repeat(4_000) } })

/** A viewer token of a key. */
export const token = Effect.fnUntraced(function* (key: string, body: object) {
  const made = yield* send({ path: "/api/v1/viewer-token", key, body })
  assert.strictEqual(made.status, 200, made.text)
  return made.json<{ token: string }>().token
})
