/** The load client: a process of its own, so that it does not share a thread with what it measures. */
import { execFile } from "node:child_process"
import { Agent, request } from "node:http"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { sampleBody } from "./SampleEvent.ts"
import { quantile } from "./Timing.ts"

/** What to send. */
interface LoadOptions {
  readonly url: string
  readonly key: string
  readonly connections: number
  readonly seconds: number
  /** Events a request; 1 sends single events. */
  readonly batch: number
  /** Requests a second at most; 0 for as many as go. */
  readonly rate: number
}

/** What came of it. */
export interface LoadResult {
  /** Accepted events a second. */
  readonly perSecond: number
  readonly accepted: number
  readonly refused: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

const send = async (options: LoadOptions): Promise<LoadResult> => {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections })
  const headers = { Authorization: `Bearer ${options.key}`, "Content-Type": "application/json" }
  const latencies: Array<number> = []
  let index = 0
  let accepted = 0
  let refused = 0
  const body = () => {
    const events = Array.from({ length: options.batch }, () => sampleBody(index++))
    return JSON.stringify(options.batch === 1 ? events[0] : { events })
  }
  // Bodies are made beforehand: making them would be the client's work, not the server's.
  const bodies = Array.from({ length: 200 }, body)
  /** `begun` is when the request was due: one that had to wait for its turn has waited for the server. */
  const one = (begun: number): Promise<void> =>
    new Promise((resolve) => {
      const text = bodies[index++ % bodies.length] ?? ""
      const call = request(options.url, {
        method: "POST",
        agent,
        headers: { ...headers, "Content-Length": Buffer.byteLength(text) }
      })
      call.on("response", (response) => {
        response.resume()
        response.on("end", () => {
          latencies.push(performance.now() - begun)
          if (response.statusCode === 202) accepted += options.batch
          else refused += options.batch
          resolve()
        })
      })
      call.on("error", () => {
        refused += options.batch
        resolve()
      })
      call.end(text)
    })
  const begun = performance.now()
  const end = begun + options.seconds * 1000
  let sent = 0
  const due = () => begun + (sent++ * 1000) / options.rate
  const worker = async () => {
    while (performance.now() < end) {
      const at = options.rate > 0 ? due() : performance.now()
      const pause = at - performance.now()
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
      // A timer may be late by itself, and that is not the server's fault.
      await one(pause > 0 ? performance.now() : at)
    }
  }
  await Promise.all(Array.from({ length: options.connections }, worker))
  const seconds = (performance.now() - begun) / 1000
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
  return { perSecond: accepted / seconds, accepted, refused, p50, p99 }
}

const self = fileURLToPath(import.meta.url)

/** Sends the load from another process. */
export const load = async (options: LoadOptions): Promise<LoadResult> => {
  const { stdout } = await promisify(execFile)(process.execPath, [self, JSON.stringify(options)])
  return JSON.parse(stdout)
}

if (process.argv[1] === self)
  process.stdout.write(JSON.stringify(await send(JSON.parse(process.argv[2] ?? "{}"))))
