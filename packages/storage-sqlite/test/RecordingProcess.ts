/**
 * A program with an audit log in the file it is given: it records so many events, prints their ids, and is
 * killed before they are sequenced.
 */
import { writeSync } from "node:fs"
import { openAuditLog } from "@cairn/storage-sqlite"

const [file = "", events = "1"] = process.argv.slice(2)
const log = await openAuditLog({ file })
const calls = Array.from({ length: Number(events) }, (_, index) =>
  log.record({ actor_id: "other", action: "project.renamed", metadata: { name: `other ${index}` } })
)
const recorded = await Promise.all(calls)
writeSync(1, recorded.map(({ id }) => id).join("\n"))
process.kill(process.pid, "SIGKILL")
