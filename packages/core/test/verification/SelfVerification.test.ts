import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { contentParts, decodeEvent, type EventInput, nowhere } from "@cairn/core/event"
import { nativeSha256, portableSha256, Randomness, Sha256, uuid } from "@cairn/core/hashing"
import {
  extendChain,
  extendHistory,
  FIRST_LEGACY_SEQUENCE,
  type Head,
  type InboxRow,
  type LogEntry,
  MeterSet,
  Meters,
  Replicas,
  type ReplicasShape,
  StorageUnavailable
} from "@cairn/core/log"
import { Announcer, layerBreakNotices, Outbox, Webhooks } from "@cairn/core/outbound"
import {
  type ChainBreak,
  ChainVerifier,
  SelfVerification,
  VERIFICATION_CONSUMER,
  VerificationStatus
} from "@cairn/core/verification"
import { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import {
  layerManualClock,
  type ManualClock,
  MemoryAnchors,
  MemoryStorage,
  manualClock,
  meteredValue,
  seededRandomness,
  testMember,
  testWorkspace
} from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Result } from "effect"
import { signedRecords, UNKNOWN_ROOT } from "../../src/checkpoint/SignedMemory.ts"
import { eventsErased } from "../../src/retention/RemovalEvent.ts"
import { MAX_TOLD_BREAKS, TELL_AGAIN } from "../../src/verification/SelfVerification.ts"
import { VERIFICATION_STEP } from "../../src/verification/VerificationStep.ts"

const NOON = 1_714_564_800_000_000
const WORKSPACE = "wsp_1"
const KEY = { workspaceId: WORKSPACE, consumer: VERIFICATION_CONSUMER }
const sha256 = nativeSha256 ?? portableSha256
const nothing: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }

interface Log {
  readonly events: ReadonlyArray<LogEntry>
  readonly head: Head
}

const rowsOf = (bodies: ReadonlyArray<EventInput>, seed: number): ReadonlyArray<InboxRow> => {
  const random = seededRandomness(seed)
  return bodies.map((body, index) => ({
    inboxId: index,
    acceptedAt: NOON + index * Micros.SECOND,
    events: [
      {
        id: uuid(random),
        idempotencyKey: null,
        clientAddress: null,
        content: contentParts(Result.getOrThrow(decodeEvent(body)), NOON)
      }
    ]
  }))
}

const context = (seed: number) => ({
  workspaceId: WORKSPACE,
  sha256,
  random: seededRandomness(seed),
  lookup: () => nowhere,
  now: NOON + Micros.DAY
})

const EVENT: EventInput = { actor_id: "ada", action: "doc.read" }

/** A log with this many events, after another. */
const grow = (count: number, seed: number, before: Log = { events: [], head: nothing }): Log => {
  const { events, head } = extendChain(
    context(seed),
    before.head,
    rowsOf(Array<EventInput>(count).fill(EVENT), seed)
  )
  return { events: [...before.events, ...events], head }
}

const replace = (log: Log, sequence: number, change: (event: LogEntry) => LogEntry): Log => ({
  ...log,
  events: log.events.map((event) => (event.sequence === sequence ? change(event) : event))
})

const without = (log: Log, sequence: number): Log => ({
  ...log,
  events: log.events.filter((event) => event.sequence !== sequence)
})

const altered = (event: LogEntry): LogEntry => ({ ...event, salt: "0".repeat(32) })
const other = "0123456789abcdef".repeat(4)

/** One step and a half and a little, so that a pass has a middle. */
const LONG = grow(2 * VERIFICATION_STEP + 100, 1)
const SHORT = grow(10, 2)

const setLog = (log: Log) =>
  Effect.map(MemoryStorage.MemoryTables, (tables) => {
    Object.assign(tables.log(WORKSPACE), { events: [...log.events], head: log.head })
  })

/** The stores, and a clock that the test moves. */
const stores = (hands: ManualClock) =>
  Layer.mergeAll(
    MemoryAnchors.layer.pipe(Layer.provideMerge(MemoryStorage.layer())),
    Sha256.layer,
    Randomness.layer,
    layerManualClock(hands)
  )
type Stores = Layer.Success<ReturnType<typeof stores>>

/** The verification of a process that has just begun, over the stores that are there. */
const verification = () =>
  Layer.fresh(
    SelfVerification.layer({ every: Micros.DAY }).pipe(
      Layer.provide(layerBreakNotices),
      Layer.provide(Announcer.layer({ mail: true }))
    )
  )
const advance = Effect.flatMap(SelfVerification, (use) => use.advance(WORKSPACE))

/** Through a replica that shows another log than is stored. */
const throughReplica = (shown: Log, stored: Log) =>
  Layer.effect(
    Replicas,
    Effect.map(
      Effect.context<MemoryStorage.MemoryTables>(),
      (context): ReplicasShape => ({
        position: null,
        reading: (needed, work, holds = () => true) => {
          const of = (log: Log) =>
            Effect.andThen(
              Effect.provideContext(setLog(log), context),
              Effect.suspend(() => work)
            )
          assert.strictEqual(needed, "now")
          return Effect.flatMap(of(shown), (found) => (holds(found) ? Effect.succeed(found) : of(stored)))
        },
        streaming: (_needed, stream) => stream
      })
    )
  )

/** Runs a test in a workspace with a webhook and an owner; `logged` is what the service's log says. */
const run = <A, E>(
  body: (world: {
    readonly hands: ManualClock
    readonly logged: Array<string>
  }) => Effect.Effect<A, E, Stores>
) => {
  const hands = manualClock(NOON)
  const logged: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message, logLevel }) => {
    logged.push(`${logLevel} ${String(message)}`)
  })
  return Effect.gen(function* () {
    const times = { created_at: NOON, updated_at: NOON }
    yield* Effect.flatMap(ManagedWorkspaces, ({ create }) =>
      create(testWorkspace({ id: WORKSPACE, name: "Acme", created_at: NOON }))
    )
    yield* Effect.flatMap(Webhooks, ({ create }) =>
      create({
        id: "whk_1",
        workspace_id: WORKSPACE,
        url: "https://example.com",
        description: null,
        types: ["chain.broken"],
        enabled: true,
        disabled_reason: null,
        failing_since: null,
        secrets: [],
        ...times
      })
    )
    yield* Effect.flatMap(Members, ({ create }) =>
      create(testMember({ id: "mem_1", workspace_id: WORKSPACE, email: "owner@example.com", ...times }))
    )
    return yield* body({ hands, logged })
  }).pipe(Effect.provide(stores(hands)), Effect.provide(Logger.layer([logger])))
}

/**
 * Steps until the end is reached, each by a process that has just begun; returns how many steps that were.
 */
const toTheEnd = (hands: ManualClock) =>
  Effect.gen(function* () {
    for (let steps = 1; ; steps++) {
      const { more } = yield* Effect.provide(advance, verification())
      // The process before has held it for a while.
      hands.advance(Micros.MINUTE)
      if (!more) return steps
    }
  })

const deliveries = Effect.flatMap(Outbox, ({ page }) =>
  Effect.map(page(WORKSPACE, { filter: {}, before: null, limit: 1_000 }), (found) => found.toReversed())
)

interface Told {
  readonly data: {
    readonly valid: boolean
    readonly breaks: ReadonlyArray<ChainBreak>
    readonly events_checked: number
    readonly breaks_found: number
    readonly complete: boolean
    readonly total: number
  }
}

/** What the webhook received, message by message. */
const told = Effect.map(deliveries, (all) =>
  all.flatMap(({ channel, type, payload }) => {
    if (channel !== "webhook") return []
    assert.strictEqual(type, "chain.broken")
    return [(JSON.parse(payload) as Told).data]
  })
)
const toldIds = Effect.map(told, (all) => all.map(({ breaks }) => breaks.map(({ event_id }) => event_id)))

const idOf = ({ events }: Log, sequence: number): string =>
  events.find((event) => event.sequence === sequence)?.id ?? assert.fail(`there is no event ${sequence}`)

const position = Effect.flatMap(Consumers, ({ list }) =>
  Effect.map(list(WORKSPACE), ([one]) => one?.sequence)
)

const status = Effect.provide(
  Effect.flatMap(VerificationStatus, (use) => use.of(WORKSPACE)),
  VerificationStatus.layer
)

const spelled = (breaks: ReadonlyArray<ChainBreak>) =>
  [...new Set(breaks.map(({ type, event_id }) => `${type} ${event_id}`))].toSorted()

describe("a log that is whole", () => {
  it.effect("is walked through step by step, wherever a process ends, and nobody is told", () =>
    run(
      Effect.fnUntraced(function* ({ hands, logged }) {
        yield* setLog(LONG)
        assert.strictEqual(yield* toTheEnd(hands), 3)
        assert.strictEqual(yield* position, LONG.head.sequence)
        assert.deepStrictEqual(yield* deliveries, [])
        assert.deepStrictEqual(logged, [])
      })
    )
  )

  it.effect("shows how much of it is still to be verified, and since when", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* setLog(LONG)
        const lag = Effect.all([
          meteredValue("cairn_verification_lag_events"),
          meteredValue("cairn_verification_lag_seconds"),
          meteredValue("cairn_verification_events_total")
        ])
        yield* Effect.gen(function* () {
          let verified = 0
          for (const seconds of [60, 120]) {
            verified += (yield* advance).count
            hands.advance(Micros.MINUTE)
            assert.deepStrictEqual(yield* lag, [LONG.events.length - verified, seconds, verified])
          }
          assert.isFalse((yield* advance).more)
          assert.deepStrictEqual(yield* lag, [0, 0, LONG.events.length])
        }).pipe(Effect.provide(verification()), Effect.provideService(Meters, new MeterSet()))
      })
    )
  )

  it.effect("is whole where only a replica shows it broken", () =>
    run(
      Effect.fnUntraced(function* ({ hands, logged }) {
        const by = (shown: Log, stored: Log) =>
          Effect.provide(advance, verification().pipe(Layer.provide(throughReplica(shown, stored))))
        yield* by(replace(SHORT, 5, altered), SHORT)
        assert.deepStrictEqual([yield* deliveries, logged], [[], []])
        hands.advance(Micros.DAY)
        yield* by(SHORT, replace(SHORT, 6, altered))
        assert.deepStrictEqual(yield* toldIds, [])
        hands.advance(Micros.DAY)
        yield* by(replace(SHORT, 5, altered), replace(SHORT, 6, altered))
        assert.deepStrictEqual(yield* toldIds, [[idOf(SHORT, 6)]])
      })
    )
  )

  it.effect("that is empty, or grows, is whole too", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* toTheEnd(hands)
        yield* setLog(SHORT)
        yield* toTheEnd(hands)
        assert.strictEqual(yield* position, 10)
        yield* setLog(grow(5, 3, SHORT))
        yield* toTheEnd(hands)
        assert.strictEqual(yield* position, 15)
        assert.deepStrictEqual(yield* deliveries, [])
      })
    )
  )

  it.effect("has its history before the chain taken in over several steps", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        const bodies = Array<EventInput>(2 * VERIFICATION_STEP + 7).fill(EVENT)
        const history = extendHistory(context(5), nothing, rowsOf(bodies, 5))
        const log = grow(3, 6, { events: history.events, head: history.head })
        yield* setLog(log)
        assert.strictEqual(yield* toTheEnd(hands), 3)
        assert.deepStrictEqual(yield* deliveries, [])
        hands.advance(Micros.DAY)
        const changed = replace(log, FIRST_LEGACY_SEQUENCE + 1, altered)
        yield* setLog(changed)
        yield* toTheEnd(hands)
        assert.deepStrictEqual(yield* toldIds, [[idOf(log, 1)]])
      })
    )
  )

  it.effect("of which a content was erased, on record, is whole", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        const removal = { workspaceId: WORKSPACE, sha256, random: seededRandomness(7) }
        const record = eventsErased(removal, [4], "asked for")(SHORT.head, NOON + 2 * Micros.DAY)
        const log = { events: [...SHORT.events, ...record.events], head: record.head }
        const gone = (event: LogEntry): LogEntry => ({ ...event, content: null, salt: null })
        yield* setLog(replace(log, 4, gone))
        yield* toTheEnd(hands)
        assert.deepStrictEqual(yield* deliveries, [])
        yield* setLog(replace(replace(log, 4, gone), 5, gone))
        hands.advance(Micros.DAY)
        yield* toTheEnd(hands)
        assert.deepStrictEqual(yield* toldIds, [[idOf(log, 5)]])
      })
    )
  )
})

describe("a log that was tampered with", () => {
  it.effect("is told of once, to the webhooks and to the owners, and in the service's log", () =>
    run(
      Effect.fnUntraced(function* ({ hands, logged }) {
        yield* setLog(replace(SHORT, 5, altered))
        yield* toTheEnd(hands)
        const [first, ...others] = yield* told
        assert.deepStrictEqual(others, [])
        assert.deepInclude(first, { valid: false, events_checked: 10 })
        assert.deepStrictEqual(spelled(first?.breaks ?? []), [`hash_mismatch ${idOf(SHORT, 5)}`])
        const all = yield* deliveries
        assert.sameDeepMembers(
          all.map(({ target, type }) => [target, type]),
          [
            ["whk_1", "chain.broken"],
            ["owner@example.com", "mail.chain_broken"]
          ]
        )
        assert.deepStrictEqual(logged, ["Error The hash chain of a log is broken"])
        for (const pause of [0, TELL_AGAIN, Micros.DAY, Micros.DAY, 30 * Micros.DAY]) {
          hands.advance(pause)
          yield* toTheEnd(hands)
        }
        assert.lengthOf(yield* deliveries, 2)
        assert.lengthOf(logged, 1)
      })
    )
  )

  it.effect(
    "behind the verification's back is found by the next pass, which begins a day after the last",
    () =>
      run(
        Effect.fnUntraced(function* ({ hands }) {
          yield* setLog(SHORT)
          yield* toTheEnd(hands)
          yield* setLog(replace(SHORT, 5, altered))
          hands.advance(Micros.DAY - 2 * Micros.MINUTE)
          yield* toTheEnd(hands)
          assert.deepStrictEqual(yield* told, [])
          hands.advance(Micros.MINUTE)
          yield* toTheEnd(hands)
          assert.deepStrictEqual(yield* toldIds, [[idOf(SHORT, 5)]])
        })
      )
  )

  it.effect("is told of as the verification by hand tells it, wherever between two steps the break is", () =>
    Effect.forEach(
      [VERIFICATION_STEP, VERIFICATION_STEP + 1, VERIFICATION_STEP + 2, LONG.head.sequence],
      (sequence) =>
        Effect.forEach(
          [
            replace(LONG, sequence, altered),
            replace(LONG, sequence, (event) => ({ ...event, eventHash: other })),
            replace(LONG, sequence, (event) => ({ ...event, previousEventHash: other })),
            without(LONG, sequence)
          ],
          (log) =>
            run(
              Effect.fnUntraced(function* ({ hands }) {
                yield* setLog(log)
                yield* toTheEnd(hands)
                hands.advance(TELL_AGAIN)
                yield* toTheEnd(hands)
                const { breaks } = yield* Effect.provide(
                  Effect.flatMap(ChainVerifier, ({ verify }) =>
                    verify({ workspaceId: WORKSPACE, limit: 1_000_000 })
                  ),
                  ChainVerifier.layer
                )
                assert.isNotEmpty(breaks)
                const found = (yield* told).flatMap((message) => message.breaks)
                assert.deepStrictEqual(spelled(found), spelled(breaks), `at ${sequence}`)
              })
            ),
          { discard: true }
        ),
      { discard: true }
    )
  )

  it.effect("by cutting off its end, head and all, is shorter than it once was", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        const longer = grow(5, 3, SHORT)
        yield* setLog(longer)
        yield* toTheEnd(hands)
        yield* setLog(SHORT)
        yield* toTheEnd(hands)
        const [message] = yield* told
        assert.deepStrictEqual(message?.breaks, [
          {
            event_id: idOf(SHORT, 10),
            type: "chain_break",
            expected_hash: longer.head.eventHash ?? "",
            actual_hash: ""
          }
        ])
        // Another end in the place of the one that was cut off.
        yield* setLog(grow(8, 4, SHORT))
        hands.advance(Micros.DAY)
        yield* toTheEnd(hands)
        const again = (yield* told).at(-1)
        assert.deepStrictEqual(spelled(again?.breaks ?? []), [`chain_break ${idOf(grow(8, 4, SHORT), 15)}`])
      })
    )
  )

  it.effect(
    "that the operator has accepted to be lost is missed no more, and another may grow in its place",
    () =>
      run(
        Effect.fnUntraced(function* ({ hands }) {
          yield* setLog(grow(5, 3, SHORT))
          yield* toTheEnd(hands)
          yield* setLog(SHORT)
          yield* toTheEnd(hands)
          assert.lengthOf(yield* told, 1)
          const { modify } = yield* signedRecords
          const lost = { size: 15, root: UNKNOWN_ROOT, event_hash: null, furthest: 15, lost: true }
          yield* modify(WORKSPACE, () => lost)
          yield* toTheEnd(hands)
          // Signed for again, beyond what was lost: nothing says any more that something was.
          yield* setLog(grow(8, 4, SHORT))
          yield* modify(WORKSPACE, () => ({ ...lost, size: 18, furthest: 18, lost: false }))
          hands.advance(Micros.DAY)
          yield* toTheEnd(hands)
          assert.lengthOf(yield* told, 1)
        })
      )
  )

  it.effect("again within the hour is told of when the hour is over, all breaks in one message", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* setLog(replace(SHORT, 5, altered))
        yield* toTheEnd(hands)
        const longer = replace(grow(5, 3, SHORT), 5, altered)
        yield* setLog(replace(longer, 12, altered))
        yield* toTheEnd(hands)
        yield* setLog(replace(replace(grow(8, 4, longer), 12, altered), 17, altered))
        yield* toTheEnd(hands)
        assert.lengthOf(yield* told, 1)
        hands.advance(TELL_AGAIN)
        yield* toTheEnd(hands)
        assert.deepStrictEqual(yield* toldIds, [
          [idOf(SHORT, 5)],
          [idOf(longer, 12), idOf(grow(8, 4, longer), 17)]
        ])
      })
    )
  )

  it.effect("in more places than a message lists is told of by the first of them", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* setLog({ ...LONG, events: LONG.events.map(altered) })
        yield* toTheEnd(hands)
        const [message, ...others] = yield* told
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(
          message?.breaks.map(({ event_id }) => event_id),
          LONG.events.slice(0, MAX_TOLD_BREAKS).map(({ id }) => id)
        )
        assert.deepInclude(message, { complete: false, total: LONG.events.length })
        hands.advance(TELL_AGAIN)
        yield* toTheEnd(hands)
        const rest = (yield* told)[1]
        assert.deepInclude(rest, { complete: true, total: LONG.events.length })
        // Each break was counted once, listed or not.
        assert.isAbove(message?.breaks_found ?? 0, MAX_TOLD_BREAKS)
        assert.strictEqual((message?.breaks_found ?? 0) + (rest?.breaks_found ?? 0), LONG.events.length)
      })
    )
  )

  it.effect("and mended is told of again when it is tampered with once more", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        const pass = (log: Log) =>
          Effect.gen(function* () {
            yield* setLog(log)
            yield* toTheEnd(hands)
            hands.advance(Micros.DAY)
          })
        const broken = replace(SHORT, 5, altered)
        for (const log of [broken, broken, SHORT, broken]) yield* pass(log)
        assert.lengthOf(yield* told, 2)
      })
    )
  )
})

describe("two processes that verify one log", () => {
  it.effect("tell of a break once", () =>
    run(
      Effect.fnUntraced(function* () {
        yield* setLog(replace(SHORT, 5, altered))
        const process = Effect.provide(
          Effect.forEach([1, 2, 3], () => advance),
          verification()
        )
        yield* Effect.all([process, process], { concurrency: "unbounded" })
        assert.lengthOf(yield* told, 1)
      })
    )
  )

  it.effect("leave it to the one that holds it, until that has been silent for 15 seconds", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* setLog(LONG)
        const count = Effect.map(Effect.provide(advance, verification()), (consumed) => consumed.count)
        assert.isAbove(yield* count, 0)
        hands.advance(15 * Micros.SECOND - 1)
        assert.strictEqual(yield* count, 0)
        hands.advance(1)
        assert.isAbove(yield* count, 0)
      })
    )
  )
})

describe("a process that dies before a step is stored", () => {
  it.effect("has told nobody, and the next one does", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* setLog(replace(SHORT, 5, altered))
        const dying = Layer.effect(
          Consumers,
          Effect.map(Consumers, (consumers) =>
            Consumers.of({
              ...consumers,
              commit: () => Effect.fail(new StorageUnavailable({ operation: "commit", cause: "gone" }))
            })
          )
        )
        yield* Effect.flip(Effect.provide(advance, verification().pipe(Layer.provide(dying))))
        assert.deepStrictEqual(yield* deliveries, [])
        hands.advance(Micros.MINUTE)
        yield* toTheEnd(hands)
        assert.lengthOf(yield* told, 1)
      })
    )
  )
})

describe("the verification of a log", () => {
  it.effect("stands still while it is paused", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* toTheEnd(hands)
        const consumers = yield* Consumers
        yield* consumers.pause(KEY, NOON)
        yield* setLog(replace(SHORT, 5, altered))
        yield* toTheEnd(hands)
        assert.deepStrictEqual(yield* deliveries, [])
        yield* consumers.resume(KEY, NOON)
        yield* toTheEnd(hands)
        assert.lengthOf(yield* told, 1)
      })
    )
  )

  it.effect("forgets what it has told when it is told to begin again", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* setLog(replace(SHORT, 5, altered))
        yield* toTheEnd(hands)
        const consumers = yield* Consumers
        assert.isTrue(Option.isSome(yield* consumers.replay(KEY, 0, NOON)))
        yield* toTheEnd(hands)
        assert.lengthOf(yield* told, 2)
      })
    )
  )
})

describe("how far it is and what it found", () => {
  const timeOf = ({ clock }: ManualClock) => Micros.format(Number(clock.currentTimeNanosUnsafe() / 1_000n))

  it.effect("says nothing was verified before the first step", () =>
    run(
      Effect.fnUntraced(function* () {
        yield* setLog(SHORT)
        assert.deepStrictEqual(yield* status, {
          valid: true,
          complete: false,
          sequence: 0,
          events_checked: 0,
          total: 10,
          began_at: null,
          reached_end_at: null,
          paused: false,
          findings: [],
          findings_total: 0
        })
      })
    )
  )

  it.effect("follows a pass to the end, and says when that was, which stays until events come", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* setLog(LONG)
        const began_at = timeOf(hands)
        yield* Effect.provide(advance, verification())
        const { length } = LONG.events
        assert.deepInclude(yield* status, {
          complete: false,
          // The first step has no event before it to begin with.
          sequence: VERIFICATION_STEP + 1,
          events_checked: VERIFICATION_STEP + 1,
          total: length,
          began_at,
          reached_end_at: null
        })
        hands.advance(Micros.MINUTE)
        yield* toTheEnd(hands)
        const atEnd = yield* status
        assert.deepInclude(atEnd, { valid: true, complete: true, sequence: length, events_checked: length })
        assert.isNotNull(atEnd.reached_end_at)
        yield* toTheEnd(hands)
        assert.deepStrictEqual(yield* status, atEnd)
        yield* setLog(grow(5, 3, LONG))
        assert.deepInclude(yield* status, { complete: false, sequence: length, total: length + 5 })
        yield* toTheEnd(hands)
        const grown = yield* status
        assert.isTrue(grown.complete)
        assert.isAbove(Date.parse(grown.reached_end_at ?? ""), Date.parse(atEnd.reached_end_at ?? ""))
      })
    )
  )

  it.effect(
    "lists what stands with the time at which it was found first, until a whole pass is without",
    () =>
      run(
        Effect.fnUntraced(function* ({ hands }) {
          yield* setLog(replace(SHORT, 5, altered))
          const found_at = timeOf(hands)
          yield* toTheEnd(hands)
          const finding = { event_id: idOf(SHORT, 5), type: "hash_mismatch", found_at }
          const first = yield* status
          assert.deepInclude(first, { valid: false, findings_total: 1 })
          assert.deepStrictEqual<unknown>(first.findings, [finding])
          hands.advance(Micros.DAY)
          yield* toTheEnd(hands)
          assert.deepStrictEqual<unknown>((yield* status).findings, [finding])
          yield* setLog(SHORT)
          assert.isFalse((yield* status).valid)
          hands.advance(Micros.DAY)
          yield* toTheEnd(hands)
          assert.deepInclude(yield* status, { valid: true, findings: [], findings_total: 0 })
        })
      )
  )

  it.effect("reads what an earlier version stored, which did not say when", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* setLog(replace(SHORT, 5, altered))
        yield* toTheEnd(hands)
        const consumers = yield* Consumers
        const opened = yield* consumers.open(KEY, 0, NOON)
        const rows = yield* consumers.rowsAfter(KEY, "", 10)
        const { reached_end_at: _, ...earlier } = JSON.parse(
          rows.find(({ key }) => key === "state")?.value ?? ""
        ) as Record<string, unknown>
        yield* consumers.commit(opened, {
          sequence: opened.sequence,
          rows: rows.map((row) => ({
            ...row,
            value: row.key === "state" ? JSON.stringify(earlier) : (row.value.split(" ")[0] ?? "")
          })),
          raised: [],
          deliveries: [],
          expiredBy: null,
          at: NOON
        })
        const before = yield* status
        assert.isNull(before.reached_end_at)
        assert.deepInclude(before.findings[0], { event_id: idOf(SHORT, 5), found_at: null })
        hands.advance(Micros.DAY)
        yield* toTheEnd(hands)
        const after = yield* status
        assert.isNotNull(after.reached_end_at)
        assert.deepInclude(after.findings[0], { event_id: idOf(SHORT, 5), found_at: null })
        assert.lengthOf(yield* told, 1)
      })
    )
  )

  it.effect("counts more findings than it lists", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        const broken = grow(120, 5)
        yield* setLog({ ...broken, events: broken.events.map(altered) })
        yield* toTheEnd(hands)
        const { findings, findings_total } = yield* status
        assert.lengthOf(findings, 100)
        assert.strictEqual(findings_total, 120)
      })
    )
  )

  it.effect("says that it is paused", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* toTheEnd(hands)
        yield* (yield* Consumers).pause(KEY, NOON)
        assert.isTrue((yield* status).paused)
      })
    )
  )
})
