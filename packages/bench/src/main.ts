/**
 * `npm run bench`: measures, holds against limits of the same run, and prints one table.
 *
 * `--seconds N` is the length of each load (10), `--only http,verify,cold` chooses, `--json FILE` also writes the rows.
 */
import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { type Row, table } from "./Row.ts"
import { coldStart } from "./rows/ColdStart.ts"
import { httpRows } from "./rows/HttpRows.ts"
import { verifyRows } from "./rows/VerifyRows.ts"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    only: { type: "string", default: "http,verify,cold" },
    json: { type: "string" }
  }
})
const only = values.only.split(",")
const rows: Array<Row> = []
if (only.includes("http")) rows.push(...(await httpRows({ seconds: Number(values.seconds) })))
if (only.includes("verify")) rows.push(...(await verifyRows()))
if (only.includes("cold")) rows.push(...(await coldStart()))
rows.sort((a, b) => Number(a.number) - Number(b.number))
process.stdout.write(
  `SQLite (journal_mode=WAL, synchronous=FULL), Node ${process.version}, ${availableParallelism()} cores\n\n${table(rows)}\n`
)
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(rows, null, 2))
