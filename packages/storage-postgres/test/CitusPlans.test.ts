/**
 * What is asked of the machines when one workspace is written, read and verified: of its own, and no other.
 * The plans are those of the statements that the adapter really sends, with this workspace's number wherever
 * a number is needed.
 */
import { EventLog, Inbox, SearchIndexer } from "@cairn/core/log"
import { FrameEvents } from "@cairn/storage-sql"
import { citusUrl, unlessCitus } from "@cairn/testing/CitusCluster"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Tracer } from "effect"
import { clientOf, dropsDatabases, emptyCitus } from "./CitusStorage.ts"
import { accept, cairnOn, drain, makeWorkspace, verifyChain } from "./support.ts"

const WORKSPACE = "wsp_planned"
/** The number of the first workspace. */
const NUMBER = "1"

/** With two events a frame, so that a short log has frames. */
const storageOn = (url: string) =>
  Layer.fresh(cairnOn(url)).pipe(Layer.provide(Layer.succeed(FrameEvents, 2)))

/** A value of each type that statements have parameters of. */
const VALUES: Readonly<Record<string, string>> = {
  bigint: NUMBER,
  integer: NUMBER,
  smallint: NUMBER,
  "double precision": NUMBER,
  text: "'x'",
  boolean: "true",
  bytea: "'\\x00'",
  "bigint[]": `'{${NUMBER}}'`,
  "text[]": "'{x}'",
  "bytea[]": `'{"\\\\x00"}'`
}

/** A statement that names a table of a workspace's rows. */
const OF_WORKSPACE =
  /\b(?:head|inbox|parked|idempotency_key|event_usage|event|search_\w+|anchor|tree_tile|published_checkpoint|consumer\w*|alert)\b/
/** What is asked of every machine that can be reached. */
const EVERYWHERE = /\b1 = 1\b/

/** What a workspace's requests do. */
const use = Effect.gen(function* () {
  yield* makeWorkspace(WORKSPACE)
  const bodies = ["a", "b"].map((key) => ({
    actor_id: "ada",
    action: "document.created",
    idempotency_key: key,
    targets: [{ type: "folder", id: "f" }]
  }))
  const [first] = yield* accept(WORKSPACE, bodies)
  yield* accept(WORKSPACE, bodies)
  yield* accept(WORKSPACE, [{ actor_id: "ada", action: "document.seen" }])
  const inbox = yield* Inbox
  const id = first !== undefined && "id" in first ? first.id : ""
  yield* inbox.find(WORKSPACE, id)
  yield* drain
  yield* Effect.repeat((yield* SearchIndexer).advance, { while: (count) => count > 0 })
  const log = yield* EventLog
  yield* log.get(WORKSPACE, id)
  for (const filter of [{}, { action: "document.*" }, { search: "document" }, { from: 1, to: 2 ** 52 }]) {
    yield* log.page(WORKSPACE, { filter, before: null, limit: 10 })
    yield* log.count(WORKSPACE, filter, { from: 1, to: 1_000 })
  }
  yield* verifyChain(WORKSPACE)
})

/** The statements that something sends. */
const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    yield* Effect.provideService(effect, Tracer.Tracer, tracer)
    const texts = spans.map((span) => String(span.attributes.get("db.query.text") ?? ""))
    return Array.from(new Set(texts)).filter((text) => OF_WORKSPACE.test(text))
  })

/** How many shards each part of a statement's plan asks. */
const taskCounts = Effect.fnUntraced(function* (text: string) {
  const sql = yield* PgClient.PgClient
  yield* sql.unsafe("DEALLOCATE ALL")
  yield* sql.unsafe(`PREPARE planned AS ${text}`)
  const [row] = yield* sql<{ readonly types: ReadonlyArray<string> }>`
    SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'planned'`
  const values = (row?.types ?? []).map(
    (type) => VALUES[type] ?? assert.fail(`a value of ${type} for ${text}`)
  )
  const call = values.length === 0 ? "planned" : `planned(${values.join(", ")})`
  const plan = JSON.stringify(yield* sql.unsafe(`EXPLAIN (FORMAT JSON) EXECUTE ${call}`))
  return Array.from(plan.matchAll(/"Task Count\\?":\s*(\d+)/g), ([, count]) => Number(count))
})

/** Statements that ask other shards than the workspace's, each with how many its parts ask. */
const faultsOf = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const faults: Array<string> = []
  for (const text of texts.filter((one) => !EVERYWHERE.test(one))) {
    const counts = yield* taskCounts(text)
    if (counts.length === 0 || counts.some((count) => count !== 1)) faults.push(`${counts}: ${text}`)
  }
  return faults
})

/** Parts of statements that {@link use} surely sends. */
const SENT = [
  "INSERT INTO inbox",
  "INSERT INTO idempotency_key",
  "INSERT INTO event_usage",
  "FOR UPDATE SKIP LOCKED",
  "INSERT INTO event ",
  "search_frame",
  "earlier <"
]

describe.skipIf(citusUrl === "")(`A workspace's statements, over several machines${unlessCitus}`, () => {
  dropsDatabases()
  it.live(
    "go to one shard each",
    () =>
      Effect.gen(function* () {
        const url = yield* emptyCitus
        const texts = yield* statementsOf(Effect.provide(use, storageOn(url)))
        for (const part of SENT)
          assert.isTrue(
            texts.some((text) => text.includes(part)),
            part
          )
        assert.deepStrictEqual(yield* Effect.provide(faultsOf(texts), clientOf(url)), [])
      }).pipe(Effect.scoped),
    { timeout: 120_000 }
  )
})
