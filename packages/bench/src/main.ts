/**
 * `npm run bench`: measures, holds against limits of the same run, and prints one table.
 *
 * `--database sqlite|postgres|both` (both), `--only` some of the groups below, `--seconds N` is the length of
 * each load (10), `--events N` the size of the log for lists, searches, exports and anchoring (1000000),
 * `--large` measures lists on 10^7 events too, `--json FILE` also writes the rows.
 */
import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import type { DatabaseGroup, PlainGroup } from "./Bench.ts"
import type { DatabaseServer } from "./databases/LogDatabase.ts"
import { postgres } from "./databases/Postgres.ts"
import { sqlite } from "./databases/Sqlite.ts"
import { FilledLogs } from "./FilledLog.ts"
import { type Row, type Settings, table } from "./Row.ts"
import { acceptsWhileAnchoring } from "./rows/AcceptsWhileAnchoring.ts"
import { acceptsWhileVerifying } from "./rows/AcceptsWhileVerifying.ts"
import { againstCommit } from "./rows/AgainstCommit.ts"
import { anchoringPeriod } from "./rows/AnchoringPeriod.ts"
import { bytesWritten } from "./rows/BytesWritten.ts"
import { chainVerification } from "./rows/ChainVerification.ts"
import { clientQueues } from "./rows/ClientQueues.ts"
import { coldStart } from "./rows/ColdStart.ts"
import { connections } from "./rows/Connections.ts"
import { csvExport } from "./rows/CsvExport.ts"
import { evidenceVerification } from "./rows/EvidenceVerification.ts"
import { facets } from "./rows/Facets.ts"
import { fanOut } from "./rows/FanOut.ts"
import { ingestion } from "./rows/Ingestion.ts"
import { instructions } from "./rows/Instructions.ts"
import { lists } from "./rows/Lists.ts"
import { manyWorkspaces } from "./rows/ManyWorkspaces.ts"
import { merkleTree } from "./rows/MerkleTree.ts"
import { openRate } from "./rows/OpenRate.ts"
import { recordedReads } from "./rows/RecordedReads.ts"
import { searches } from "./rows/Searches.ts"
import { storedTree } from "./rows/StoredTree.ts"
import { wrongKeys } from "./rows/WrongKeys.ts"

/** In this order: the period of a log is closed after everything else was measured on it. */
const DATABASE_GROUPS: Readonly<Record<string, DatabaseGroup>> = {
  instructions,
  http: ingestion,
  "open-rate": openRate,
  connections,
  bytes: bytesWritten,
  workspaces: manyWorkspaces,
  against: againstCommit,
  "wrong-keys": wrongKeys,
  "fan-out": fanOut,
  verify: chainVerification,
  evidence: evidenceVerification,
  verifying: acceptsWhileVerifying,
  lists,
  search: searches,
  facets,
  recording: recordedReads,
  export: csvExport,
  anchoring: anchoringPeriod,
  "while-anchoring": acceptsWhileAnchoring,
  proof: storedTree
}

const PLAIN_GROUPS: Readonly<Record<string, PlainGroup>> = {
  merkle: merkleTree,
  cold: coldStart,
  client: clientQueues
}

const GROUPS = [...Object.keys(DATABASE_GROUPS), ...Object.keys(PLAIN_GROUPS)]

/** What may be measured, by the option that chooses. */
const SERVERS: Readonly<Record<string, ReadonlyArray<() => DatabaseServer | Promise<DatabaseServer>>>> = {
  sqlite: [sqlite],
  postgres: [postgres],
  both: [sqlite, postgres]
}

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    events: { type: "string", default: "1000000" },
    database: { type: "string", default: "both" },
    only: { type: "string", default: GROUPS.join(",") },
    large: { type: "boolean", default: false },
    stages: { type: "boolean", default: false },
    against: { type: "string" },
    workspaces: { type: "string", default: "2000" },
    json: { type: "string" }
  }
})

const refuse = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(64)
}

const only = values.only.split(",")
const unknown = only.find((name) => !GROUPS.includes(name))
if (unknown !== undefined) refuse(`--only ${unknown}: must be some of ${GROUPS.join(", ")}`)
const servers = SERVERS[values.database] ?? refuse("--database must be sqlite, postgres or both")
const settings: Settings = {
  seconds: Number(values.seconds),
  events: Number(values.events),
  workspaces: Number(values.workspaces),
  large: values.large,
  stages: values.stages,
  ...(values.against === undefined ? {} : { against: resolve(values.against) })
}

const rows: Array<Row> = []
const durability: Array<string> = []

/**
 * The rows of a group, which are printed at once, in case a later one fails. A group that fails has no rows;
 * the others continue.
 */
const attempt = async (
  group: string,
  measure: () => Promise<ReadonlyArray<Row>>
): Promise<ReadonlyArray<Row>> => {
  try {
    const found = await measure()
    if (found.length > 0) process.stderr.write(`\n${group}\n${table(found)}\n`)
    return found
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(
      `\n${group} failed: ${error instanceof Error ? error.stack : JSON.stringify(error)}\n`
    )
    return []
  }
}

if (only.some((name) => name in DATABASE_GROUPS)) {
  for (const start of servers) {
    const server = await start()
    const logs = new FilledLogs()
    durability.push(`${server.product} (${server.durability})`)
    for (const [name, group] of Object.entries(DATABASE_GROUPS)) {
      if (only.includes(name))
        rows.push(...(await attempt(`${name}, ${server.product}`, () => group({ settings, server, logs }))))
    }
    await logs.remove()
    await server.stop()
  }
}
for (const [name, group] of Object.entries(PLAIN_GROUPS)) {
  if (only.includes(name)) rows.push(...(await attempt(name, () => group(settings))))
}

const surroundings = [...durability, `Node ${process.version}`, `${availableParallelism()} cores`]
process.stdout.write(`${surroundings.join(", ")}\n\n${table(rows)}\n`)
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(rows, null, 2))
