/** A process or worker that adds events to a spool, says so, and lives until it is killed. */
import { isMainThread, parentPort } from "node:worker_threads"
import { openSpool } from "../../src/spool/index.ts"

const [folder = "", ...keys] = process.argv.slice(2)
const spool = await openSpool({ folder })
await Promise.all(
  keys.map((key) =>
    spool.add({ key, json: JSON.stringify({ actor_id: "ada", action: "a", idempotency_key: key }) })
  )
)
if (isMainThread) process.send?.("added")
else parentPort?.postMessage("added")
setInterval(() => {}, 60_000)
