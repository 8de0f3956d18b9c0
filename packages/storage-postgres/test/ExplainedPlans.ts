/**
 * The plans by which PostgreSQL ran the statements that the adapter really sent, from the server's own log.
 */
import type { TestPostgres, TestPostgresOptions } from "@cairn/testing/EmbeddedPostgres"
import { Schema } from "effect"

/** A step of a plan, as `EXPLAIN (FORMAT JSON)` gives it. */
export interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string | undefined
  readonly "Index Name"?: string | undefined
  readonly "Actual Rows"?: number | undefined
  readonly "Actual Loops"?: number | undefined
  readonly "Rows Removed by Filter"?: number | undefined
  readonly Plans?: ReadonlyArray<PlanNode> | undefined
}

const PlanNode: Schema.Codec<PlanNode> = Schema.Struct({
  "Node Type": Schema.String,
  "Relation Name": Schema.optional(Schema.String),
  "Index Name": Schema.optional(Schema.String),
  "Actual Rows": Schema.optional(Schema.Number),
  "Actual Loops": Schema.optional(Schema.Number),
  "Rows Removed by Filter": Schema.optional(Schema.Number),
  Plans: Schema.optional(Schema.Array(Schema.suspend((): Schema.Codec<PlanNode> => PlanNode)))
})

/** A statement and how it was run. */
export interface ExplainedStatement {
  readonly text: string
  readonly nodes: ReadonlyArray<PlanNode>
}

const decodePlan = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ "Query Text": Schema.String, Plan: PlanNode }))
)

let log = ""

/** Options with which a server writes every plan into its log, and the log comes here. */
export const explaining: TestPostgresOptions = {
  onLog: (text) => {
    log += text
  },
  settings: {
    log_line_prefix: "[%a] ",
    session_preload_libraries: "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_format": "json",
    "auto_explain.log_analyze": "on",
    // What is tested is how it is read, so it may be written as fast as can be.
    fsync: "off",
    wal_level: "minimal",
    max_wal_senders: "0",
    max_wal_size: "4GB",
    maintenance_work_mem: "256MB",
    autovacuum: "off"
  }
}

/** An entry of a session that calls itself as Cairn's do; the lines that go on with it begin with a tab. */
const ENTRY = /^\[cairn\] LOG: {2}duration: [\d.]+ ms {2}plan:\n((?:\t.*\n)+)/gm

const walk = (node: PlanNode): ReadonlyArray<PlanNode> => [node, ...(node.Plans ?? []).flatMap(walk)]

/** Runs something, and gives the statements of Cairn's sessions that the server ran meanwhile. */
export const explained = async (
  server: TestPostgres,
  url: string,
  run: () => Promise<unknown>
): Promise<ReadonlyArray<ExplainedStatement>> => {
  log = ""
  await run()
  // The log comes through a pipe: once the end of this is there, so is all before it.
  const end = `end-${performance.now()}`
  await server.query(url, `DO $$ BEGIN RAISE LOG '${end}'; END $$`)
  while (!log.includes(`${end}\n`)) await new Promise((resolve) => setTimeout(resolve, 5))
  return Array.from(log.matchAll(ENTRY), ([, json = ""]) => {
    const { "Query Text": text, Plan } = decodePlan(json)
    return { text, nodes: walk(Plan) }
  })
}
