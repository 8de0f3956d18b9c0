/** Row 14: `npm start`, after install, to its first `202`. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ordinaryBody } from "../OrdinaryEvent.ts"
import type { Row } from "../Row.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

const once = async (): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-cold-"))
  const env = {
    ...process.env,
    NODE_OPTIONS: "",
    CAIRN_DATABASE_URL: `sqlite:${join(folder, "cairn.db")}`,
    CAIRN_PORT: "0",
    CAIRN_DRAIN_SECONDS: "0"
  }
  const begun = performance.now()
  const child = spawn("npm", ["start"], { cwd: root, env, detached: true })
  const [url, key] = await new Promise<[string, string]>((resolve) => {
    let text = ""
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk
      const address = /Interface\s+(http:\S+)\/docs\s/.exec(text)?.[1]
      const apiKey = /API key\s+(\S+)\s/.exec(text)?.[1]
      if (address !== undefined && apiKey !== undefined) resolve([address, apiKey])
    })
  })
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
  const response = await fetch(`${url}/api/v1/events`, {
    method: "POST",
    headers,
    body: JSON.stringify(ordinaryBody(0))
  })
  const millis = performance.now() - begun
  const exited = new Promise((resolve) => child.once("exit", resolve))
  if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM")
  await exited
  rmSync(folder, { recursive: true, force: true })
  if (response.status !== 202) throw new Error(`answered ${response.status}`)
  return millis / 1000
}

/** The median of three. */
export const coldStart = async (): Promise<ReadonlyArray<Row>> => {
  const runs = [await once(), await once(), await once()].sort((a, b) => a - b)
  const median = runs[1] ?? 0
  return [
    {
      number: "14",
      what: "cold start of npm start to the first 202",
      measured: median,
      unit: "s",
      target: "≤ 2 s",
      met: median <= 2
    }
  ]
}
