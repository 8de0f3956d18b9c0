import { CheckpointSigner, Checkpoints, LogCheckpoints, LogTree } from "@cairn/core/checkpoint"
import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Randomness, Sha256, toHex } from "@cairn/core/hashing"
import { ClockGuard, StorageUnavailable } from "@cairn/core/log"
import { openCheckpoint, parseVerifierKey, type SignedCheckpointView } from "@cairn/core/note"
import { Announcer, Outbox, ScheduledCheckpoints, Webhooks } from "@cairn/core/outbound"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { layerManualClock, type ManualClock, MemoryStorage, manualClock, testWorkspace } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Result } from "effect"
import { formatVerifierKey, makeVerifierKey } from "../../src/note/VerifierKey.ts"
import { CHECKPOINT_CONSUMER } from "../../src/outbound/ScheduledCheckpoints.ts"
import { ed25519, signerOf } from "../support/NodeEd25519.ts"

const generated = generatedTests(import.meta.url)

const NOON = 1_714_564_800_000_000
const HOUR = 60 * Micros.MINUTE
const WORKSPACE = "wsp_1"
const sha256 = Effect.runSync(Effect.provide(Sha256, Sha256.layer))
const rootOf = (size: number) => sha256.bytes(`root ${size}`)

/** The stores, which outlive a process, and a clock that the test moves. */
const stores = (hands: ManualClock) =>
  Layer.mergeAll(
    MemoryStorage.layer(),
    Sha256.layer,
    Randomness.layer,
    layerManualClock(hands),
    Layer.mock(LogTree)({ root: (_, size) => Effect.succeed(rootOf(size)) }),
    Layer.mock(CheckpointSigner)({
      current: Effect.succeed([{ number: 1, name: "cairn/test", signer: signerOf(1) }])
    })
  )
type Stores = Layer.Success<ReturnType<typeof stores>>

/** A process that has just begun. */
const process = (clock: Layer.Layer<ClockGuard> = ClockGuard.layer) =>
  Layer.fresh(
    ScheduledCheckpoints.layer({ every: HOUR }).pipe(
      Layer.provide([LogCheckpoints.layer, Announcer.layer({ mail: false }), clock])
    )
  )
const oneRound = Effect.flatMap(ScheduledCheckpoints, ({ round }) => round)
/** One round of a process that has just begun; returns how many it signed. */
const round = Effect.suspend(() => Effect.provide(oneRound, process()))

const setSize = (size: number, workspaceId = WORKSPACE) =>
  Effect.map(MemoryStorage.MemoryTables, (tables) => {
    const log = tables.log(workspaceId)
    log.head = { ...log.head, sequence: size, eventHash: `hash ${size}` }
  })

const addWorkspace = (id: string) =>
  Effect.flatMap(ManagedWorkspaces, ({ create }) => create(testWorkspace({ id, created_at: NOON })))

/** Runs a test with one workspace and a webhook of it. */
const run = <A, E>(
  body: (world: {
    readonly hands: ManualClock
    readonly logged: Array<string>
  }) => Effect.Effect<A, E, Stores>
) => {
  const hands = manualClock(NOON)
  const logged: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => {
    logged.push(String(message))
  })
  return Effect.gen(function* () {
    yield* addWorkspace(WORKSPACE)
    yield* Effect.flatMap(Webhooks, ({ create }) =>
      create({
        id: "whk_1",
        workspace_id: WORKSPACE,
        url: "https://example.com",
        description: null,
        types: ["checkpoint.signed"],
        enabled: true,
        disabled_reason: null,
        failing_since: null,
        secrets: [],
        created_at: NOON,
        updated_at: NOON
      })
    )
    return yield* body({ hands, logged })
  }).pipe(Effect.provide(stores(hands)), Effect.provide(Logger.layer([logger])))
}

/** What the webhook received, first to last. */
const told = Effect.map(
  Effect.flatMap(Outbox, ({ page }) => page(WORKSPACE, { filter: {}, before: null, limit: 1_000 })),
  (found) =>
    found.toReversed().map(({ type, payload }) => {
      assert.strictEqual(type, "checkpoint.signed")
      return (JSON.parse(payload) as { readonly data: SignedCheckpointView }).data
    })
)
const toldSizes = Effect.map(told, (all) => all.map(({ size }) => size))
const published = Effect.flatMap(Checkpoints, ({ publishedAfter }) => publishedAfter(WORKSPACE, 0, 1_000))
const publishedSizes = Effect.map(published, (all) => all.map(({ size }) => size))

describe("a log that grows", () => {
  it.effect("is signed for once an hour, whoever asks how often, and each time it is told", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        for (let hour = 1; hour <= 3; hour++) {
          hands.advance(HOUR)
          let signed = 0
          for (let look = 0; look < 5; look++) {
            yield* setSize(hour * 10 + look)
            signed += yield* round
          }
          assert.strictEqual(signed, 1, `hour ${hour}`)
        }
        assert.deepStrictEqual(yield* toldSizes, [10, 20, 30])
        assert.deepStrictEqual(yield* publishedSizes, [10, 20, 30])
      })
    )
  )

  it.effect("is told of with a note that the service's key signed", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* setSize(7)
        hands.advance(HOUR)
        yield* round
        const [one] = yield* told
        assert.deepInclude(one, { origin: "cairn/wsp_1", size: 7, root: toHex(rootOf(7)) })
        const line = formatVerifierKey(
          Result.getOrThrow(makeVerifierKey(sha256, "cairn/test", signerOf(1).publicKey))
        )
        const key = Result.getOrThrow(parseVerifierKey(sha256, line))
        const { checkpoint } = Result.getOrThrow(openCheckpoint(ed25519, one?.note ?? "", [key]))
        assert.deepInclude(checkpoint, { origin: "cairn/wsp_1", size: 7 })
        assert.strictEqual(toHex(checkpoint.root), one?.root)
        assert.strictEqual(Micros.parse(one?.signed_at ?? ""), (yield* published)[0]?.signedAt)
      })
    )
  )

  it.effect("is not signed for again as long as it does not grow", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* setSize(7)
        for (let hour = 0; hour < 48; hour++) {
          hands.advance(HOUR)
          yield* round
        }
        yield* setSize(8)
        hands.advance(HOUR)
        yield* round
        assert.deepStrictEqual(yield* toldSizes, [7, 8])
      })
    )
  )

  it.effect("without an event has nothing to sign", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        hands.advance(5 * HOUR)
        assert.strictEqual(yield* round, 0)
        assert.deepStrictEqual(yield* published, [])
      })
    )
  )
})

describe("several processes", () => {
  it.effect("sign once between them, at whatever moment of the hour they look", () =>
    generated.effects({ seed: 12 }, (random) =>
      run(
        Effect.fnUntraced(function* ({ hands }) {
          const processes = yield* Effect.forEach([1, 2, 3], () =>
            Effect.map(Layer.build(process()), (context) => Effect.provide(oneRound, context))
          )
          for (let step = 1; step <= 200; step++) {
            yield* setSize(step)
            hands.advance(random.below(30) * Micros.MINUTE)
            const some = processes.filter(() => random.chance(0.7))
            yield* Effect.all(some, { concurrency: "unbounded" })
          }
          const all = yield* published
          const hours = all.map(({ signedAt }) => Math.floor((signedAt - NOON) / HOUR))
          assert.isAbove(all.length, 30)
          // The turn of this log is not the clock's hour: two of its turns may begin in one, but never three.
          for (const hour of hours) assert.isAtMost(hours.filter((other) => other === hour).length, 2)
          const gaps = all.slice(2).map(({ signedAt }, at) => signedAt - (all[at]?.signedAt ?? 0))
          assert.isTrue(
            gaps.every((gap) => gap > HOUR),
            "three within two turns"
          )
          assert.deepStrictEqual(
            yield* toldSizes,
            all.map(({ size }) => size)
          )
        }, Effect.scoped)
      )
    )
  )

  it.effect("leave a log to the one that has it, until that has been silent for 15 seconds", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* setSize(5)
        hands.advance(HOUR)
        const { open, hold } = yield* Consumers
        const key = { workspaceId: WORKSPACE, consumer: CHECKPOINT_CONSUMER }
        yield* open(key, 0, NOON)
        const at = yield* Micros.now
        yield* hold(key, { holder: "a process that was killed", at, until: at + 15 * Micros.SECOND })
        assert.strictEqual(yield* round, 0)
        hands.advance(16 * Micros.SECOND)
        assert.strictEqual(yield* round, 1)
      })
    )
  )
})

describe("what comes in between", () => {
  it.effect(
    "a crash after it was signed leaves it to be told, and a crash before leaves it to be signed",
    () =>
      run(
        Effect.fnUntraced(function* ({ hands }) {
          yield* setSize(5)
          hands.advance(HOUR)
          const real = yield* Consumers
          const gone = new StorageUnavailable({
            operation: "commit",
            cause: new Error("the database is away")
          })
          const away = Layer.succeed(Consumers, {
            ...real,
            commit: (position, request) =>
              position.consumer === CHECKPOINT_CONSUMER ? Effect.fail(gone) : real.commit(position, request)
          })
          const crashing = ScheduledCheckpoints.layer({ every: HOUR }).pipe(
            Layer.provide([LogCheckpoints.layer, Announcer.layer({ mail: false }), ClockGuard.layer]),
            Layer.provide(away)
          )
          const failed = yield* Effect.exit(Effect.provide(oneRound, crashing))
          assert.strictEqual(failed._tag, "Failure")
          assert.deepStrictEqual([yield* publishedSizes, yield* toldSizes], [[5], []])
          yield* setSize(6)
          assert.strictEqual(yield* round, 1)
          assert.deepStrictEqual(
            [yield* publishedSizes, yield* toldSizes],
            [
              [5, 6],
              [5, 6]
            ]
          )
          assert.strictEqual(yield* round, 0)
        })
      )
  )

  it.effect(
    "a clock that steps back signs no turn twice, and one that was wrong by a year keeps none back",
    () =>
      run(
        Effect.fnUntraced(function* ({ hands }) {
          yield* setSize(5)
          hands.advance(HOUR)
          yield* round
          hands.leap(-HOUR / 2)
          yield* setSize(6)
          assert.strictEqual(yield* round, 0)
          hands.advance(HOUR / 2)
          assert.strictEqual(yield* round, 0)
          hands.advance(HOUR)
          assert.strictEqual(yield* round, 1)
          // A process that starts by a clock that is wrong has nothing to tell it by.
          hands.leap(365 * Micros.DAY)
          yield* setSize(7)
          yield* round
          hands.leap(-365 * Micros.DAY)
          yield* setSize(8)
          assert.strictEqual(yield* round, 1)
          assert.deepStrictEqual(yield* toldSizes, [5, 6, 7, 8])
          const times = (yield* published).map(({ signedAt }) => signedAt)
          assert.deepStrictEqual(
            times,
            times.toSorted((a, b) => a - b),
            "in the order of their sizes"
          )
        })
      )
  )

  it.effect("a clock that leaps ahead under a running process signs nothing until it is right", () =>
    run(
      Effect.fnUntraced(function* ({ hands, logged }) {
        const context = yield* Layer.build(process())
        yield* setSize(5)
        hands.leap(10 * HOUR)
        assert.strictEqual(yield* Effect.provide(oneRound, context), 0)
        assert.isTrue(logged.some((line) => line.includes("the clock is 36000 s ahead")))
        hands.leap(-10 * HOUR)
        hands.advance(HOUR)
        assert.strictEqual(yield* Effect.provide(oneRound, context), 1)
      }, Effect.scoped)
    )
  )

  it.effect("a log that is shorter than what was signed is told of, and holds up no other", () =>
    run(
      Effect.fnUntraced(function* ({ hands, logged }) {
        yield* addWorkspace("wsp_2")
        yield* setSize(9)
        hands.advance(HOUR)
        yield* round
        // Someone has put back the log, and with it how far it is signed for.
        yield* Effect.flatMap(Consumers, ({ remove }) =>
          remove({ workspaceId: WORKSPACE, consumer: CHECKPOINT_CONSUMER })
        )
        yield* setSize(4)
        yield* setSize(3, "wsp_2")
        hands.advance(HOUR)
        assert.strictEqual(yield* round, 1)
        assert.deepStrictEqual(yield* publishedSizes, [9])
        assert.isTrue(logged.some((line) => line.includes("No checkpoint was signed")))
        const { publishedAfter } = yield* Checkpoints
        assert.lengthOf(yield* publishedAfter("wsp_2", 0, 10), 1)
      })
    )
  )

  it.effect("an operator who pauses it is obeyed", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        yield* setSize(5)
        hands.advance(HOUR)
        yield* round
        const { pause, resume } = yield* Consumers
        const key = { workspaceId: WORKSPACE, consumer: CHECKPOINT_CONSUMER }
        yield* pause(key, yield* Micros.now)
        yield* setSize(6)
        hands.advance(2 * HOUR)
        assert.strictEqual(yield* round, 0)
        yield* resume(key, yield* Micros.now)
        hands.advance(HOUR)
        assert.strictEqual(yield* round, 1)
      })
    )
  )
})

describe("many logs", () => {
  it.effect("have their turns spread over the hour, and each is looked at once in it", () =>
    run(
      Effect.fnUntraced(function* ({ hands }) {
        const ids = Array.from({ length: 600 }, (_, index) => `wsp_many_${index}`)
        yield* Effect.forEach(ids, addWorkspace, { discard: true })
        yield* Effect.forEach(ids, (id, index) => (index % 2 === 0 ? setSize(1, id) : Effect.void), {
          discard: true
        })
        const context = yield* Layer.build(process())
        const counts: Array<number> = []
        for (let minute = 0; minute < 60; minute++) {
          hands.advance(Micros.MINUTE)
          counts.push(yield* Effect.provide(oneRound, context))
        }
        assert.strictEqual(
          counts.reduce((sum, count) => sum + count, 0),
          300
        )
        assert.isBelow(Math.max(...counts), 30, "a tenth of them in one minute")
        assert.isTrue(Option.isSome(yield* Effect.option(Effect.provide(oneRound, context))))
      }, Effect.scoped)
    )
  )
})
