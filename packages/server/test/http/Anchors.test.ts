import { Anchor, AnchorDetail, AnchorVerification } from "@cairn/core/anchor"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { EVENT, makeKey, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const ANCHORS = "/api/v1/anchors"

const decodeList = Schema.decodeUnknownSync(
  Schema.Struct({ data: Schema.Array(Anchor), has_more: Schema.Boolean }),
  // The list leaves out what only the anchor on its own shows.
  { onExcessProperty: "error" }
)
const decodeDetail = Schema.decodeUnknownSync(Schema.Struct({ data: AnchorDetail }))
const decodeVerification = Schema.decodeUnknownSync(Schema.Struct({ data: AnchorVerification }))

/** Accepts and sequences `count` events. */
const accept = Effect.fnUntraced(function* (key: string, count: number) {
  const body = { events: Array.from({ length: count }, () => EVENT) }
  yield* send({ path: "/api/v1/events/batch", key, body })
  yield* sequence
})

/** Closes the open period; gives the anchor's id. */
const close = Effect.fnUntraced(function* (key: string) {
  const response = yield* send({ path: ANCHORS, key, method: "POST" })
  assert.strictEqual(response.status, 202, response.text)
  const { data } = response.json<{ data: { id: string } | null }>()
  return data?.id
})

describe("/api/v1/anchors", () => {
  it.live("closes the open period on demand, and lists and shows what became of it", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      assert.deepStrictEqual((yield* send({ path: ANCHORS, key })).json(), { data: [], has_more: false })
      assert.isUndefined(yield* close(key))
      yield* accept(key, 3)
      const id = (yield* close(key)) ?? ""
      const { data } = decodeList((yield* send({ path: ANCHORS, key })).json())
      assert.lengthOf(data, 1)
      assert.deepInclude(data[0], {
        id,
        events_count: 3,
        status: "pending",
        chain: "base",
        previous_anchor_hash: null,
        tx_hash: null,
        block_number: null,
        explorer_url: null
      })
      const detail = decodeDetail((yield* send({ path: `${ANCHORS}/${id}`, key })).json()).data
      const { first_event_hash, last_event_hash, ...rest } = detail
      assert.deepStrictEqual(rest, data[0])
      assert.match(first_event_hash, /^[0-9a-f]{64}$/)
      assert.notStrictEqual(first_event_hash, last_event_hash)
      assert.match(detail.period_start, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("lists the newest first, as many as asked for", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const ids: Array<string | undefined> = []
      for (let period = 0; period < 3; period++) {
        yield* accept(key, 1)
        ids.unshift(yield* close(key))
      }
      const listed = decodeList((yield* send({ path: `${ANCHORS}?limit=2`, key })).json()).data
      assert.deepStrictEqual(
        listed.map((anchor) => anchor.id),
        ids.slice(0, 2)
      )
      assert.match(String(listed[0]?.previous_anchor_hash), /^[0-9a-f]{64}$/)
      for (const [limit, more] of [
        [2, true],
        [3, false],
        [100, false]
      ] as const) {
        const answer = (yield* send({ path: `${ANCHORS}?limit=${limit}`, key })).json<{ has_more: boolean }>()
        assert.strictEqual(answer.has_more, more, String(limit))
      }
      assert.strictEqual((yield* send({ path: `${ANCHORS}?limit=0`, key })).status, 400)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("verifies an anchor against the stored events and the anchor before it", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (let period = 0; period < 2; period++) {
        yield* accept(key, 2)
        yield* close(key)
      }
      for (const { id, merkle_root } of decodeList((yield* send({ path: ANCHORS, key })).json()).data) {
        const { data } = decodeVerification((yield* send({ path: `${ANCHORS}/${id}/verify`, key })).json())
        assert.deepInclude(data, {
          anchor_id: id,
          merkle_root,
          valid: true,
          chain_valid: true,
          expected: merkle_root,
          actual: merkle_root,
          events_count: 2
        })
        assert.strictEqual(data.on_chain?.status, "not_checked")
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is 404 for an anchor that does not exist, or is another workspace's", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const other = yield* makeTenant()
      yield* accept(other.key, 1)
      const theirs = yield* close(other.key)
      for (const id of [theirs, "anc_00000000-0000-4000-8000-000000000000", "nothing", "%00"]) {
        for (const path of [`${ANCHORS}/${id}`, `${ANCHORS}/${id}/verify`]) {
          const response = yield* send({ path, key })
          assert.strictEqual(response.status, 404, path)
          assert.strictEqual(response.json().error, "not_found")
        }
      }
      assert.deepStrictEqual((yield* send({ path: ANCHORS, key })).json(), { data: [], has_more: false })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("needs the scope admin to close a period, and read to see anchors", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const reader = (yield* makeKey(workspace.id, ["read"])).key
      const ingester = (yield* makeKey(workspace.id, ["ingest"])).key
      assert.strictEqual((yield* send({ path: ANCHORS, key: reader, method: "POST" })).status, 403)
      assert.strictEqual((yield* send({ path: ANCHORS, key: reader })).status, 200)
      assert.strictEqual((yield* send({ path: ANCHORS, key: ingester })).status, 403)
    }).pipe(Effect.provide(testServer()))
  )
})
