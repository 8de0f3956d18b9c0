/**
 * Loads: `wrk` where it is installed and the rate is open, else a client of the bench's own; each is a
 * process of its own, so that it does not share a thread with what it measures.
 */
import { execFile, spawnSync } from "node:child_process"
import { randomInt } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { KEY_PLACE } from "./OrdinaryEvent.ts"
import { bodiesFile, type Profile } from "./RequestBodies.ts"
import { quantile } from "./Timing.ts"

/** What to send. */
export interface LoadOptions {
  readonly url: string
  /** Taken in turn, a request each. */
  readonly keys: ReadonlyArray<string>
  readonly connections: number
  readonly seconds: number
  /** Events a request; 1 sends single events. */
  readonly batch: number
  /** Requests a second at most; 0 for as many as go. */
  readonly rate: number
  /** Ordinary events unless said. */
  readonly profile?: Profile
}

/** What came of it. */
export interface LoadResult {
  /** Accepted events a second. */
  readonly perSecond: number
  readonly accepted: number
  readonly refused: number
  /** Milliseconds, at an open rate from when the request was due. */
  readonly p50: number
  readonly p99: number
}

/** A load whose bodies lie in a file. */
interface Task extends LoadOptions {
  readonly bodies: string
  /** In the keys of its events. */
  readonly run: number
}

/** Runs that can be told apart. */
const RUNS = 2 ** 24

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")

const send = async (task: Task): Promise<LoadResult> => {
  const agent = new Agent({ keepAlive: true, maxSockets: task.connections })
  const headers = task.keys.map((key) => ({
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json"
  }))
  const bodies = readFileSync(task.bodies, "utf8").trimEnd().split("\n")
  const latencies: Array<number> = []
  let [next, accepted, refused] = [0, 0, 0]
  const body = (at: number): string => {
    const key = hex(task.run, 6) + hex(Math.floor(at / bodies.length) % 256, 2)
    return bodies[at % bodies.length]?.replaceAll(KEY_PLACE, key) ?? ""
  }
  /** `begun` is when the request was due: one that had to wait for its turn has waited for the server. */
  const one = (begun: number): Promise<void> =>
    new Promise((resolve) => {
      const at = next++
      const text = body(at)
      const call = request(task.url, {
        method: "POST",
        agent,
        headers: { ...headers[at % headers.length], "Content-Length": Buffer.byteLength(text) }
      })
      call.on("response", (response) => {
        response.resume()
        response.on("end", () => {
          latencies.push(performance.now() - begun)
          if (response.statusCode === 202) accepted += task.batch
          else refused += task.batch
          resolve()
        })
      })
      call.on("error", () => {
        refused += task.batch
        resolve()
      })
      call.end(text)
    })
  const begun = performance.now()
  const end = begun + task.seconds * 1000
  let sent = 0
  const due = () => begun + (sent++ * 1000) / task.rate
  const worker = async () => {
    while (performance.now() < end) {
      const at = task.rate > 0 ? due() : performance.now()
      const pause = at - performance.now()
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
      // A timer may be late by itself, and that is not the server's fault.
      await one(pause > 0 ? performance.now() : at)
    }
  }
  await Promise.all(Array.from({ length: task.connections }, worker))
  const seconds = (performance.now() - begun) / 1000
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
  return { perSecond: accepted / seconds, accepted, refused, p50, p99 }
}

const self = fileURLToPath(import.meta.url)
const script = fileURLToPath(new URL("wrk.lua", import.meta.url))

/** Whether `wrk` is installed. It costs a third of the processor time that the bench's own client does. */
export const hasWrk: boolean = spawnSync("wrk", ["--version"]).error === undefined

/** The longest command that a client may need beyond its load. */
const PATIENCE = "60s"

const wrk = async (task: Task): Promise<LoadResult> => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-wrk-"))
  const keys = join(folder, "keys")
  writeFileSync(keys, task.keys.join("\n"))
  const options = ["-t1", `-c${task.connections}`, `-d${task.seconds}s`, "--timeout", PATIENCE, "-s", script]
  const env = { ...process.env, BODIES: task.bodies, API_KEYS: keys, RUN: String(task.run), KEY_PLACE }
  const { stdout } = await promisify(execFile)("wrk", [...options, task.url], { env })
  rmSync(folder, { recursive: true })
  const result = /RESULT (\d+) (\d+) (\d+) (\S+) (\S+)/.exec(stdout)
  if (result === null) throw new Error(`wrk wrote no result: ${stdout}`)
  const [requests = 0, failed = 0, micros = 0, p50 = 0, p99 = 0] = result.slice(1).map(Number)
  const accepted = (requests - failed) * task.batch
  return {
    perSecond: accepted / (micros / 1e6),
    accepted,
    refused: failed * task.batch,
    p50: p50 / 1000,
    p99: p99 / 1000
  }
}

/**
 * Sends the load from another process. `wrk` leaves requests behind at its end whose answers it does not wait
 * for, so a log may have a few more events than were accepted.
 */
export const load = async (options: LoadOptions): Promise<LoadResult> => {
  const bodies = bodiesFile(options.profile ?? "ordinary", options.batch)
  const task: Task = { ...options, bodies, run: randomInt(RUNS) }
  if (hasWrk && options.rate === 0) return wrk(task)
  const { stdout } = await promisify(execFile)(process.execPath, [self, JSON.stringify(task)])
  return JSON.parse(stdout)
}

if (process.argv[1] === self)
  process.stdout.write(JSON.stringify(await send(JSON.parse(process.argv[2] ?? "{}"))))
