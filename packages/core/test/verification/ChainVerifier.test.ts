import { Anchors } from "@cairn/core/anchor"
import { Checkpoints } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import {
  contentHash,
  contentParts,
  decodeEvent,
  type EventInput,
  eventHash,
  nowhere
} from "@cairn/core/event"
import { nativeSha256, portableSha256, Sha256, uuid } from "@cairn/core/hashing"
import {
  EventLog,
  extendChain,
  extendHistory,
  FIRST_LEGACY_SEQUENCE,
  type Head,
  type InboxRow,
  type LogEntry,
  Replicas
} from "@cairn/core/log"
import { type ChainBreak, ChainVerifier, type VerifyRequest } from "@cairn/core/verification"
import {
  hostileGenerator,
  MemoryAnchors,
  MemoryStorage,
  ordinaryEvents,
  seededRandomness,
  wholeVerification
} from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { extendLegacy, legacyCommitment } from "../../src/log/LegacyHistory.ts"

const NOON = 1_714_564_800_000_000
const sha256 = nativeSha256 ?? portableSha256
const nothing: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }

/** A log: what a tampering takes, and leaves behind. */
interface Log {
  readonly events: ReadonlyArray<LogEntry>
  readonly head: Head
}

const rowsOf = (
  bodies: ReadonlyArray<EventInput>,
  firstAt: number,
  seed: number
): ReadonlyArray<InboxRow> => {
  const random = seededRandomness(seed)
  return bodies.map((body, index) => ({
    inboxId: index,
    acceptedAt: firstAt + index * Micros.SECOND,
    events: [
      {
        id: uuid(random),
        idempotencyKey: null,
        clientAddress: null,
        content: contentParts(Result.getOrThrow(decodeEvent(body)), firstAt)
      }
    ]
  }))
}

const context = (workspaceId: string, seed: number) => ({
  workspaceId,
  sha256,
  random: seededRandomness(seed),
  lookup: () => nowhere,
  now: NOON + Micros.DAY
})

const full: EventInput = {
  actor_id: "actor",
  action: "doc.read",
  resource: "doc",
  resource_id: "doc_1",
  tenant_id: "tenant",
  session_id: "session",
  metadata: { a: 1 },
  targets: [{ type: "t", id: "1", name: "n", metadata: { m: 1 } }, { type: "u" }, { type: "t", id: "2" }]
}

/** Ten events a second apart, the first at noon. Number 5 has something in every filter column. */
const makeLog = (workspaceId = "wsp_1", seed = 1): Log => {
  const ordinary = ordinaryEvents(9, { seed })
  const bodies = [...ordinary.slice(0, 4), full, ...ordinary.slice(4)]
  return extendChain(context(workspaceId, seed), nothing, rowsOf(bodies, NOON, seed))
}

const intact = makeLog()

/** Event `number` of a log, from 1. */
const at = ({ events }: Log, number: number): LogEntry =>
  events.find(({ sequence }) => sequence === number) ?? assert.fail(`there is no event ${number}`)

const hashOf = (number: number, log: Log = intact): string => at(log, number).eventHash ?? ""

/** The hash that an event ought to have, by what is stored of it. */
const recomputed = (event: LogEntry, workspaceId = "wsp_1"): string => {
  const { id, createdAt, sequence, previousEventHash, content, salt } = event
  const hash = contentHash(sha256, salt ?? "", content ?? "")
  return eventHash(sha256, { contentHash: hash, createdAt, id, previousEventHash, sequence, workspaceId })
}

const replace = (log: Log, number: number, change: (event: LogEntry) => LogEntry): Log => ({
  ...log,
  events: log.events.map((event) => (event.sequence === number ? change(event) : event))
})

const without = (log: Log, ...numbers: ReadonlyArray<number>): Log => ({
  ...log,
  events: log.events.filter(({ sequence }) => !numbers.includes(sequence))
})

const verification = ChainVerifier.layer.pipe(
  Layer.provideMerge(Layer.merge(MemoryStorage.layer(), Sha256.layer))
)

/** The same with anchors. */
const anchoredVerification = ChainVerifier.layer.pipe(
  Layer.provideMerge(MemoryAnchors.layer),
  Layer.provideMerge(Layer.merge(MemoryStorage.layer(), Sha256.layer))
)

/** Verifies a log that someone else may have had in hand. */
const verify = (log: Log, request: Partial<VerifyRequest> = {}) =>
  Effect.provide(verifyHere(log, request), verification)

/** The same, over the stores that are there. */
const verifyHere = (log: Log, request: Partial<VerifyRequest> = {}) =>
  Effect.gen(function* () {
    const tables = yield* MemoryStorage.MemoryTables
    const verifier = yield* ChainVerifier
    Object.assign(tables.log("wsp_1"), { events: [...log.events], head: log.head })
    return yield* verifier.verify({ workspaceId: "wsp_1", limit: 10_000, ...request })
  })

const mismatch = (
  event_id: string,
  expected_hash: string | null,
  actual_hash: string | null
): ChainBreak => ({
  event_id,
  type: "hash_mismatch",
  expected_hash: expected_hash ?? "",
  actual_hash: actual_hash ?? ""
})

const broken = (event_id: string, expected_hash: string | null, actual_hash: string | null): ChainBreak => ({
  ...mismatch(event_id, expected_hash, actual_hash),
  type: "chain_break"
})

/** A tampering, and exactly what verification must say of it. */
const finds = (
  name: string,
  log: Log,
  breaks: ReadonlyArray<ChainBreak>,
  request: Partial<VerifyRequest> = {}
) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      const result = yield* verify(log, request)
      assert.deepStrictEqual(result.breaks, breaks)
      assert.strictEqual(result.valid, breaks.length === 0)
    })
  )

/** As {@link finds}, for a change of one event that only its own hash tells of. */
const findsMismatch = (name: string, change: (event: LogEntry) => LogEntry, number = 5) => {
  const log = replace(intact, number, change)
  const event = at(log, number)
  finds(name, log, [mismatch(event.id, recomputed(event), event.eventHash)])
}

const other = "0123456789abcdef".repeat(4)

describe("a chain that a replica shows", () => {
  /** Verifies what a replica shows of what is stored. */
  const verifyThrough = (shown: Log, stored: Log) =>
    Effect.gen(function* () {
      const needs: Array<unknown> = []
      const tables = yield* MemoryStorage.MemoryTables
      const set = (log: Log) =>
        Effect.sync(() => Object.assign(tables.log("wsp_1"), { events: [...log.events], head: log.head }))
      const verifier = yield* Effect.provide(
        ChainVerifier,
        Layer.fresh(ChainVerifier.layer).pipe(
          Layer.provide(
            Layer.succeed(Replicas, {
              position: null,
              reading: (needed, work, holds = () => true) => {
                needs.push(needed)
                return Effect.flatMap(Effect.andThen(set(shown), work), (found) =>
                  holds(found) ? Effect.succeed(found) : Effect.andThen(set(stored), work)
                )
              },
              streaming: (_needed, stream) => stream
            })
          )
        )
      )
      const result = yield* verifier.verify({ workspaceId: "wsp_1", limit: 10_000 })
      assert.deepStrictEqual(needs, ["now"])
      return result
    }).pipe(Effect.provide(verification))

  it.effect("is broken where the store has it so, and nowhere else", () =>
    Effect.gen(function* () {
      const changed = (number: number) =>
        replace(intact, number, (event) => ({ ...event, salt: "0".repeat(32) }))
      assert.deepStrictEqual(yield* verifyThrough(changed(5), intact), wholeVerification(10))
      const { breaks } = yield* verifyThrough(changed(5), changed(6))
      assert.deepStrictEqual(
        breaks.map(({ event_id }) => event_id),
        [at(intact, 6).id]
      )
    })
  )
})

describe("an intact chain", () => {
  it.effect("is valid, and every event is counted", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* verify(intact), wholeVerification(10))
      assert.deepStrictEqual(yield* verify({ events: [], head: nothing }), wholeVerification(0))
    })
  )

  it.effect("of hostile events is valid", () =>
    Effect.gen(function* () {
      const next = hostileGenerator(2)
      const log = extendChain(
        context("wsp_1", 2),
        nothing,
        rowsOf(Array.from({ length: 200 }, next), NOON, 2)
      )
      assert.deepStrictEqual(yield* verify(log), wholeVerification(200))
    })
  )

  /** Verifies with something between the verifier and the log's `entries`. */
  const verifyThrough = (
    log: Log,
    around: (
      entries: typeof EventLog.Service.entries,
      table: MemoryStorage.MemoryLog
    ) => typeof EventLog.Service.entries
  ) => {
    const spying = Layer.effect(
      EventLog,
      Effect.gen(function* () {
        const inner = yield* EventLog
        const table = (yield* MemoryStorage.MemoryTables).log("wsp_1")
        Object.assign(table, log)
        return EventLog.of({ ...inner, entries: around(inner.entries, table) })
      })
    )
    return Effect.flatMap(ChainVerifier, ({ verify }) =>
      verify({ workspaceId: "wsp_1", limit: 1_000_000 })
    ).pipe(
      Effect.provide(
        ChainVerifier.layer.pipe(Layer.provide(spying), Layer.provide([MemoryStorage.layer(), Sha256.layer]))
      )
    )
  }

  it.effect("is read a thousand rows at a time, whatever its length", () =>
    Effect.gen(function* () {
      const log = extendChain(
        context("wsp_1", 3),
        nothing,
        rowsOf(Array<EventInput>(2_500).fill(full), NOON, 3)
      )
      const limits: Array<number> = []
      const result = yield* verifyThrough(log, (entries) => (workspaceId, from, limit) => {
        limits.push(limit)
        return entries(workspaceId, from, limit)
      })
      assert.deepStrictEqual(result, wholeVerification(2_500))
      assert.isAtMost(Math.max(...limits), 1_000)
    })
  )

  it.effect("stays valid while events are appended to it", () =>
    Effect.gen(function* () {
      const grown = extendChain(
        context("wsp_1", 4),
        intact.head,
        rowsOf([full, full], NOON + Micros.MINUTE, 4)
      )
      const result = yield* verifyThrough(
        intact,
        (entries, table) =>
          (...args) =>
            Effect.suspend(() => {
              Object.assign(table, { events: [...intact.events, ...grown.events], head: grown.head })
              return entries(...args)
            })
      )
      assert.deepStrictEqual(result, wholeVerification(12))
    })
  )
})

describe("a modified event", () => {
  findsMismatch("whose content was changed", (event) => ({
    ...event,
    content: event.content?.replace('"doc.read"', '"doc.edit"') ?? null
  }))
  findsMismatch("whose content means the same, but is not the text that was hashed", (event) => ({
    ...event,
    content: event.content?.replace(",", ", ") ?? null
  }))
  findsMismatch("whose content is no JSON any more", (event) => ({ ...event, content: "{" }))
  findsMismatch("whose salt was changed", (event) => ({ ...event, salt: "0".repeat(32) }))
  findsMismatch("whose created_at was moved by a microsecond", (event) => ({
    ...event,
    createdAt: event.createdAt + 1
  }))
  findsMismatch("whose id was changed", (event) => ({ ...event, id: "00000000-0000-4000-8000-000000000000" }))
  findsMismatch(
    "that is the first of the chain",
    (event) => ({ ...event, createdAt: event.createdAt - 1 }),
    1
  )
  findsMismatch(
    "that is the last of the chain",
    (event) => ({ ...event, createdAt: event.createdAt + 1 }),
    10
  )

  finds(
    "whose content_hash was changed: expected from the content, actual as stored",
    replace(intact, 5, (event) => ({ ...event, contentHash: other })),
    [mismatch(at(intact, 5).id, at(intact, 5).contentHash, other)]
  )
  finds(
    "whose event_hash was changed no longer precedes the next",
    replace(intact, 5, (event) => ({ ...event, eventHash: other })),
    [mismatch(at(intact, 5).id, hashOf(5), other), broken(at(intact, 6).id, other, hashOf(5))]
  )
  finds(
    "whose event_hash was taken away",
    replace(intact, 5, (event) => ({ ...event, eventHash: null })),
    [mismatch(at(intact, 5).id, hashOf(5), null), broken(at(intact, 6).id, null, hashOf(5))]
  )
  finds(
    "that is the last, and whose event_hash was changed, is not the head's",
    replace(intact, 10, (event) => ({ ...event, eventHash: other })),
    [mismatch(at(intact, 10).id, hashOf(10), other), broken(at(intact, 10).id, hashOf(10), other)]
  )
  finds(
    "whose previous_event_hash was changed",
    replace(intact, 5, (event) => ({ ...event, previousEventHash: other })),
    [broken(at(intact, 5).id, hashOf(4), other)]
  )
  finds(
    "whose previous_event_hash was taken away",
    replace(intact, 5, (event) => ({ ...event, previousEventHash: null })),
    [broken(at(intact, 5).id, hashOf(4), null)]
  )
  finds(
    "that is the first, and was given a predecessor",
    replace(intact, 1, (event) => ({ ...event, previousEventHash: other })),
    [broken(at(intact, 1).id, null, other)]
  )
  const unlinked = replace(intact, 5, (event) => ({
    ...event,
    previousEventHash: other,
    salt: "1".repeat(32)
  }))
  finds("that was modified and unlinked, is found to be both", unlinked, [
    broken(at(intact, 5).id, hashOf(4), other),
    mismatch(at(intact, 5).id, recomputed(at(unlinked, 5)), hashOf(5))
  ])

  it.effect("whose content was removed without a removal on record", () =>
    Effect.gen(function* () {
      const { breaks } = yield* verify(
        replace(intact, 5, (event) => ({ ...event, content: null, salt: null }))
      )
      const found = breaks.map(({ event_id, type, actual_hash }) => ({ event_id, type, actual_hash }))
      assert.deepStrictEqual(found, [
        { event_id: at(intact, 5).id, type: "hash_mismatch", actual_hash: hashOf(5) }
      ])
    })
  )

  it.effect("is found among others, each in its place", () =>
    Effect.gen(function* () {
      const salted = (event: LogEntry) => ({ ...event, salt: "0".repeat(32) })
      const log = [2, 3, 7, 10].reduce((changed, number) => replace(changed, number, salted), intact)
      const { breaks, events_checked } = yield* verify(log)
      const expected = [2, 3, 7, 10].map((number) =>
        mismatch(at(log, number).id, recomputed(at(log, number)), hashOf(number))
      )
      assert.deepStrictEqual(breaks, expected)
      assert.strictEqual(events_checked, 10)
    })
  )
})

describe("events deleted, inserted, swapped", () => {
  finds("one deleted breaks the chain at the next", without(intact, 5), [
    broken(at(intact, 6).id, hashOf(4), hashOf(5))
  ])
  finds("several deleted in a row break it once", without(intact, 3, 4, 5), [
    broken(at(intact, 6).id, hashOf(2), hashOf(5))
  ])
  finds("the first deleted", without(intact, 1), [broken(at(intact, 2).id, null, hashOf(1))])
  finds("two deleted in different places", without(intact, 3, 7), [
    broken(at(intact, 4).id, hashOf(2), hashOf(3)),
    broken(at(intact, 8).id, hashOf(6), hashOf(7))
  ])

  it.effect("one deleted shows in the numbers even when all later ones are chained anew", () =>
    Effect.gen(function* () {
      const start = { ...nothing, sequence: 5, eventHash: hashOf(4), createdAt: at(intact, 4).createdAt }
      const anew = extendChain(context("wsp_1", 7), start, rowsOf([full, full], NOON + Micros.MINUTE, 7))
      const log = { events: [...intact.events.slice(0, 4), ...anew.events], head: anew.head }
      assert.deepStrictEqual((yield* verify(log)).breaks, [broken(at(log, 6).id, hashOf(4), hashOf(4))])
    })
  )

  const forged = (sequence: number, after: number): LogEntry => {
    const made = extendChain(
      context("wsp_1", 9),
      {
        ...nothing,
        sequence: sequence - 1,
        eventHash: hashOf(after),
        createdAt: at(intact, after).createdAt
      },
      rowsOf([full], NOON, 9)
    )
    return at(made, sequence)
  }

  it.effect("one inserted breaks the chain at the one after it, whose place is another now", () =>
    Effect.gen(function* () {
      const inserted = forged(5, 4)
      const moved = intact.events
        .filter(({ sequence }) => sequence > 4)
        .map((event) => ({ ...event, sequence: event.sequence + 1 }))
      const { valid, breaks } = yield* verify({
        ...intact,
        events: [...intact.events.filter(({ sequence }) => sequence < 5), inserted, ...moved]
      })
      assert.isFalse(valid)
      const [next] = moved
      if (next === undefined) return assert.fail("nothing moved")
      assert.deepStrictEqual(breaks[0], broken(next.id, inserted.eventHash, hashOf(4)))
      const mismatches = breaks.filter(({ type }) => type === "hash_mismatch")
      assert.deepStrictEqual(
        mismatches.map(({ event_id }) => event_id),
        moved.map(({ id }) => id)
      )
    })
  )

  finds(
    "one put in another's place breaks the chain at the next",
    replace(intact, 5, () => forged(5, 4)),
    [broken(at(intact, 6).id, forged(5, 4).eventHash, hashOf(5))]
  )
  finds(
    "one put after the head, though properly chained",
    { ...intact, events: [...intact.events, forged(11, 10)] },
    [broken(forged(11, 10).id, hashOf(10), forged(11, 10).eventHash)]
  )

  it.effect("two neighbours swapped are both out of place, and so is the next", () =>
    Effect.gen(function* () {
      const [a, b] = [
        { ...at(intact, 6), sequence: 5 },
        { ...at(intact, 5), sequence: 6 }
      ]
      const { breaks } = yield* verify(
        replace(
          replace(intact, 5, () => a),
          6,
          () => b
        )
      )
      assert.deepStrictEqual(breaks, [
        broken(a.id, hashOf(4), hashOf(5)),
        mismatch(a.id, recomputed(a), hashOf(6)),
        broken(b.id, hashOf(6), hashOf(4)),
        mismatch(b.id, recomputed(b), hashOf(5)),
        broken(at(intact, 7).id, hashOf(5), hashOf(6))
      ])
    })
  )

  it.effect("two contents swapped are both modified", () =>
    Effect.gen(function* () {
      const contentOf = ({ content, salt, contentHash }: LogEntry) => ({ content, salt, contentHash })
      const a = { ...at(intact, 3), ...contentOf(at(intact, 8)) }
      const b = { ...at(intact, 8), ...contentOf(at(intact, 3)) }
      const { breaks } = yield* verify(
        replace(
          replace(intact, 3, () => a),
          8,
          () => b
        )
      )
      assert.deepStrictEqual(breaks, [
        mismatch(a.id, recomputed(a), hashOf(3)),
        mismatch(b.id, recomputed(b), hashOf(8))
      ])
    })
  )

  it.effect("another workspace's log put in place of this one's is modified throughout", () =>
    Effect.gen(function* () {
      const { breaks } = yield* verify(makeLog("wsp_2"))
      assert.deepStrictEqual(
        breaks.map(({ type }) => type),
        Array(10).fill("hash_mismatch")
      )
    })
  )
})

describe("the end of the log", () => {
  const truncated = (left: number): Log => ({ ...intact, events: intact.events.slice(0, left) })

  finds("cut off by one event", truncated(9), [broken(at(intact, 9).id, hashOf(10), hashOf(9))])
  finds("cut off after the first", truncated(1), [broken(at(intact, 1).id, hashOf(10), hashOf(1))])
  finds("with nothing left names the head", truncated(0), [broken(at(intact, 10).id, hashOf(10), null)])

  it.effect("rewritten with good hashes is not the head's", () =>
    Effect.gen(function* () {
      const start = { ...nothing, sequence: 7, eventHash: hashOf(7), createdAt: at(intact, 7).createdAt }
      const rewritten = extendChain(
        context("wsp_1", 8),
        start,
        rowsOf([full, full, full], NOON + 7 * Micros.SECOND, 8)
      )
      const log = { ...intact, events: [...intact.events.slice(0, 7), ...rewritten.events] }
      const { breaks } = yield* verify(log)
      assert.deepStrictEqual(breaks, [broken(at(log, 10).id, hashOf(10), hashOf(10, log))])
    })
  )

  /** The first six events, and a head that says that they are all. */
  const { sequence, eventHash: hash, id, createdAt } = at(intact, 6)
  const movedBack = {
    ...truncated(6),
    head: { ...intact.head, sequence, eventHash: hash, eventId: id, createdAt }
  }

  it.effect("moved back together with the head is what only an anchor or a checkpoint can tell", () =>
    Effect.gen(function* () {
      const result = yield* verify(movedBack)
      assert.deepStrictEqual(result, wholeVerification(6))
    })
  )

  it.effect("moved back together with the head is told by the newest checkpoint", () =>
    Effect.gen(function* () {
      const { issue } = yield* Checkpoints
      yield* issue("wsp_1", { size: 10, root: other, keyNumber: 1, note: "" })
      yield* issue("wsp_2", { size: 99, root: other, keyNumber: 1, note: "" })
      const result = yield* verifyHere(movedBack)
      assert.deepStrictEqual(result.breaks, [broken(id, null, hash)])
      assert.isTrue((yield* verifyHere(intact)).valid)
    }).pipe(Effect.provide(verification))
  )

  it.effect(
    "moved back together with the head is told by the newest anchor, and so is an anchored end that was rewritten",
    () =>
      Effect.gen(function* () {
        const anchors = yield* Anchors
        yield* anchors.close([
          {
            id: "anc_1",
            workspaceId: "wsp_1",
            ordinal: 1,
            start: NOON,
            end: NOON + Micros.DAY,
            firstSequence: 1,
            lastSequence: 8,
            firstEventHash: hashOf(1),
            lastEventHash: hashOf(8),
            merkleRoot: other
          }
        ])
        yield* anchors.create([
          { workspaceId: "wsp_1", ordinal: 1, previousAnchorHash: null, chainId: null, createdAt: NOON }
        ])
        assert.deepStrictEqual((yield* verifyHere(movedBack)).breaks, [broken(id, hashOf(8), hash)])
        assert.isTrue((yield* verifyHere(intact)).valid)
        // From the seventh on with good hashes, and a head that fits.
        const start = { ...movedBack.head }
        const rewritten = extendChain(
          context("wsp_1", 8),
          start,
          rowsOf([full, full], NOON + 7 * Micros.SECOND, 8)
        )
        const log = { events: [...movedBack.events, ...rewritten.events], head: rewritten.head }
        const { breaks } = yield* verifyHere(log)
        assert.deepStrictEqual(breaks, [broken(at(log, 8).id, hashOf(8), hashOf(8, log))])
      }).pipe(Effect.provide(anchoredVerification))
  )
})

describe("a part of the chain", () => {
  const time = (number: number) => at(intact, number).createdAt
  const salted = (number: number) => replace(intact, number, (event) => ({ ...event, salt: "0".repeat(32) }))
  const found = (log: Log, number: number) => [
    mismatch(at(log, number).id, recomputed(at(log, number)), hashOf(number))
  ]
  const checks = (name: string, request: Partial<VerifyRequest>, count: number) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* verify(intact, request), wholeVerification(count))
      })
    )
  /**
   * A part that ends at its limit: of `total` events it has seen so many, and the next one is named by its
   * moment.
   */
  const stops = (name: string, request: Partial<VerifyRequest>, count: number, total: number, next: number) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* verify(intact, request), {
          ...wholeVerification(count),
          complete: false,
          total,
          next: Micros.format(time(next))
        })
      })
    )

  checks("from an event on, itself included", { from: time(4) }, 7)
  checks("from a microsecond after it", { from: time(4) + 1 }, 6)
  checks("up to an event, itself included", { to: time(4) }, 4)
  checks("up to a microsecond before it", { to: time(4) - 1 }, 3)
  checks("from one to another", { from: time(4), to: time(6) }, 3)
  checks("between two events there is none", { from: time(4) + 1, to: time(5) - 1 }, 0)
  checks("before the first there is none", { to: time(1) - 1 }, 0)
  checks("after the last there is none", { from: time(10) + 1 }, 0)
  stops("of limited size is not the whole", { limit: 3 }, 3, 10, 4)
  stops("of limited size, from an event on", { from: time(6), limit: 2 }, 2, 5, 8)
  stops("of limited size, up to an event", { to: time(6), limit: 5 }, 5, 6, 6)
  checks("of exactly the size up to an event", { to: time(6), limit: 6 }, 6)
  checks("of exactly the size from one to another", { from: time(3), to: time(6), limit: 4 }, 4)
  checks("of exactly the size of the log", { limit: 10 }, 10)

  finds("does not tell of an event before it", salted(2), [], { from: time(5) })
  finds("does not tell of an event after it", salted(8), [], { to: time(5) })
  finds("does not tell of an event beyond its size", salted(8), [], { limit: 7 })
  finds("tells of its first event", salted(5), found(salted(5), 5), { from: time(5) })
  finds("tells of its last event", salted(5), found(salted(5), 5), { to: time(5) })

  const cut = without(intact, 4)
  finds(
    "holds its first event against the one that is left before",
    cut,
    [broken(at(intact, 5).id, hashOf(3), hashOf(4))],
    {
      from: time(5)
    }
  )
  const relinked = replace(intact, 5, (event) => ({ ...event, previousEventHash: other }))
  finds("tells of its first event's link", relinked, [broken(at(intact, 5).id, hashOf(4), other)], {
    from: time(5)
  })
  finds(
    "tells of a last event that is missing, by the one after",
    without(intact, 5),
    [broken(at(intact, 6).id, hashOf(4), hashOf(5))],
    {
      to: time(5)
    }
  )

  const later = replace(intact, 5, (event) => ({ ...event, createdAt: NOON + 1000 * Micros.DAY }))
  it.effect("is not ended early by an event that was moved out of it", () =>
    Effect.gen(function* () {
      const changed = replace(later, 8, (event) => ({ ...event, salt: "0".repeat(32) }))
      const { breaks } = yield* verify(changed, { to: time(9) })
      assert.deepStrictEqual(breaks, [...found(changed, 5), ...found(changed, 8)])
    })
  )
  const earlier = replace(intact, 5, (event) => ({ ...event, createdAt: time(4) + 1 }))
  finds("does not begin late because its first event was moved out of it", earlier, found(earlier, 5), {
    from: time(5)
  })

  const short: Log = { ...intact, events: intact.events.slice(0, 7) }
  const atSeven = [broken(at(intact, 7).id, hashOf(10), hashOf(7))]
  finds("ends before the head does", short, atSeven, { to: time(9) })
  finds("ends before the head does, whatever was recorded by then", short, atSeven, { to: NOON + Micros.DAY })
  finds("begins after the events that are left", short, atSeven, { from: time(9) })
  finds(
    "begins after everything, of which nothing is left",
    { ...intact, events: [] },
    [broken(at(intact, 10).id, hashOf(10), null)],
    {
      from: time(10) + 1
    }
  )
})

describe("history before the chain", () => {
  const YEAR_BEFORE = NOON - 365 * Micros.DAY
  const history = extendHistory(
    context("wsp_1", 5),
    nothing,
    rowsOf(ordinaryEvents(6, { seed: 5 }), YEAR_BEFORE, 5)
  )
  const chain = extendChain(
    context("wsp_1", 6),
    history.head,
    rowsOf(ordinaryEvents(4, { seed: 6 }), NOON, 6)
  )
  const log: Log = { events: [...history.events, ...chain.events], head: chain.head }
  const rootOf = (events: ReadonlyArray<LogEntry>) => {
    const { legacy } = extendLegacy(sha256, "wsp_1", nothing, events)
    return events.length === 0 || legacy === null ? null : legacyCommitment(sha256, legacy).legacy_merkle_root
  }
  const committed = rootOf(history.events)
  const first = at(log, 1)
  const legacy = (index: number) => FIRST_LEGACY_SEQUENCE + index
  const breaksBy = (changed: Log) => [
    broken(first.id, rootOf(changed.events.filter(({ sequence }) => sequence < 1)), committed)
  ]

  it.effect("is skipped, and is no break", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* verify(log), wholeVerification(5))
      assert.deepStrictEqual(yield* verify(log, { limit: 2 }), {
        ...wholeVerification(2),
        complete: false,
        total: 5,
        next: Micros.format(at(log, 3).createdAt)
      })
      const before = { events: history.events, head: history.head }
      assert.deepStrictEqual(yield* verify(before), wholeVerification(0))
    })
  )

  const cases: ReadonlyArray<readonly [name: string, log: Log]> = [
    [
      "of which a content was changed",
      replace(log, legacy(2), (event) => ({ ...event, content: event.content?.replace("}", " }") ?? null }))
    ],
    [
      "of which a time was changed",
      replace(log, legacy(2), (event) => ({ ...event, createdAt: event.createdAt + 1 }))
    ],
    [
      "of which an id was changed",
      replace(log, legacy(2), (event) => ({ ...event, id: "00000000-0000-4000-8000-000000000000" }))
    ],
    ["of which an event was deleted", without(log, legacy(2))],
    ["of which the last event was deleted", without(log, legacy(5))],
    ["of which nothing is left", { ...log, events: chain.events }],
    [
      "to which an event was added, dated after the chain began",
      {
        ...log,
        events: [
          ...history.events,
          {
            ...at(log, legacy(5)),
            id: "00000000-0000-4000-8000-000000000000",
            sequence: 0,
            createdAt: NOON + Micros.DAY - 1
          },
          ...chain.events
        ]
      }
    ]
  ]
  for (const [name, changed] of cases) {
    finds(`${name} is a break at the chain's first event, which commits to it`, changed, breaksBy(changed))
  }

  const invented = { ...at(log, legacy(0)), id: "00000000-0000-4000-8000-000000000000" }
  const withHistory: Log = { ...intact, events: [invented, ...intact.events] }
  finds("invented for a chain that began without", withHistory, [
    broken(at(intact, 1).id, rootOf([invented]), null)
  ])

  finds("is not looked at by who asks for later events only", without(log, legacy(2)), [], {
    from: at(log, 3).createdAt
  })

  it.effect("that claims to be dated later does not end the verification early", () =>
    Effect.gen(function* () {
      const changed = replace(log, legacy(0), (event) => ({ ...event, createdAt: NOON + 1000 * Micros.DAY }))
      assert.deepStrictEqual(
        (yield* verify(changed, { to: NOON + 10 * Micros.DAY })).breaks,
        breaksBy(changed)
      )
    })
  )

  const emptied = { ...log, events: history.events }
  finds(
    "is not what a chain ends with when nothing of it is left",
    emptied,
    [broken(log.head.eventId ?? "", log.head.eventHash, null)],
    { from: NOON + Micros.DAY }
  )

  it.effect("is older than the chain, even if the chain commits to it", () =>
    Effect.gen(function* () {
      const early = { ...context("wsp_1", 6), now: YEAR_BEFORE }
      const before = extendChain(early, { ...history.head, createdAt: 0 }, rowsOf([full], YEAR_BEFORE, 6))
      const late: Log = { events: [...history.events, ...before.events], head: before.head }
      const { breaks } = yield* verify(late)
      assert.deepStrictEqual(breaks, [broken(at(late, 1).id, committed, committed)])
    })
  )

  const unhashed = replace(log, 3, (event) => ({
    ...event,
    contentHash: null,
    previousEventHash: null,
    eventHash: null
  }))
  it.effect("is not what an event of the chain becomes by losing its hashes", () =>
    Effect.gen(function* () {
      const { breaks } = yield* verify(unhashed)
      assert.deepStrictEqual(
        breaks.map(({ event_id, type }) => [event_id, type]),
        [
          [at(log, 3).id, "chain_break"],
          [at(log, 3).id, "hash_mismatch"],
          [at(log, 4).id, "chain_break"]
        ]
      )
    })
  )
})
