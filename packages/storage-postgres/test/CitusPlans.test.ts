/**
 * What is asked of the machines when one workspace is written, read and verified: of its own, and no other.
 * The plans are those of the statements that the adapter really sends, with this workspace's number wherever
 * a number is needed.
 */
import { Alerts } from "@cairn/core/alert"
import { Anchors } from "@cairn/core/anchor"
import { Checkpoints, TreeStore } from "@cairn/core/checkpoint"
import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Acceptance, EventLog, EventUsage, Inbox, SearchIndexer } from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { FrameEvents } from "@cairn/storage-sql"
import { citusUrl, unlessCitus } from "@cairn/testing/CitusCluster"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Tracer } from "effect"
import { clientOf, emptyCitus, usesCluster } from "./CitusStorage.ts"
import { accept, cairnOn, drain, makeWorkspace, verifyChain } from "./support.ts"

const WORKSPACE = "wsp_planned"
/** The number of the first workspace. */
const NUMBER = "1"

/** With two events a frame, so that a short log has frames. */
const storageOn = (url: string) =>
  Layer.fresh(cairnOn(url)).pipe(Layer.provide(Layer.succeed(FrameEvents, 2)))

/** Some moment. */
const AT = 1_700_000_000_000_000

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
  const { one } = yield* Acceptance
  const limited = { workspaceId: WORKSPACE, clientAddress: null, keysExpireBefore: null, eventsPerMonth: 100 }
  yield* one(limited, { actor_id: "ada", action: "document.seen" })
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
  const range = { from: 1, to: 1_000 }
  yield* log.facets(WORKSPACE, {}, { field: "action", prefix: "", most: 100 })
  yield* log.occurrences(WORKSPACE, { filter: {}, range, first: "newest", beyond: null, limit: 10 })
  yield* log.occurrenceCounts(WORKSPACE, { filter: {}, range, bucket: null })
  yield* log.occurrenceFacets(WORKSPACE, { filter: {}, range, field: "action", prefix: "", most: 100 })
  yield* log.moments(WORKSPACE, { filter: {}, before: null, limit: 10 })
  yield* log.entriesOf(WORKSPACE, [1])
  yield* log.sequenceAt(WORKSPACE, 1)
  yield* log.sequenceBefore(WORKSPACE, AT, 1)
  yield* verifyChain(WORKSPACE)
})

/** What goes on behind a log: checkpoints, its tree, consumers, alerts, anchors, and the end of contents. */
const follow = Effect.gen(function* () {
  yield* makeWorkspace(WORKSPACE)
  yield* accept(WORKSPACE, [{ actor_id: "ada", action: "document.created", idempotency_key: "a" }])
  yield* drain
  const { publish, publishedAfter, publishedPage, publishedCount } = yield* Checkpoints
  yield* publish(WORKSPACE, { size: 1, root: "0".repeat(64), note: "note", signedAt: AT })
  yield* publishedAfter(WORKSPACE, 0, 10)
  yield* publishedPage(WORKSPACE, { before: null, limit: 10 })
  yield* publishedCount(WORKSPACE)
  const tree = yield* TreeStore
  yield* tree.write(WORKSPACE, [{ level: 0, index: 0, hashes: new Uint8Array(32) }])
  yield* tree.leaves(WORKSPACE)
  yield* tree.read(
    WORKSPACE,
    [0, 1].map((level) => ({ level, index: 0 }))
  )
  yield* consume
  yield* anchor
  const [entry] = yield* (yield* EventLog).entries(WORKSPACE, 1, 1)
  const removal = yield* ContentRemoval
  if (entry === undefined) return assert.fail("the event is in the log")
  const { id, sequence, content, contentHash } = entry
  const removed = { id, sequence, content: content ?? "", contentHash: contentHash ?? "" }
  yield* removal.remove(WORKSPACE, [removed], null)
  yield* removal.discardParked(WORKSPACE, () => true)
  yield* removal.forget(WORKSPACE, "ada")
  for (const expiredBy of [AT, null]) yield* removal.forgetActors(WORKSPACE, ["ada"], expiredBy)
  yield* (yield* EventUsage).accepted(WORKSPACE, "2024-01")
})

/** What consumers do. */
const consume = Effect.gen(function* () {
  const consumers = yield* Consumers
  const key = { workspaceId: WORKSPACE, consumer: "alerts" }
  const raised = {
    id: "alt_1",
    rule_id: "rul_1",
    rule_name: "Rule",
    rule_type: "off_hours" as const,
    event_id: "event",
    reason: "Reason",
    triggered_at: Micros.format(AT)
  }
  yield* consumers.commit(yield* consumers.open(key, 0, AT), {
    sequence: 1,
    rows: [{ key: "a", value: "1", expiresAt: AT }],
    raised: [{ alert: raised, deliveries: [] }],
    deliveries: [],
    expiredBy: AT - 1,
    at: AT
  })
  yield* consumers.list(WORKSPACE)
  yield* consumers.rows(key, ["a"])
  yield* consumers.rowsAfter(key, "", 10)
  yield* consumers.hold(key, { holder: "one", at: AT, until: AT + 1 })
  yield* consumers.release(key, "one")
  yield* consumers.pause(key, AT)
  yield* consumers.resume(key, AT)
  yield* consumers.replay(key, 0, AT)
  yield* consumers.remove(key)
  const alerts = yield* Alerts
  const filter = { from: 0, to: AT, ruleType: "off_hours" as const }
  yield* alerts.page(WORKSPACE, { filter, before: AT, limit: 10 })
  yield* alerts.acknowledge(WORKSPACE, "alt_1", { at: AT, by: "key_1" })
  yield* alerts.count(WORKSPACE, filter)
  yield* alerts.newest(WORKSPACE)
})

/** What becomes of a period. */
const anchor = Effect.gen(function* () {
  const anchors = yield* Anchors
  const [firstEventHash, lastEventHash, merkleRoot] = ["1", "2", "3"].map((digit) => digit.repeat(64))
  const period = { id: "anc_1", workspaceId: WORKSPACE, ordinal: 1, start: AT, end: AT + 1 }
  yield* anchors.unanchoredOf(WORKSPACE)
  yield* anchors.raiseFloor([{ workspaceId: WORKSPACE, floor: AT }])
  yield* anchors.close([
    {
      ...period,
      firstSequence: 1,
      lastSequence: 1,
      firstEventHash: firstEventHash ?? "",
      lastEventHash: lastEventHash ?? "",
      merkleRoot: merkleRoot ?? ""
    }
  ])
  yield* anchors.create([
    { workspaceId: WORKSPACE, ordinal: 1, previousAnchorHash: null, chainId: 1, createdAt: AT }
  ])
  yield* anchors.get(WORKSPACE, "anc_1")
  yield* anchors.at(WORKSPACE, 1)
  yield* anchors.list(WORKSPACE, 10)
  yield* anchors.over(WORKSPACE, 1, 1)
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

/** The tables with a workspace's number whose rows are not on the machine of its log. */
const tablesApart = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ readonly table: string }>`
    SELECT c.relname AS table FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace'
    JOIN pg_dist_partition h ON h.logicalrelid = 'head'::regclass
    LEFT JOIN pg_dist_partition d ON d.logicalrelid = c.oid AND d.partmethod = 'h'
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname !~ '_[0-9]{6}$'
      AND d.colocationid IS DISTINCT FROM h.colocationid
    ORDER BY c.relname`
  return rows.map(({ table }) => table)
})

/** Parts of statements that are surely sent. */
const SENT = {
  use: [
    "INSERT INTO inbox",
    "INSERT INTO idempotency_key",
    "INSERT INTO event_usage",
    "JOIN event_usage",
    "FOR UPDATE SKIP LOCKED",
    "INSERT INTO event ",
    "search_frame",
    "earlier <"
  ],
  follow: [
    "INSERT INTO published_checkpoint",
    "INSERT INTO tree_tile",
    "FROM tree_tile",
    "UPDATE consumer",
    "INSERT INTO consumer_row",
    "INSERT INTO alert",
    "UPDATE alert",
    "INSERT INTO anchor",
    "UPDATE anchor",
    "UPDATE event e SET content = NULL",
    "DELETE FROM idempotency_key",
    "FROM parked",
    "FROM event_usage"
  ]
}

/** Fails if a statement that something sends goes to other shards than the workspace's. */
const goToOne = <E, R>(
  what: Effect.Effect<void, E, R | Layer.Success<ReturnType<typeof storageOn>>>,
  sent: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const url = yield* emptyCitus
    const texts = yield* statementsOf(Effect.provide(what, storageOn(url)))
    for (const part of sent)
      assert.isTrue(
        texts.some((text) => text.includes(part)),
        part
      )
    assert.deepStrictEqual(yield* Effect.provide(faultsOf(texts), clientOf(url)), [])
  }).pipe(Effect.scoped)

describe.skipIf(citusUrl === "")(`A workspace's statements, over several machines${unlessCitus}`, () => {
  usesCluster("together")

  it.live("go to one shard each", () => goToOne(use, SENT.use), { timeout: 120_000 })

  it.live("go to one shard each, of what follows the log", () => goToOne(follow, SENT.follow), {
    timeout: 120_000
  })

  it.live("are of tables that are all where the log is, but for what misses it", () =>
    Effect.gen(function* () {
      const apart = yield* Effect.provide(tablesApart, clientOf(yield* emptyCitus))
      assert.deepStrictEqual(apart, ["checkpoint"])
    }).pipe(Effect.scoped)
  )
})
