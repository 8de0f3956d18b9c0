/** The packaged server as a child process, on a database of its own, with a workspace that nothing limits. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** As `npm start` runs it. */
const FLAGS = ["--max-semi-space-size=8"]

const bin = fileURLToPath(new URL("../../server/bundle/bin.js", import.meta.url))

/** A server that listens. */
export interface ServerUnderTest {
  readonly baseUrl: string
  readonly key: string
  readonly filename: string
  /** Resident memory in MiB. */
  readonly residentMebibytes: () => number
  readonly stop: () => Promise<void>
}

const listening = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const read = (chunk: Buffer) => {
      text += chunk
      const url = /Cairn listens on (http:\S+)/.exec(text)?.[1]
      if (url !== undefined) resolve(url)
    }
    child.stdout?.on("data", read)
    child.stderr?.on("data", read)
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)))
  })

/** Starts one. */
export const startServer = async (
  environment: Readonly<Record<string, string>> = {}
): Promise<ServerUnderTest> => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-bench-"))
  const filename = join(folder, "cairn.db")
  const env = {
    ...process.env,
    NODE_OPTIONS: "",
    CAIRN_DATABASE_URL: `sqlite:${filename}`,
    CAIRN_PORT: "0",
    ...environment
  }
  const run = (...args: ReadonlyArray<string>) =>
    JSON.parse(execFileSync(process.execPath, [bin, ...args, "--json"], { env, encoding: "utf8" }))
  run("workspace", "create", "Bench")
  const { key } = run("key", "create")
  const child = spawn(process.execPath, [...FLAGS, bin, "serve"], { env })
  const baseUrl = await listening(child)
  return {
    baseUrl,
    key,
    filename,
    residentMebibytes: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024,
    stop: async () => {
      const exited = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGTERM")
      await exited
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
