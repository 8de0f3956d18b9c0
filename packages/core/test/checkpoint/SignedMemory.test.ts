import {
  acceptSignedLoss,
  CheckpointSigner,
  Checkpoints,
  findSignedLoss,
  type IssuedCheckpoint,
  LogCheckpoints,
  LogNotAsSigned,
  LogTree,
  SIGNED_CONSUMER
} from "@cairn/core/checkpoint"
import { Consumers } from "@cairn/core/consumer"
import { Sha256 } from "@cairn/core/hashing"
import { Continuity, EventLog, Workspaces } from "@cairn/core/log"
import { logIdOf } from "@cairn/core/note"
import { MemoryStorage } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { keepLostSigned } from "../../src/checkpoint/SignedLoss.ts"
import { signerOf } from "../support/NodeEd25519.ts"

const generated = generatedTests(import.meta.url)

const WORKSPACE = "wsp_1"
const sha256 = Effect.runSync(Effect.provide(Sha256, Sha256.layer))

/** A database whose log can be put back: each event is the name of the branch that it was appended on. */
class Database {
  events: ReadonlyArray<number> = []
  newest: IssuedCheckpoint | undefined
  readonly copies: Array<Pick<Database, "events" | "newest">> = []
  #branch = 0

  append(count: number): void {
    this.events = [...this.events, ...Array.from({ length: count }, () => this.#branch)]
  }
  back(): void {
    this.copies.push({ events: this.events, newest: this.newest })
  }
  restore(copy: Pick<Database, "events" | "newest">): void {
    this.#branch++
    this.events = copy.events
    this.newest = copy.newest
  }
  root(size: number) {
    return sha256.bytes(`root ${this.events.slice(0, size).join()}`)
  }
}

const portsOf = (database: Database) =>
  Layer.mergeAll(
    Layer.mock(EventLog)({
      head: () =>
        Effect.sync(() => ({
          sequence: database.events.length,
          eventHash: `hash of ${database.events.join()}`,
          eventId: null,
          createdAt: 0,
          legacy: null
        }))
    }),
    Layer.mock(Workspaces)({ logId: (id) => Effect.succeed(logIdOf(id)) }),
    Layer.mock(LogTree)({ root: (_, size) => Effect.sync(() => database.root(size)) }),
    Layer.mock(Checkpoints)({
      newest: () => Effect.sync(() => Option.fromUndefinedOr(database.newest)),
      issue: (_, checkpoint) =>
        Effect.sync(() => {
          if ((database.newest?.size ?? 0) <= checkpoint.size) database.newest = checkpoint
        })
    }),
    Layer.mock(CheckpointSigner)({
      current: Effect.succeed([{ number: 1, name: "cairn/test", signer: signerOf(1) }])
    }),
    Sha256.layer
  )

/**
 * Processes over one database, and what consumers remember: a file that nobody puts back, unless it is left
 * out.
 */
const world = Effect.gen(function* () {
  const database = new Database()
  const consumers = Context.get(yield* Layer.build(MemoryStorage.layer()), Consumers)
  const ports = Layer.merge(portsOf(database), Layer.succeed(Consumers, consumers))
  const start = (layer: Layer.Layer<Layer.Success<ReturnType<typeof portsOf>>> = ports) =>
    Effect.map(Layer.build(LogCheckpoints.layer.pipe(Layer.provide(layer))), (context) =>
      Context.get(context, LogCheckpoints).current(WORKSPACE)
    )
  const alone = Effect.suspend(() => start(portsOf(database)))
  return { database, consumers, ports, process: Effect.suspend(() => start()), alone }
}).pipe(Effect.provide(Sha256.layer))

describe("what a service has signed", () => {
  it.effect("is remembered by a process whose whole database is put back and goes on otherwise", () =>
    Effect.gen(function* () {
      const { database, alone } = yield* world
      const process = yield* alone
      database.append(100)
      database.back()
      database.append(5)
      assert.strictEqual((yield* process).size, 105)
      for (const copy of database.copies) database.restore(copy)
      assert.instanceOf(yield* Effect.flip(process), LogNotAsSigned)
      database.append(5)
      const error = yield* Effect.flip(process)
      assert.instanceOf(error, LogNotAsSigned)
      assert.match(error.message, /not those that were signed for/)
      database.append(20)
      assert.instanceOf(yield* Effect.flip(process), LogNotAsSigned)
    }).pipe(Effect.scoped)
  )

  it.effect("is known to a new process although the log alone was put back", () =>
    Effect.gen(function* () {
      const { database, process } = yield* world
      database.append(100)
      database.back()
      database.append(5)
      yield* yield* process
      for (const copy of database.copies) database.restore(copy)
      database.append(5)
      assert.instanceOf(yield* Effect.flip(yield* process), LogNotAsSigned)
    }).pipe(Effect.scoped)
  )

  it.effect("holds up others too once a process that knows of it has refused", () =>
    Effect.gen(function* () {
      const { database, consumers, process } = yield* world
      const [one, other] = [yield* process, yield* process]
      database.append(100)
      database.back()
      yield* other
      database.append(5)
      yield* one
      for (const copy of database.copies) database.restore(copy)
      // All of the database was put back.
      yield* consumers.remove({ workspaceId: WORKSPACE, consumer: SIGNED_CONSUMER })
      database.append(10)
      assert.strictEqual((yield* other).size, 110)
      assert.instanceOf(yield* Effect.flip(one), LogNotAsSigned)
      database.append(1)
      assert.instanceOf(yield* Effect.flip(other), LogNotAsSigned)
      assert.instanceOf(yield* Effect.flip(yield* process), LogNotAsSigned)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "binds nobody beyond it once the operator has accepted the loss, and up to it nothing is signed",
    () =>
      Effect.gen(function* () {
        const { database, ports, process } = yield* world
        const running = yield* process
        database.append(100)
        database.back()
        database.append(5)
        yield* running
        assert.isTrue(Option.isNone(yield* Effect.provide(findSignedLoss(WORKSPACE), ports)))
        for (const copy of database.copies) database.restore(copy)
        database.append(2)
        const lost = yield* Effect.provide(acceptSignedLoss(WORKSPACE), ports)
        assert.strictEqual(Option.getOrThrow(lost).size, 105)
        for (const each of [running, yield* process])
          assert.instanceOf(yield* Effect.flip(each), LogNotAsSigned)
        database.append(3)
        for (const each of [running, yield* process]) {
          const error = yield* Effect.flip(each)
          assert.instanceOf(error, LogNotAsSigned)
          assert.match(error.message, /105 events, and may have been signed for 105 .* once it has more/)
        }
        database.append(1)
        for (const each of [running, yield* process]) assert.strictEqual((yield* each).size, 106)
        assert.isTrue(Option.isNone(yield* Effect.provide(findSignedLoss(WORKSPACE), ports)))
      }).pipe(Effect.scoped)
  )

  for (const looks of [1, 2]) {
    it.effect(
      `binds nobody up to what is accepted to be lost, from that moment on (after look ${looks})`,
      () =>
        Effect.gen(function* () {
          const { database, consumers, ports, process } = yield* world
          let lostUpTo = 0
          let left = Number.POSITIVE_INFINITY
          const continuity = Layer.mock(Continuity)({
            check: Effect.void,
            lostUpTo: () =>
              Effect.sync(() => {
                const now = lostUpTo
                if (--left === 0) lostUpTo = 105
                return now
              })
          })
          const beside = Layer.merge(ports, continuity)
          const start = Effect.map(Layer.build(LogCheckpoints.layer.pipe(Layer.provide(beside))), (context) =>
            Context.get(context, LogCheckpoints).current(WORKSPACE)
          )
          const [signer, other] = [yield* start, yield* start]
          database.append(100)
          database.back()
          database.append(5)
          assert.strictEqual((yield* signer).size, 105)
          // All of the database is put back, and only the signer knows.
          for (const copy of database.copies) database.restore(copy)
          yield* consumers.remove({ workspaceId: WORKSPACE, consumer: SIGNED_CONSUMER })
          database.append(5)
          // The other one signs, and is held up after one of its looks, while the operator accepts.
          left = looks
          const refused = { _tag: "LogNotAsSigned" as const, signedSize: 105, accepted: true }
          assert.deepInclude(yield* Effect.flip(other), refused)
          for (const each of [signer, other, yield* start]) {
            assert.deepInclude(yield* Effect.flip(each), refused)
          }
          assert.isTrue(Option.isNone(yield* Effect.provide(findSignedLoss(WORKSPACE), beside)))
          // Where the store's word is not carried, as in a copy of the database, what consumers remember says
          // it.
          yield* Effect.provide(keepLostSigned(WORKSPACE), beside)
          assert.deepInclude(yield* Effect.flip(yield* process), refused)
          database.append(1)
          for (const each of [signer, other, yield* start, yield* process]) {
            assert.strictEqual((yield* each).size, 106)
          }
        }).pipe(Effect.scoped)
    )
  }

  it.effect("is not undone by a process that has not looked since the operator accepted the loss of it", () =>
    Effect.gen(function* () {
      const { database, ports, process } = yield* world
      const [stale, signer] = [yield* process, yield* process]
      database.append(12)
      database.back()
      database.append(6)
      assert.strictEqual((yield* stale).size, 18)
      for (const copy of database.copies) database.restore(copy)
      database.append(1)
      assert.instanceOf(yield* Effect.flip(signer), LogNotAsSigned)
      yield* Effect.provide(acceptSignedLoss(WORKSPACE), ports)
      database.append(7)
      assert.strictEqual((yield* signer).size, 20)
      for (const each of [stale, signer, yield* process]) assert.strictEqual((yield* each).size, 20)
      assert.isTrue(Option.isNone(yield* Effect.provide(findSignedLoss(WORKSPACE), ports)))
    }).pipe(Effect.scoped)
  )

  it.effect("is not forgotten for what another process signed before it", () =>
    Effect.gen(function* () {
      const { database, process } = yield* world
      const [early, late] = [yield* process, yield* process]
      database.append(12)
      database.back()
      database.append(3)
      yield* early
      database.back()
      database.append(5)
      assert.strictEqual((yield* late).size, 20)
      const [first, second] = database.copies
      if (first !== undefined) database.restore(first)
      // It knows of 15 events, and others were signed for 20.
      assert.strictEqual((yield* Effect.flip(early)).message.match(/\d+ events, but had (\d+)/)?.[1], "20")
      if (second !== undefined) database.restore(second)
      database.append(5)
      for (const each of [early, late, yield* process])
        assert.instanceOf(yield* Effect.flip(each), LogNotAsSigned)
    }).pipe(Effect.scoped)
  )

  it.effect("holds up every process where no log has both states, until the operator accepts that", () =>
    Effect.gen(function* () {
      const { database, consumers, ports, process } = yield* world
      const [one, other] = [yield* process, yield* process]
      database.append(100)
      database.back()
      yield* other
      database.append(5)
      yield* one
      database.back()
      const [before, after] = database.copies
      if (before !== undefined) database.restore(before)
      yield* consumers.remove({ workspaceId: WORKSPACE, consumer: SIGNED_CONSUMER })
      database.append(10)
      assert.strictEqual((yield* other).size, 110)
      assert.instanceOf(yield* Effect.flip(one), LogNotAsSigned)
      // Neither the one nor the other may go on by itself.
      database.append(1)
      for (const each of [one, other, yield* process])
        assert.instanceOf(yield* Effect.flip(each), LogNotAsSigned)
      if (after !== undefined) database.restore(after)
      database.append(5)
      for (const each of [one, other, yield* process])
        assert.instanceOf(yield* Effect.flip(each), LogNotAsSigned)
      const lost = yield* Effect.provide(acceptSignedLoss(WORKSPACE), ports)
      assert.strictEqual(Option.getOrThrow(lost).size, 110)
      database.append(1)
      for (const each of [one, other, yield* process]) assert.strictEqual((yield* each).size, 111)
    }).pipe(Effect.scoped)
  )

  it.effect("never has two roots for one size, whatever is put back and whoever starts", () =>
    generated.effects({ count: 7 }, (random) =>
      Effect.gen(function* () {
        const { database, ports, process } = yield* world
        const processes = [yield* process, yield* process]
        const roots = new Map<number, string>()
        let refused = 0
        let accepted = 0
        for (let step = 0; step < 400; step++) {
          const what = random.below(16)
          if (what < 5) database.append(1 + random.below(3))
          else if (what === 5) database.back()
          else if (what === 6) {
            const copy = database.copies[random.below(Math.max(1, database.copies.length))]
            if (copy !== undefined) database.restore(copy)
          } else if (what === 7) processes[random.below(2)] = yield* process
          else if (what === 8) {
            if (Option.isSome(yield* Effect.provide(acceptSignedLoss(WORKSPACE), ports))) accepted++
          } else {
            const signed = yield* Effect.option(processes[random.below(2)] ?? (yield* process))
            if (Option.isNone(signed)) refused++
            else {
              const { size, root } = signed.value
              if (size > 0) assert.strictEqual(roots.get(size) ?? root, root, `size ${size} at step ${step}`)
              roots.set(size, root)
            }
          }
        }
        assert.isAbove(roots.size, 5)
        assert.isAbove(refused, 0)
        assert.isAbove(accepted, 0)
      }).pipe(Effect.scoped)
    )
  )

  it.effect("is one checkpoint, though two processes sign at once", () =>
    Effect.gen(function* () {
      const { database, process } = yield* world
      const processes = [yield* process, yield* process, yield* process]
      const signed = yield* Effect.forEach(
        processes.flatMap((each) => [each, each]),
        (each, index) =>
          Effect.andThen(
            Effect.sync(() => database.append(index % 2)),
            each
          ),
        { concurrency: "unbounded" }
      )
      for (const { size, root } of signed) {
        assert.strictEqual(root, Buffer.from(database.root(size)).toString("hex"))
      }
    }).pipe(Effect.scoped)
  )
})
