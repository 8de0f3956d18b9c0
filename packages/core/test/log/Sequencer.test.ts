import { Micros } from "@cairn/core/encoding"
import { contentParts, decodeEvent, type EventInput, GeoIp, parseContent } from "@cairn/core/event"
import { Randomness, Sha256, uuid } from "@cairn/core/hashing"
import { EventLog, Inbox, MOST_WORKSPACES, Sequencer, StorageUnavailable } from "@cairn/core/log"
import {
  layerManualClock,
  layerSeededRandomness,
  MemoryStorage,
  manualClock,
  ordinaryEvents
} from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Result } from "effect"
import { SeenEnds } from "../../src/log/SeenEnds.ts"
import { MAX_APPEND } from "../../src/log/Sequencer.ts"

const NOON = 1_714_564_800_000_000

/** What happened to the log, in order, and what a test wants to happen during an append. */
class Watch extends Context.Service<
  Watch,
  {
    readonly appends: Array<string>
    readonly scans: { count: number }
    readonly commits: { count: number }
    before: (commit: number) => Effect.Effect<void, StorageUnavailable, Inbox | Randomness>
    locked: ReadonlySet<string>
  }
>()("Watch") {
  static readonly layer = Layer.sync(Watch, () => ({
    appends: [],
    scans: { count: 0 },
    commits: { count: 0 },
    before: () => Effect.void,
    locked: new Set<string>()
  }))
}

/** The log in memory, watched. */
const watched = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const log = yield* EventLog
    const watch = yield* Watch
    const context = yield* Effect.context<Inbox | Randomness>()
    return EventLog.of({
      ...log,
      waiting: Effect.suspend(() => {
        watch.scans.count++
        if (watch.scans.count > 100) return Effect.die(new Error("asks for ever"))
        return log.waiting
      }),
      append: (requests, maxEvents) =>
        Effect.gen(function* () {
          const [first] = requests
          // Whoever else holds the head's lock: this process finds nothing to do.
          if (first !== undefined && watch.locked.has(first.workspaceId)) return [{ count: 0, more: false }]
          watch.commits.count++
          yield* Effect.provideContext(watch.before(watch.commits.count), context)
          const free = requests.findIndex(({ workspaceId }) => watch.locked.has(workspaceId))
          const appended = yield* log.append(free < 0 ? requests : requests.slice(0, free), maxEvents)
          watch.appends.push(...requests.slice(0, appended.length).map(({ workspaceId }) => workspaceId))
          return appended
        })
    })
  })
)

const sequencing = (clock = manualClock(NOON), geo: Layer.Layer<GeoIp> = GeoIp.layerNowhere) =>
  Sequencer.layer.pipe(
    Layer.provideMerge(watched),
    Layer.provide(geo),
    Layer.provideMerge(
      Layer.mergeAll(MemoryStorage.layer(), Watch.layer, Sha256.layer, layerSeededRandomness(1))
    ),
    Layer.provideMerge(layerManualClock(clock))
  )

const plain: EventInput = { actor_id: "a", action: "b" }

const accept = Effect.fnUntraced(function* (
  workspaceId: string,
  bodies: ReadonlyArray<EventInput>,
  acceptedAt = NOON,
  clientAddress: string | null = null
) {
  const inbox = yield* Inbox
  const random = yield* Randomness
  const events = bodies.map((body) => ({
    id: uuid(random),
    idempotencyKey: null,
    clientAddress,
    content: contentParts(Result.getOrThrow(decodeEvent(body)), acceptedAt)
  }))
  yield* Effect.orDie(inbox.accept({ workspaceId, acceptedAt, keysExpireBefore: null, events }))
  return events.map(({ id }) => id)
})

const acceptMany = (workspaceId: string, count: number) =>
  Effect.forEach(Array.from({ length: count / 100 }), () =>
    accept(workspaceId, Array<EventInput>(100).fill(plain))
  )

const rows = (workspaceId: string) => Effect.flatMap(EventLog, (log) => log.entries(workspaceId, 1, 100_000))
const drain = Effect.flatMap(Sequencer, (sequencer) => sequencer.drain)

describe("advance", () => {
  it.effect("appends one helping and says whether more is waiting", () =>
    Effect.gen(function* () {
      const { advance } = yield* Sequencer
      yield* acceptMany("wsp_1", MAX_APPEND + 200)
      assert.deepStrictEqual(yield* advance("wsp_1"), { count: MAX_APPEND, more: true })
      assert.deepStrictEqual(yield* advance("wsp_1"), { count: 200, more: false })
      assert.deepStrictEqual(yield* advance("wsp_1"), { count: 0, more: false })
      assert.deepStrictEqual(
        (yield* rows("wsp_1")).map(({ sequence }) => sequence),
        Array.from({ length: MAX_APPEND + 200 }, (_, index) => index + 1)
      )
    }).pipe(Effect.provide(sequencing()))
  )

  it.effect("enriches from the address, which goes no further", () => {
    const geo = Layer.succeed(GeoIp, {
      lookup: (address) =>
        address === "192.0.2.1" ? { country: "NO", city: "Oslo" } : { country: null, city: null }
    })
    return Effect.gen(function* () {
      const { advance } = yield* Sequencer
      const inbox = yield* Inbox
      const [id = ""] = yield* accept("wsp_1", [plain], NOON, "192.0.2.1")
      yield* accept("wsp_1", [plain], NOON, "10.0.0.1")
      yield* accept("wsp_1", [plain])
      yield* advance("wsp_1")
      const stored = yield* rows("wsp_1")
      const places = stored.map(({ content }) => {
        const { ip_country, ip_city } = parseContent(content ?? "") ?? {}
        return [ip_country, ip_city]
      })
      assert.deepStrictEqual(places, [
        ["NO", "Oslo"],
        [null, null],
        [null, null]
      ])
      assert.notMatch(JSON.stringify(stored), /192\.0\.2\.1|10\.0\.0\.1/)
      assert.deepStrictEqual(yield* inbox.find("wsp_1", id), Option.none())
    }).pipe(Effect.provide(sequencing(manualClock(NOON), geo)))
  })

  it.effect("dates no event later than its own clock, and none before the last", () => {
    const clock = manualClock(NOON)
    return Effect.gen(function* () {
      const { advance } = yield* Sequencer
      yield* accept("wsp_1", [plain, plain], NOON + Micros.DAY)
      yield* accept("wsp_1", [plain], NOON - Micros.DAY)
      yield* advance("wsp_1")
      clock.advance(10 * Micros.SECOND)
      yield* accept("wsp_1", [plain, plain], NOON + 7 * Micros.SECOND)
      clock.leap(-3600 * Micros.SECOND)
      yield* accept("wsp_1", [plain], NOON + 9 * Micros.SECOND)
      yield* advance("wsp_1")
      const times = (yield* rows("wsp_1")).map(({ createdAt }) => createdAt - NOON)
      assert.deepStrictEqual(times, [0, 1, 2, 3, 4, 5])
    }).pipe(Effect.provide(sequencing(clock)))
  })
})

describe("drain", () => {
  it.effect("does nothing when nothing waits", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* drain, 0)
      assert.deepStrictEqual((yield* Watch).appends, [])
    }).pipe(Effect.provide(sequencing()))
  )

  it.effect("appends everything that waits, whosever it is, and counts it", () =>
    Effect.gen(function* () {
      const inbox = yield* Inbox
      for (const [index, body] of ordinaryEvents(30, { seed: 1 }).entries())
        yield* accept(`wsp_${index % 4}`, [body])
      assert.strictEqual(yield* drain, 30)
      assert.strictEqual(yield* inbox.depth, 0)
      const counts = yield* Effect.forEach([0, 1, 2, 3], (each) =>
        Effect.map(rows(`wsp_${each}`), ({ length }) => length)
      )
      assert.deepStrictEqual(counts, [8, 8, 7, 7])
    }).pipe(Effect.provide(sequencing()))
  )

  it.effect("gives each workspace a helping in turn", () =>
    Effect.gen(function* () {
      yield* acceptMany("busy", 3 * MAX_APPEND)
      yield* accept("calm", [plain])
      yield* acceptMany("brisk", 2 * MAX_APPEND)
      assert.strictEqual(yield* drain, 5 * MAX_APPEND + 1)
      const { appends } = yield* Watch
      assert.deepStrictEqual(appends, ["busy", "calm", "brisk", "busy", "brisk", "busy"])
    }).pipe(Effect.provide(sequencing()))
  )

  it.effect("lets many workspaces share an append, and gives each one turn a round", () =>
    Effect.gen(function* () {
      const watch = yield* Watch
      const sequencer = yield* Sequencer
      const ids = Array.from({ length: 2 * MOST_WORKSPACES + 1 }, (_, index) => `wsp_${index}`)
      for (const id of ids) yield* accept(id, [plain, plain])
      const { count, more, grown } = yield* sequencer.round
      assert.deepStrictEqual([count, more, watch.commits.count], [2 * ids.length, false, 3])
      assert.deepStrictEqual(grown, ids)
      assert.deepStrictEqual(watch.appends, ids)
    }).pipe(Effect.provide(sequencing()))
  )

  it.effect("gives one with large events a turn for each of its requests", () =>
    Effect.gen(function* () {
      const large: EventInput = { ...plain, metadata: { large: "x".repeat(60_000) } }
      for (let request = 0; request < 3; request++)
        yield* accept("a-large", Array<EventInput>(20).fill(large))
      yield* accept("b-large", Array<EventInput>(20).fill(large))
      yield* accept("calm", [plain])
      assert.strictEqual(yield* drain, 81)
      const { appends } = yield* Watch
      assert.deepStrictEqual(appends, ["a-large", "b-large", "calm", "a-large", "a-large"])
    }).pipe(Effect.provide(sequencing()))
  )

  it.effect("lets a workspace that comes later have its turn before a busy one is through", () =>
    Effect.gen(function* () {
      const watch = yield* Watch
      yield* acceptMany("busy", 4 * MAX_APPEND)
      watch.before = (commit) => (commit === 1 ? Effect.asVoid(accept("late", [plain])) : Effect.void)
      assert.strictEqual(yield* drain, 4 * MAX_APPEND + 1)
      assert.deepStrictEqual(watch.appends, ["busy", "busy", "late", "busy", "busy"])
    }).pipe(Effect.provide(sequencing()))
  )

  it.effect("goes on with what arrives while it runs", () =>
    Effect.gen(function* () {
      const watch = yield* Watch
      yield* accept("wsp_1", [plain])
      watch.before = (commit) =>
        commit === 1
          ? Effect.asVoid(Effect.all([accept("wsp_1", [plain]), accept("wsp_2", [plain])]))
          : Effect.void
      assert.strictEqual(yield* drain, 3)
    }).pipe(Effect.provide(sequencing()))
  )

  it.effect("leaves what another process is appending to that process", () =>
    Effect.gen(function* () {
      const watch = yield* Watch
      watch.locked = new Set(["theirs"])
      yield* accept("theirs", [plain])
      yield* accept("ours", [plain])
      assert.strictEqual(yield* drain, 1)
      assert.deepStrictEqual(watch.appends, ["ours"])
    }).pipe(Effect.provide(sequencing()))
  )

  it.effect("fails as the store fails, and finds everything there the next time", () =>
    Effect.gen(function* () {
      const watch = yield* Watch
      const down = new StorageUnavailable({ operation: "append events", cause: new Error("disk full") })
      yield* accept("wsp_1", [plain, plain])
      watch.before = () => Effect.fail(down)
      assert.strictEqual(yield* Effect.flip(drain), down)
      assert.deepStrictEqual(yield* rows("wsp_1"), [])
      watch.before = () => Effect.void
      assert.strictEqual(yield* drain, 2)
    }).pipe(Effect.provide(sequencing()))
  )
})

describe("the ends that were seen", () => {
  const seen = Sequencer.layer.pipe(
    Layer.provideMerge(SeenEnds.layer),
    Layer.provide(GeoIp.layerNowhere),
    Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer(), Sha256.layer, layerSeededRandomness(1)))
  )

  it.effect("are those of every workspace of an append", () =>
    Effect.gen(function* () {
      const { head } = yield* EventLog
      const { of } = yield* SeenEnds
      const ids = ["wsp_1", "wsp_2", "wsp_3"]
      for (const [index, id] of ids.entries()) yield* accept(id, Array<EventInput>(index + 1).fill(plain))
      yield* drain
      for (const id of ids) {
        const { sequence, eventHash } = yield* head(id)
        assert.deepStrictEqual(of(id), { sequence, eventHash: eventHash ?? "" })
      }
    }).pipe(Effect.provide(seen))
  )
})
