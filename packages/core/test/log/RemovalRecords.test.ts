import { Micros } from "@cairn/core/encoding"
import { contentParts, decodeEvent, type EventInput, nowhere, systemContent } from "@cairn/core/event"
import { nativeSha256, portableSha256, Randomness, Sha256 } from "@cairn/core/hashing"
import {
  EVENT_ERASED,
  EventLog,
  extendChain,
  extendHistory,
  type LogEntry,
  RETENTION_APPLIED
} from "@cairn/core/log"
import { MAX_KEPT } from "@cairn/core/retention"
import { ChainVerifier } from "@cairn/core/verification"
import { MemoryStorage, ordinaryEvents, seededRandomness } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { removalLookup } from "../../src/log/RemovalRecords.ts"
import { eventsErased, retentionApplied } from "../../src/retention/RemovalEvent.ts"

const NOON = 1_714_564_800_000_000
const WORKSPACE = "wsp_1"
const sha256 = nativeSha256 ?? portableSha256
const random = seededRandomness(7)
const context = { workspaceId: WORKSPACE, sha256, random }

/** Ten events, and then what a removal records; the log is changed by `tamper`. */
const log = (
  record: ReturnType<typeof eventsErased> | undefined,
  tamper: (events: ReadonlyArray<LogEntry>) => ReadonlyArray<LogEntry>,
  history = 0
) =>
  Effect.gen(function* () {
    const { log: tableOf } = yield* MemoryStorage.MemoryTables
    const rows = ordinaryEvents(10, { seed: 1 }).map((body: EventInput, index) => ({
      inboxId: index,
      acceptedAt: NOON + index,
      events: [
        {
          id: `event-${index}`,
          idempotencyKey: null,
          clientAddress: null,
          content: contentParts(Result.getOrThrow(decodeEvent(body)), NOON)
        }
      ]
    }))
    const table = tableOf(WORKSPACE)
    const at = { ...context, lookup: () => nowhere, now: NOON + Micros.DAY }
    const before =
      history > 0 ? extendHistory(at, table.head, rows.slice(0, history)) : { events: [], head: table.head }
    const first = extendChain(at, before.head, rows.slice(history))
    const last = record?.(first.head, NOON + Micros.DAY) ?? { events: [], head: first.head }
    table.head = last.head
    table.events = [...tamper([...before.events, ...first.events, ...last.events])]
    const events = yield* EventLog
    let pages = 0
    const counting = {
      entries: events.entries,
      page: (...request: Parameters<typeof events.page>) => {
        pages++
        return events.page(...request)
      }
    }
    const { know, isRemoved, records } = removalLookup(counting, sha256, WORKSPACE)
    yield* know(table.events)
    const gone = table.events.filter(({ sequence }) => isRemoved(sequence))
    const read = pages
    const again = removalLookup(counting, sha256, WORKSPACE, records())
    yield* again.know(gone)
    assert.isTrue(gone.every(({ sequence }) => again.isRemoved(sequence)))
    assert.strictEqual(pages, read, "records that were read before are not read again")
    const verification = yield* (yield* ChainVerifier).verify({ workspaceId: WORKSPACE, limit: 100 })
    return { isRemoved, verification }
  }).pipe(
    Effect.provide(
      ChainVerifier.layer.pipe(
        Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer(), Sha256.layer, Randomness.layer))
      )
    )
  )

type Recorded = ReturnType<typeof eventsErased>

/** Records one after the other. */
const chainOf =
  (...records: ReadonlyArray<Recorded>): Recorded =>
  (head, now) =>
    records.reduce<ReturnType<Recorded>>(
      ({ events, head: last }, record) => {
        const more = record(last, now)
        return { events: [...events, ...more.events], head: more.head }
      },
      { events: [], head }
    )

/** What older versions recorded of retention. */
const olderForm =
  (below: number): Recorded =>
  (head, now) => {
    const content = systemContent(RETENTION_APPLIED, { below_sequence: below }, now)
    const event = { id: "older", idempotencyKey: null, clientAddress: null, content }
    const row = { inboxId: 0, acceptedAt: now, events: [event] }
    return extendChain({ ...context, lookup: () => nowhere, now }, head, [row])
  }

/** Removes the contents of some sequences. */
const without =
  (...sequences: ReadonlyArray<number>) =>
  (events: ReadonlyArray<LogEntry>) =>
    events.map((event) =>
      sequences.includes(event.sequence) ? { ...event, content: null, salt: null } : event
    )

describe("contents that the log has removed", () => {
  it.effect("are missing rightly where an erasure lists them, and nowhere else", () =>
    Effect.gen(function* () {
      const erased = eventsErased(context, [7, 3], "asked for")
      const right = yield* log(erased, without(3, 7))
      assert.deepInclude(right.verification, { valid: true, events_checked: 11 })
      assert.isTrue(right.isRemoved(3) && right.isRemoved(7))
      assert.isFalse(right.isRemoved(4))
      const { breaks } = (yield* log(erased, without(3, 4, 7))).verification
      assert.deepStrictEqual(
        breaks.map(({ type, event_id }) => [type, event_id]),
        [["hash_mismatch", "event-3"]]
      )
    })
  )

  it.effect("are missing rightly where retention was applied, beyond what it kept and not at its end", () =>
    Effect.gen(function* () {
      const applied = retentionApplied(context, { fromSequence: 2, belowSequence: 6, kept: [4] })
      assert.isTrue((yield* log(applied, without(2, 3, 5))).verification.valid)
      for (const sequence of [1, 4, 6]) {
        const { verification, isRemoved } = yield* log(applied, without(2, sequence))
        assert.isFalse(verification.valid, `event ${sequence}`)
        assert.isTrue(isRemoved(2) && !isRemoved(sequence))
      }
    })
  )

  it.effect("are told by several records, of which one may keep what another does not name", () =>
    Effect.gen(function* () {
      const kept = Array.from({ length: MAX_KEPT + 3 }, (_, index) => index - MAX_KEPT - 10)
      const first = { fromSequence: -MAX_KEPT - 20, belowSequence: 5, kept: [...kept, 2, 4] }
      const applied = chainOf(
        olderForm(3),
        retentionApplied(context, first),
        eventsErased(context, [2, 7], "x"),
        retentionApplied(context, { fromSequence: 5, belowSequence: 7, kept: [] })
      )
      const right = yield* log(applied, without(1, 3, 5, 6, 7))
      assert.deepInclude(right.verification, { valid: true, events_checked: 15 })
      // One says that it was erased, and the other that it is kept: Cairn writes no two such records.
      for (const sequence of [2, 4, 8]) {
        assert.isFalse((yield* log(applied, without(sequence))).verification.valid, `event ${sequence}`)
      }
    })
  )

  it.effect("are missing rightly below a record of the older form, which does not say what it kept", () =>
    Effect.gen(function* () {
      assert.isTrue((yield* log(olderForm(4), without(1, 2, 3))).verification.valid)
      assert.isFalse((yield* log(olderForm(4), without(4))).verification.valid)
    })
  )

  it.effect("do not take the history from before the chain with them, whoever accounts for them", () =>
    Effect.gen(function* () {
      const strip = (events: ReadonlyArray<LogEntry>) =>
        without(1)(events.filter(({ sequence }) => sequence > 0))
      const exact = retentionApplied(context, { fromSequence: -(2 ** 35), belowSequence: 4, kept: [1] })
      for (const record of [olderForm(4), exact]) {
        assert.isTrue((yield* log(record, without(2, 3), 3)).verification.valid)
        const { breaks } = (yield* log(record, strip, 3)).verification
        assert.isAtLeast(breaks.length, 1)
        assert.strictEqual(breaks[0]?.type, "chain_break")
      }
    })
  )

  it.effect("are tampered with when nothing is on record", () =>
    Effect.gen(function* () {
      const { breaks } = (yield* log(undefined, without(5))).verification
      assert.deepStrictEqual(
        breaks.map(({ type }) => type),
        ["hash_mismatch"]
      )
    })
  )

  it.effect("still need the hash that the header was made of", () =>
    Effect.gen(function* () {
      const erased = eventsErased(context, [5], "asked for")
      const { verification } = yield* log(erased, (events) =>
        without(5)(events).map((event) =>
          event.sequence === 5 ? { ...event, contentHash: "0".repeat(64) } : event
        )
      )
      assert.isFalse(verification.valid)
    })
  )

  it.effect("are not excused by a record that was written into another event", () =>
    Effect.gen(function* () {
      const { verification, isRemoved } = yield* log(undefined, (events) =>
        without(5)(events).map((event) =>
          event.sequence === 9
            ? {
                ...event,
                content: (event.content ?? "")
                  .replace(/"action":"[^"]*"/, `"action":"${EVENT_ERASED}"`)
                  .replace(/"metadata":(null|\{.*?\}),"occurred/, '"metadata":{"sequences":[5]},"occurred')
              }
            : event
        )
      )
      assert.isFalse(isRemoved(5))
      assert.isFalse(verification.valid)
    })
  )
})
