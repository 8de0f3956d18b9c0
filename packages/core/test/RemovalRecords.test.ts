import {
  ChainVerifier,
  contentParts,
  decodeEvent,
  EVENT_ERASED,
  type EventInput,
  EventLog,
  eventsErased,
  extendChain,
  Micros,
  nativeSha256,
  nowhere,
  portableSha256,
  Randomness,
  readRemovals,
  retentionApplied,
  Sha256,
  type StoredEvent
} from "@cairn/core"
import { MemoryStorage, ordinaryEvents, seededRandomness } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"

const NOON = 1_714_564_800_000_000
const WORKSPACE = "wsp_1"
const sha256 = nativeSha256 ?? portableSha256
const random = seededRandomness(7)
const context = { workspaceId: WORKSPACE, sha256, random }

/** Ten events, and then what a removal records; the log is changed by `tamper`. */
const log = (
  record: ReturnType<typeof eventsErased> | undefined,
  tamper: (events: ReadonlyArray<StoredEvent>) => ReadonlyArray<StoredEvent>
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
    const first = extendChain({ ...context, lookup: () => nowhere, now: NOON + Micros.DAY }, table.head, rows)
    const last = record?.(first.head, NOON + Micros.DAY) ?? { events: [], head: first.head }
    table.head = last.head
    table.events = [...tamper([...first.events, ...last.events])]
    const { isRemoved } = yield* readRemovals(yield* EventLog, sha256, WORKSPACE)
    const verification = yield* (yield* ChainVerifier).verify({ workspaceId: WORKSPACE, limit: 100 })
    return { isRemoved, verification }
  }).pipe(
    Effect.provide(
      ChainVerifier.layer.pipe(
        Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer(), Sha256.layer, Randomness.layer))
      )
    )
  )

/** Takes the contents of some sequences away. */
const without =
  (...sequences: ReadonlyArray<number>) =>
  (events: ReadonlyArray<StoredEvent>) =>
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

  it.effect("are missing rightly below where retention was applied, and not at it", () =>
    Effect.gen(function* () {
      const applied = retentionApplied(context, 4)
      assert.isTrue((yield* log(applied, without(1, 2, 3))).verification.valid)
      assert.isFalse((yield* log(applied, without(4))).verification.valid)
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
