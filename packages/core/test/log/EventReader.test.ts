import { Micros } from "@cairn/core/encoding"
import { contentParts, decodeEvent, Event, type EventInput, GeoIp, nowhere } from "@cairn/core/event"
import { Randomness, Sha256, uuid } from "@cairn/core/hashing"
import {
  Cursor,
  EventCounts,
  EventLog,
  EventReader,
  extendHistory,
  Inbox,
  type ListRequest,
  Sequencer
} from "@cairn/core/log"
import {
  escapedKeys,
  hostileGenerator,
  layerManualClock,
  layerSeededRandomness,
  MemoryStorage,
  manualClock,
  ordinaryEvents
} from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Result, Schema } from "effect"

const NOON = 1_714_564_800_000_000

/** What a test wants to happen between one look-up of the reader and the next. */
class Between extends Context.Service<
  Between,
  { readonly looks: Array<string>; next: (look: number) => Effect.Effect<void> }
>()("Between") {
  static readonly layer = Layer.sync(Between, () => ({ looks: [], next: () => Effect.void }))
}

/** The ports in memory, which stop after each look-up. */
const watched = Layer.effectContext(
  Effect.gen(function* () {
    const log = yield* EventLog
    const inbox = yield* Inbox
    const between = yield* Between
    const note = (look: string) =>
      Effect.suspend(() => {
        between.looks.push(look)
        return between.next(between.looks.length)
      })
    return Context.make(EventLog, {
      ...log,
      get: (workspaceId, id) => Effect.tap(log.get(workspaceId, id), () => note("log"))
    }).pipe(
      Context.add(Inbox, {
        ...inbox,
        find: (workspaceId, id) => Effect.tap(inbox.find(workspaceId, id), () => note("inbox"))
      })
    )
  })
)

const places = Layer.succeed(GeoIp, { lookup: () => ({ country: "NO", city: "Oslo" }) })

const reading = () =>
  Layer.mergeAll(EventReader.layer.pipe(Layer.provide(EventCounts.layer)), Sequencer.layer).pipe(
    Layer.provide(places),
    Layer.provideMerge(watched),
    Layer.provideMerge(
      Layer.mergeAll(
        MemoryStorage.layer(),
        Between.layer,
        Sha256.layer,
        layerSeededRandomness(1),
        layerManualClock(manualClock(NOON + Micros.DAY))
      )
    )
  )

const accept = Effect.fnUntraced(function* (
  bodies: ReadonlyArray<EventInput>,
  acceptedAt = NOON,
  workspaceId = "wsp_1"
) {
  const inbox = yield* Inbox
  const random = yield* Randomness
  const events = bodies.map((body) => ({
    id: uuid(random),
    idempotencyKey: body.idempotency_key ?? null,
    clientAddress: "192.0.2.1",
    content: contentParts(Result.getOrThrow(decodeEvent(body)), acceptedAt)
  }))
  yield* inbox.accept({ workspaceId, acceptedAt, keysExpireBefore: null, events })
  return events.map(({ id }) => id)
})

const drain = Effect.flatMap(Sequencer, (sequencer) => sequencer.drain)
const get = (id: string, visibleFrom: number | null = null, workspaceId = "wsp_1") =>
  Effect.flatMap(EventReader, (reader) => reader.get(workspaceId, id, visibleFrom))
const list = (request: Partial<ListRequest> = {}) =>
  Effect.flatMap(EventReader, (reader) =>
    reader.list({ workspaceId: "wsp_1", filter: {}, before: null, limit: 25, visibleFrom: null, ...request })
  )

const full: EventInput = {
  actor_id: "user_1",
  actor_name: "Ada",
  actor_type: "user",
  action: "doc.read",
  action_category: "access",
  resource: "doc",
  resource_id: "doc_1",
  resource_name: "Plan",
  metadata: { b: [1, { c: null }], a: "x" },
  targets: [{ type: "t", id: "1", name: "n", metadata: { m: 1 } }, { type: "u" }],
  occurred_at: "2024-04-30T10:00:00+02:00",
  session_id: "ses",
  tenant_id: "ten",
  idempotency_key: "key",
  version: 3
}

const expected = (id: string): Event => ({
  id,
  actor: { id: "user_1", name: "Ada", type: "user" },
  action: "doc.read",
  action_category: "access",
  resource: { type: "doc", id: "doc_1", name: "Plan" },
  targets: [{ type: "t", id: "1", name: "n", metadata: { m: 1 } }, { type: "u" }],
  metadata: { a: "x", b: [1, { c: null }] },
  tenant_id: "ten",
  session_id: "ses",
  ip_country: null,
  ip_city: null,
  idempotency_key: "key",
  version: 3,
  integrity: { event_hash: null, previous_event_hash: null },
  occurred_at: "2024-04-30T08:00:00.000000Z",
  created_at: "2024-05-01T12:00:00.000000Z"
})

describe("one event", () => {
  it.effect(
    "is read while it waits, without hashes, dated by its acceptance and its place in the request",
    () =>
      Effect.gen(function* () {
        const [first = "", second = ""] = yield* accept([full, { actor_id: "a", action: "b" }])
        assert.deepStrictEqual(yield* get(first), Option.some(expected(first)))
        const other = Option.getOrThrow(yield* get(second))
        assert.strictEqual(other.created_at, "2024-05-01T12:00:00.000001Z")
        assert.deepStrictEqual(other.integrity, { event_hash: null, previous_event_hash: null })
      }).pipe(Effect.provide(reading()))
  )

  it.effect("gets its hashes and its place once it is sequenced, and nothing else changes", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const [first = "", second = ""] = yield* accept([full, { ...full, idempotency_key: "other" }])
      yield* drain
      const [a, b] = yield* log.entries("wsp_1", 1, 2)
      const place = { ip_country: "NO", ip_city: "Oslo" }
      const integrity = { event_hash: a?.eventHash ?? null, previous_event_hash: null }
      assert.deepStrictEqual(yield* get(first), Option.some({ ...expected(first), ...place, integrity }))
      const next = Option.getOrThrow(yield* get(second))
      assert.deepStrictEqual(next.integrity, { event_hash: b?.eventHash, previous_event_hash: a?.eventHash })
      assert.match(next.integrity.event_hash ?? "", /^[0-9a-f]{64}$/)
    }).pipe(Effect.provide(reading()))
  )

  it.effect("has null for what was omitted, and no targets as an empty array", () =>
    Effect.gen(function* () {
      const [id = ""] = yield* accept([{ actor_id: "a", action: "b", targets: null, metadata: null }])
      const event = Option.getOrThrow(yield* get(id))
      assert.deepStrictEqual(event, {
        id,
        actor: { id: "a", name: null, type: null },
        action: "b",
        action_category: null,
        resource: { type: null, id: null, name: null },
        targets: [],
        metadata: null,
        tenant_id: null,
        session_id: null,
        ip_country: null,
        ip_city: null,
        idempotency_key: null,
        version: null,
        integrity: { event_hash: null, previous_event_hash: null },
        occurred_at: "2024-05-01T12:00:00.000000Z",
        created_at: "2024-05-01T12:00:00.000000Z"
      })
    }).pipe(Effect.provide(reading()))
  )

  it.effect("has the shape of the interface, however hostile, before and after it is sequenced", () =>
    Effect.gen(function* () {
      const next = hostileGenerator(1)
      const ids = yield* accept(Array.from({ length: 100 }, next))
      const isEvent = Schema.is(Event)
      const waiting = yield* Effect.forEach(ids, (id) => Effect.map(get(id), Option.getOrThrow))
      yield* drain
      const sequenced = yield* Effect.forEach(ids, (id) => Effect.map(get(id), Option.getOrThrow))
      for (const [index, event] of sequenced.entries()) {
        assert.isTrue(isEvent(event))
        const provisional = {
          ...event,
          ip_country: null,
          ip_city: null,
          integrity: { event_hash: null, previous_event_hash: null }
        }
        assert.strictEqual(JSON.stringify(waiting[index]), JSON.stringify(provisional))
      }
    }).pipe(Effect.provide(reading()))
  )

  it.effect("has its keys as they were sent, though V8 takes keys with escapes for one another", () =>
    Effect.gen(function* () {
      const sent = escapedKeys.flatMap((before, row) =>
        escapedKeys.flatMap((key, column) =>
          [before, key].map((each) => ({ [` ${row} ${column}`]: 1, [each]: 2 }))
        )
      )
      const ids = yield* accept(sent.map((metadata) => ({ actor_id: "a", action: "b", metadata })))
      for (const [index, id] of ids.entries()) {
        const { metadata } = Option.getOrThrow(yield* get(id))
        assert.deepStrictEqual(metadata, sent[index])
      }
    }).pipe(Effect.provide(reading()))
  )

  it.effect("does not exist in another workspace, nor under another id", () =>
    Effect.gen(function* () {
      const [waiting = ""] = yield* accept([full])
      assert.deepStrictEqual(yield* get(waiting, null, "wsp_2"), Option.none())
      yield* drain
      assert.deepStrictEqual(yield* get(waiting, null, "wsp_2"), Option.none())
      assert.deepStrictEqual(yield* get("00000000-0000-4000-8000-000000000000"), Option.none())
    }).pipe(Effect.provide(reading()))
  )

  for (const moment of [1, 2, 3]) {
    it.effect(`is never missed, though it is sequenced after look-up ${moment}`, () =>
      Effect.gen(function* () {
        const between = yield* Between
        const { advance } = yield* Sequencer
        const [id = ""] = yield* accept([full])
        between.next = (look) =>
          look === moment ? Effect.orDie(Effect.asVoid(advance("wsp_1"))) : Effect.void
        const found = Option.getOrThrow(yield* get(id))
        assert.strictEqual(found.id, id)
        assert.strictEqual(
          found.integrity.event_hash === null,
          moment > 1,
          "what was seen is what it was then"
        )
      }).pipe(Effect.provide(reading()))
    )
  }

  it.effect("is looked for in the log again before it is said not to exist", () =>
    Effect.gen(function* () {
      const { looks } = yield* Between
      yield* get("00000000-0000-4000-8000-000000000000")
      assert.deepStrictEqual(looks, ["log", "inbox", "log"])
    }).pipe(Effect.provide(reading()))
  )

  it.effect("is not found outside the retention window, whose first microsecond is inside", () =>
    Effect.gen(function* () {
      const [id = ""] = yield* accept([full])
      yield* drain
      assert.isTrue(Option.isSome(yield* get(id, NOON)))
      assert.isTrue(Option.isNone(yield* get(id, NOON + 1)))
    }).pipe(Effect.provide(reading()))
  )

  it.effect("is not found once its content was removed", () =>
    Effect.gen(function* () {
      const tables = yield* MemoryStorage.MemoryTables
      const [id = ""] = yield* accept([full])
      yield* drain
      const log = tables.log("wsp_1")
      log.events = log.events.map((event) => ({ ...event, content: null, salt: null }))
      assert.deepStrictEqual(yield* get(id), Option.none())
      assert.deepStrictEqual((yield* list()).data, [])
    }).pipe(Effect.provide(reading()))
  )

  it.effect("from before the chain has no hashes", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const random = yield* Randomness
      const sha256 = yield* Sha256
      const id = uuid(random)
      const content = contentParts(Result.getOrThrow(decodeEvent(full)), NOON)
      const row = {
        inboxId: 1,
        acceptedAt: NOON,
        events: [{ id, idempotencyKey: "key", clientAddress: null, content }]
      }
      const context = { workspaceId: "wsp_1", sha256, random, lookup: () => nowhere, now: NOON }
      yield* log.importLegacy("wsp_1", (head) => extendHistory(context, head, [row]))
      assert.deepStrictEqual(yield* get(id), Option.some(expected(id)))
      const page = yield* list()
      assert.deepStrictEqual(page.data, [expected(id)])
      assert.strictEqual(page.pagination.total, 1)
    }).pipe(Effect.provide(reading()))
  )
})

describe("a list", () => {
  it.effect("holds sequenced events, newest first, as they are read alone", () =>
    Effect.gen(function* () {
      const ids = yield* accept(ordinaryEvents(5, { seed: 2 }))
      assert.deepStrictEqual(yield* list(), {
        data: [],
        pagination: { has_more: false, next_cursor: null, total: 0 }
      })
      yield* drain
      yield* accept(ordinaryEvents(1, { seed: 3 }))
      const alone = yield* Effect.forEach(ids.toReversed(), (id) => Effect.map(get(id), Option.getOrThrow))
      assert.deepStrictEqual(yield* list(), {
        data: alone,
        pagination: { has_more: false, next_cursor: null, total: 5 }
      })
    }).pipe(Effect.provide(reading()))
  )

  it.effect("says that there is more only when there is, with the cursor of its last item", () =>
    Effect.gen(function* () {
      yield* accept(ordinaryEvents(5, { seed: 2 }))
      yield* drain
      const exact = yield* list({ limit: 5 })
      assert.deepStrictEqual(exact.pagination, { has_more: false, next_cursor: null, total: 5 })
      const page = yield* list({ limit: 4 })
      assert.lengthOf(page.data, 4)
      assert.deepStrictEqual(page.pagination, {
        has_more: true,
        next_cursor: Cursor.encode(NOON + 1),
        total: 5
      })
    }).pipe(Effect.provide(reading()))
  )

  it.effect("gives every event once by following its cursors, with one total throughout", () =>
    Effect.gen(function* () {
      const ids = yield* accept(ordinaryEvents(53, { seed: 2 }))
      yield* drain
      const seen: Array<string> = []
      let before: number | null = null
      for (let page = 0; page < 8; page++) {
        const { data, pagination }: Effect.Success<ReturnType<typeof list>> = yield* list({
          before,
          limit: 7
        })
        seen.push(...data.map(({ id }) => id))
        assert.strictEqual(pagination.total, 53)
        assert.strictEqual(pagination.has_more, page < 7)
        before = pagination.next_cursor === null ? null : (Cursor.decode(pagination.next_cursor) ?? null)
      }
      assert.deepStrictEqual(seen, ids.toReversed())
    }).pipe(Effect.provide(reading()))
  )

  it.effect("is of the events that satisfy the filter, and its total counts those", () =>
    Effect.gen(function* () {
      yield* accept([
        full,
        { ...full, action: "doc.write", idempotency_key: "2" },
        { actor_id: "a", action: "user.read" }
      ])
      yield* drain
      const actions = (filter: ListRequest["filter"], limit = 25) =>
        Effect.map(list({ filter, limit }), ({ data, pagination }) => [
          data.map(({ action }) => action),
          pagination.total
        ])
      assert.deepStrictEqual(yield* actions({ action: "doc.*" }), [["doc.write", "doc.read"], 2])
      assert.deepStrictEqual(yield* actions({ action: "doc.*" }, 1), [["doc.write"], 2])
      assert.deepStrictEqual(yield* actions({ search: "ADA", action: "doc.read" }), [["doc.read"], 1])
      assert.deepStrictEqual(yield* actions({ actorId: "nobody" }), [[], 0])
    }).pipe(Effect.provide(reading()))
  )

  it.effect("ends at the retention window, and its total counts no further", () =>
    Effect.gen(function* () {
      yield* accept(ordinaryEvents(10, { seed: 2 }))
      yield* drain
      const page = yield* list({ visibleFrom: NOON + 4, limit: 4 })
      assert.deepStrictEqual(
        page.data.map(({ created_at }) => created_at.slice(-3)),
        ["09Z", "08Z", "07Z", "06Z"]
      )
      assert.deepStrictEqual(page.pagination, {
        has_more: true,
        next_cursor: Cursor.encode(NOON + 6),
        total: 6
      })
      const last = yield* list({ visibleFrom: NOON + 4, limit: 4, before: NOON + 6 })
      assert.deepStrictEqual([last.data.length, last.pagination.has_more], [2, false])
    }).pipe(Effect.provide(reading()))
  )

  it.effect("begins at the later of the window and the filter's own beginning", () =>
    Effect.gen(function* () {
      yield* accept(ordinaryEvents(10, { seed: 2 }))
      yield* drain
      const count = (from: number, visibleFrom: number) =>
        Effect.map(list({ filter: { from }, visibleFrom }), ({ data, pagination }) => [
          data.length,
          pagination.total
        ])
      assert.deepStrictEqual(yield* count(NOON + 7, NOON + 4), [3, 3])
      assert.deepStrictEqual(yield* count(NOON + 2, NOON + 4), [6, 6])
    }).pipe(Effect.provide(reading()))
  )
})
