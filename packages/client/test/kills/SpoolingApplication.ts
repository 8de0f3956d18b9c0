/** An application that spools, and kills itself at the point that it is told. */
import { writeSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { Cairn } from "../../src/index.ts"
import { openSpool } from "../../src/spool/index.ts"
import { filesThrough } from "../spool/SpoolSteps.ts"
import { promisedLine, type Task } from "./Application.ts"
import { fetchThrough, KillPoints } from "./KillPoints.ts"

const { place, url, apiKey, run, events, killPoint }: Task = JSON.parse(process.argv[2] ?? "")
const points = new KillPoints(killPoint)

/** The names of the points of operations that are none of the file system's. */
const POINT: Readonly<Record<string, string>> = { datasync: "fsync", unlink: "removal" }

const queue = await openSpool({
  folder: place,
  maxBytes: 1024 * 1024,
  adoptEveryMillis: 500,
  files: filesThrough(async ({ name, bytes }, work) => {
    // Of the rest, a kill before or after is one of these, too.
    if (!["create", "write", "datasync", "rename", "unlink"].includes(name)) return work()
    if (name === "write" && bytes !== undefined && points.isNext("write within")) {
      await work(bytes.subarray(0, bytes.length / 2))
    }
    if (name === "write") points.reach("write within")
    return points.around(POINT[name] ?? name, () => work())
  })
})
const cairn = new Cairn({
  url,
  apiKey,
  queue,
  fetch: fetchThrough(points),
  retry: { baseMillis: 5, maxMillis: 100 },
  batch: { count: 20, delayMillis: 2 },
  timeoutMillis: 20_000,
  onError: () => {}
})

/** Events at a time. */
const CALLERS = 6
let made = 0

const caller = async (): Promise<void> => {
  while (made < events) {
    const number = made++
    const before = Date.now()
    const kept = cairn.enqueue({
      actor_id: "ada",
      action: "trial.spooled",
      resource: "invoice",
      resource_id: `${run}-${number}`,
      metadata: { number, text: "x".repeat((number * 37) % 700) }
    })
    const after = Date.now()
    const { key } = await kept
    // Straight to the pipe: what was promised must be known even when the next instruction is never run.
    writeSync(1, promisedLine({ key, before, after }))
    if (number % 7 === 0) await pause(number % 5)
  }
}

await Promise.all(Array.from({ length: CALLERS }, caller))
await cairn.flush({ timeoutMillis: 20_000 })
await cairn.close({ timeoutMillis: 1000 })
