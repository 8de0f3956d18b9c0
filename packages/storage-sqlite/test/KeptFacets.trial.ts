/** Counts of groups that are kept are those of what the groups have, whoever removes events meanwhile. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { EventFilter } from "@cairn/core/event"
import { EventLog, FacetMillis, type FacetQuery, GROUP_FRAMES, SearchIndexer } from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import {
  eventsOverFrames,
  FacetCache,
  FacetCacheBytes,
  FrameEvents,
  frameRows,
  KeptTails
} from "@cairn/storage-sql"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { acceptEvents, contentOf, countFacets, makeWorkspace, sequenceAll, useCases } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { Reactivity } from "effect/reactivity"
import { afterAll } from "vitest"
import { newestRows } from "../src/NewestRows.ts"
import { make } from "../src/SqliteClient.ts"
import { disturbed } from "./DisturbedFrames.ts"

const folder = quickFolder("cairn-kept-facets-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let databases = 0

/** Events of frames of two: three groups that are complete, and some frames of the next. */
const GROUP = 2 * GROUP_FRAMES
const EVENTS = 3 * GROUP + 20
const ALL = { from: 1, to: Number.MAX_SAFE_INTEGER }

const eventOf = (sequence: number) => ({
  actor_id: `actor-${sequence % 7}`,
  actor_name: `Actor ${sequence % 11}`,
  tenant_id: sequence % 2 === 0 ? "even" : "odd",
  action: "document.read"
})

const storage = (filename: string, bytes?: number) =>
  useCases<SearchIndexer | ContentRemoval>(
    SqliteStorage.layer({ filename }).pipe(
      Layer.provide([
        Layer.succeed(FrameEvents, 2),
        ...(bytes === undefined ? [] : [Layer.succeed(FacetCacheBytes, bytes)])
      ])
    )
  )

type Ports = Layer.Success<ReturnType<typeof storage>>

const catchUp = Effect.flatMap(SearchIndexer, ({ advance }) =>
  Effect.repeat(advance, { while: (count) => count > 0 })
)

const append = Effect.fnUntraced(function* (workspaceId: string, from: number, to: number) {
  yield* acceptEvents(
    workspaceId,
    Array.from({ length: to - from + 1 }, (_, at) => eventOf(from + at))
  )
  yield* sequenceAll
})

const fill = Effect.fnUntraced(function* (events: number) {
  const workspaceId = yield* makeWorkspace
  yield* append(workspaceId, 1, events)
  yield* catchUp
  return workspaceId
})

const remove = Effect.fnUntraced(function* (workspaceId: string, sequences: ReadonlyArray<number>) {
  const log = yield* EventLog
  for (const sequence of sequences) {
    const [row] = yield* log.entries(workspaceId, sequence, 1)
    const { id, content, contentHash } = row ?? assert.fail("there is no such event")
    const event = { sequence, id, content: content ?? "", contentHash: contentHash ?? "" }
    yield* (yield* ContentRemoval).remove(workspaceId, [event], null)
  }
})

const FILTERS: ReadonlyArray<EventFilter> = [{}, { tenantId: "odd" }, { tenantId: ["odd", "even"] }]
const QUERIES = [10_000, EVENTS - 10, 2 * GROUP].flatMap(
  (most): ReadonlyArray<FacetQuery> => [
    { field: "actor", prefix: "", most },
    { field: "tenant_id", prefix: "", most }
  ]
)

const inTime = Effect.provideService(FacetMillis, Number.POSITIVE_INFINITY)

/** What the log has now. */
const expectedOf = Effect.fnUntraced(function* (workspaceId: string, filter: EventFilter, query: FacetQuery) {
  const rows = yield* (yield* EventLog).entries(workspaceId, 1, EVENTS)
  const contents = rows.flatMap((row) => contentOf(row) ?? []).toReversed()
  const selected = contents.filter(({ tenant_id }) => filter.tenantId !== "odd" || tenant_id === "odd")
  return countFacets(selected, query)
})

const assertExact = Effect.fnUntraced(function* (workspaceId: string, what: string) {
  const log = yield* EventLog
  for (const filter of FILTERS)
    for (const query of QUERIES)
      assert.deepStrictEqual(
        yield* log.facets(workspaceId, filter, query).pipe(inTime),
        yield* expectedOf(workspaceId, filter, query),
        JSON.stringify({ filter, query, what })
      )
})

const withStorage = <A, E>(body: (filename: string) => Effect.Effect<A, E, Ports>, bytes?: number) =>
  Effect.suspend(() => {
    const filename = join(folder, `${databases++}`, "cairn.db")
    return body(filename).pipe(Effect.provide(storage(filename, bytes)))
  })

/** Something that happens to a log while it is asked. */
interface Meanwhile {
  readonly what: string
  /** Events that are there before. */
  readonly first: number
  readonly happens: (workspaceId: string, at: number) => Effect.Effect<unknown, unknown, Ports>
}

const meanwhile: ReadonlyArray<Meanwhile> = [
  {
    what: "events are removed",
    first: EVENTS,
    // Of each group, also of the one that is not complete.
    happens: (workspaceId, at) => remove(workspaceId, [9 + at, GROUP + 7 + at, EVENTS - 15 + at])
  },
  {
    what: "a group is completed",
    first: GROUP - 1,
    happens: (workspaceId) => Effect.andThen(append(workspaceId, GROUP, GROUP), catchUp)
  }
]

describe("counts that are kept", { timeout: 120_000 }, () => {
  it.live("are those of what is left when another process removes events", () =>
    withStorage((filename) =>
      Effect.gen(function* () {
        const workspaceId = yield* fill(EVENTS)
        yield* assertExact(workspaceId, "nothing is removed")
        const other = yield* Layer.build(storage(filename))
        // In the middle of groups, at their ends, and all of one.
        const whole = Array.from({ length: GROUP }, (_, at) => GROUP + 1 + at)
        for (const removed of [[5], [EVENTS - 10], [GROUP - 3, GROUP], [2 * GROUP + 1], whole]) {
          yield* remove(workspaceId, removed).pipe(Effect.provide(other))
          yield* assertExact(workspaceId, `${removed.length} from ${removed[0]} are removed`)
          yield* assertExact(workspaceId, `${removed.length} from ${removed[0]} are removed, again`)
        }
      }).pipe(Effect.scoped)
    )
  )

  for (const [what, bytes, damages] of [
    ["are not read again", undefined, 0],
    ["are none where there is no room", 0, 2]
  ] as const)
    it.live(what, () => {
      const told: Array<unknown> = []
      const logger = Logger.make(({ message }) => told.push(message))
      return withStorage(
        (filename) =>
          Effect.gen(function* () {
            const workspaceId = yield* fill(3 * GROUP)
            const log = yield* EventLog
            const ask = (filter: EventFilter, prefix: string) =>
              log.facets(workspaceId, filter, { field: "actor", prefix, most: 10_000 }).pipe(inTime)
            for (const filter of [{}, { tenantId: "odd" }]) yield* ask(filter, "")
            assert.deepStrictEqual(told, [])
            const search = new DatabaseSync(siblingFile(filename, "search"))
            search.exec("UPDATE search_posting SET blob = substr(blob, 1, 9)")
            search.close()
            for (const filter of [{}, { tenantId: "odd" }])
              assert.deepStrictEqual(
                yield* ask(filter, "Actor 1"),
                yield* expectedOf(workspaceId, filter, { field: "actor", prefix: "Actor 1", most: 10_000 })
              )
            assert.lengthOf(told, damages)
          }),
        bytes
      ).pipe(Effect.provide(Logger.layer([logger])))
    })

  for (const { what, first, happens } of meanwhile)
    for (const filter of FILTERS.slice(0, 2))
      it.live(`are those of what is left whenever ${what} meanwhile: ${JSON.stringify(filter)}`, () =>
        withStorage((filename) =>
          Effect.gen(function* () {
            const query = { field: "actor", prefix: "", most: 10_000 } as const
            const log = yield* make({ filename, readonly: true })
            const search = yield* make({ filename: siblingFile(filename, "search"), readonly: true })
            const context = yield* Effect.context<Ports>()
            let workspaceId = yield* fill(first)
            for (let [at, workspace] = [0, 1]; ; at++) {
              const before = yield* expectedOf(workspaceId, filter, query)
              const disturb = happens(workspaceId, at).pipe(Effect.provideContext(context))
              const watched = disturbed(frameRows(search), { workspace, at, disturb })
              const { facets } = eventsOverFrames({
                sql: log,
                store: watched.reads,
                readNewest: newestRows(log),
                cache: new FacetCache(1_000_000),
                tails: new KeptTails(1_000_000)
              })
              const found = yield* facets(workspace, filter, ALL, query).pipe(inTime)
              if (watched.calls() <= at) {
                assert.isAbove(at, 3)
                return
              }
              const after = yield* expectedOf(workspaceId, filter, query)
              assert.isAtMost(Math.abs(found.events - before.events), 3, `read ${at}`)
              for (const again of ["once", "twice"])
                assert.deepStrictEqual(
                  yield* facets(workspace, filter, ALL, query).pipe(inTime),
                  after,
                  `after read ${at}, ${again}`
                )
              if (first === EVENTS) continue
              workspaceId = yield* fill(first)
              workspace++
            }
          }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
        )
      )
})
