/** The packaged server as a child process, with a workspace that nothing limits. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { LogDatabase } from "./databases/LogDatabase.ts"
import { processorMillis } from "./WorkCount.ts"

/** As `npm start` runs it. */
const FLAGS = ["--max-semi-space-size=8", "--heap-growing-percent=60", "--expose-gc"]

const bundle = fileURLToPath(new URL("../../server/bundle/bin.js", import.meta.url))

const environmentOf = ({ environment }: LogDatabase): Record<string, string | undefined> => ({
  ...process.env,
  NODE_OPTIONS: "",
  CAIRN_PORT: "0",
  CAIRN_DRAIN_SECONDS: "0",
  CAIRN_SETUP_FILE: "none",
  ...environment
})

/** Runs a command of `cairn` on a database. */
export const cairn = (database: LogDatabase, ...args: ReadonlyArray<string>): string =>
  execFileSync(process.execPath, [database.bin ?? bundle, ...args], {
    env: environmentOf(database),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"]
  })

/** A workspace and a key that may use it. */
export interface Tenant {
  readonly workspaceId: string
  readonly key: string
}

/** Makes one; names are for databases with several. */
export const newTenant = (database: LogDatabase, name = "Bench"): Tenant => {
  const { id } = JSON.parse(cairn(database, "workspace", "create", name, "--json"))
  const { key } = JSON.parse(cairn(database, "key", "create", "--workspace", id, "--json"))
  return { workspaceId: id, key }
}

/** A server that listens. */
export interface ServerUnderTest {
  readonly baseUrl: string
  readonly pid: number
  /** Resident memory in MiB. */
  readonly residentMebibytes: () => number
  /** Milliseconds of processor time that its threads have had, finer than the ticks of `/proc/PID/stat`. */
  readonly processorMillis: () => number
  readonly stop: () => Promise<void>
  /** Ends it at once, whatever it is doing. */
  readonly kill: () => Promise<void>
}

const listening = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const read = (chunk: Buffer) => {
      text += chunk
      const url = /"Cairn listens on (http:\S+?)"/.exec(text)?.[1]
      if (url !== undefined) resolve(url)
    }
    child.stdout?.on("data", read)
    child.stderr?.on("data", read)
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)))
  })

/** Starts one on a database. */
export const startServer = async (
  database: LogDatabase,
  settings: Readonly<Record<string, string>> = {},
  nodeFlags: ReadonlyArray<string> = []
): Promise<ServerUnderTest> => {
  const env = { ...environmentOf(database), ...settings }
  const child = spawn(process.execPath, [...FLAGS, ...nodeFlags, database.bin ?? bundle, "serve"], { env })
  const baseUrl = await listening(child)
  const { pid = 0 } = child
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise((resolve) => child.once("exit", resolve))
    child.kill(signal)
    await exited
  }
  return {
    baseUrl,
    pid,
    residentMebibytes: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
    processorMillis: () => processorMillis(pid),
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL")
  }
}
