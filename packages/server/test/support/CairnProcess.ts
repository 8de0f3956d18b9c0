/** The real thing: the `cairn` command and its server, each as a process of its own. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "@effect/vitest"
import { OutOfTime } from "./Eventually.ts"

/**
 * What `npm start` runs, made anew before the tests if the sources have changed: it starts in a fifth of
 * their time.
 */
const BIN = fileURLToPath(new URL("../../bundle/bin.js", import.meta.url))
/** For scripts of the tests, which import sources. */
const FLAGS = ["--conditions=@cairn/source", "--disable-warning=ExperimentalWarning"]

/** Beyond this a process is considered stuck. */
const START_MILLIS = 45_000

const running = new Set<ChildProcess>()
const killAll = () => {
  for (const child of running) child.kill("SIGKILL")
}
process.on("exit", killAll)

/** The environment without any `CAIRN_*` variable but those that are given. */
const environment = (variables: Record<string, string>): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("CAIRN_"))),
  // The parent's flags, vitest's own among them, are not for the child.
  NODE_OPTIONS: "",
  // A thousand modules are compiled once and not in every process: it nearly halves the time to start.
  NODE_COMPILE_CACHE: join(tmpdir(), "cairn-test-compile-cache"),
  ...variables
})

/** That of the servers on PostgreSQL. */
export const SECRET_KEY = Buffer.alloc(32, 1).toString("base64")

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process with what it has written so far. */
export interface TrackedProcess {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  readonly ended: Promise<Ended>
}

/** Starts Node on a script; it is killed with the tests, at the latest. */
export const startNode = (
  args: ReadonlyArray<string>,
  variables: Record<string, string> = {}
): TrackedProcess => startProgram(process.execPath, [...FLAGS, ...args], variables)

/** Starts a program; it is killed with the tests, at the latest. */
export const startProgram = (
  program: string,
  args: ReadonlyArray<string>,
  variables: Record<string, string> = {}
): TrackedProcess => {
  const child = spawn(program, args, { env: environment(variables) })
  running.add(child)
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  })
  return { child, stdout: () => stdout, stderr: () => stderr, ended }
}

/** What a command left behind. */
export interface CommandResult extends Ended {
  readonly stdout: string
  readonly stderr: string
}

/** Settings of a command. */
export interface CommandOptions {
  /** Path of a SQLite database, or URL of another. */
  readonly database: string
  /** Standard input. */
  readonly input?: string
  /** Further `CAIRN_*` variables. */
  readonly variables?: Record<string, string>
  /** The command of another version. */
  readonly bin?: string
}

/** The variables of a database; one that processes share needs a secret key that they share. */
const databaseVariables = (database: string): Record<string, string> =>
  database.includes("://")
    ? { CAIRN_DATABASE_URL: database, CAIRN_SECRET_KEY: SECRET_KEY }
    : { CAIRN_DATABASE_URL: `sqlite:${database}` }

/**
 * Unless a test is about them: whatever else it reads, an hour may be over at any moment; no balancer looks;
 * and nobody sets the service up.
 */
const UNASKED = {
  CAIRN_CHECKPOINT_EVERY_SECONDS: "0",
  CAIRN_DRAIN_SECONDS: "0",
  CAIRN_SETUP_FILE: "none"
}

/** Starts `cairn …`. */
export const startCairn = (
  args: ReadonlyArray<string>,
  { database, input, variables, bin = BIN }: CommandOptions
): TrackedProcess => {
  const tracked = startNode([bin, ...args], { ...UNASKED, ...databaseVariables(database), ...variables })
  tracked.child.stdin?.end(input ?? "")
  return tracked
}

/** Runs `cairn …` to its end. */
export const cairn = async (args: ReadonlyArray<string>, options: CommandOptions): Promise<CommandResult> => {
  const { stdout, stderr, ended } = startCairn(args, options)
  return { ...(await ended), stdout: stdout(), stderr: stderr() }
}

/** What makes a terminal for a command; not every system has it. */
const SCRIPT = "/usr/bin/script"

/** Whether {@link cairnOnTerminal} works here. */
export const hasTerminal = process.platform === "linux" && existsSync(SCRIPT)

/** Runs `cairn …` on a terminal on which `input` is typed; gives its exit code and what was shown there. */
export const cairnOnTerminal = (
  args: ReadonlyArray<string>,
  { database, input, variables }: CommandOptions
): Promise<{ readonly code: number | null; readonly shown: string }> => {
  const command = [process.execPath, ...FLAGS, BIN, ...args].map((word) => `'${word}'`).join(" ")
  const env = environment({ ...UNASKED, ...databaseVariables(database), ...variables })
  return new Promise((resolve) => {
    const child = execFile(SCRIPT, ["-qec", command, "/dev/null"], { env }, (_, stdout) => {
      resolve({ code: child.exitCode, shown: stdout })
    })
    child.stdin?.end(input ?? "")
  })
}

/** Runs `cairn … --json`, which must succeed, and gives what it printed. */
export const cairnJson = async (args: ReadonlyArray<string>, options: CommandOptions): Promise<unknown> => {
  const { code, stdout, stderr } = await cairn([...args, "--json"], options)
  if (code !== 0) throw new Error(`cairn ${args.join(" ")} failed with ${code}:\n${stdout}\n${stderr}`)
  return JSON.parse(stdout)
}

const field = (value: unknown, name: string): string => {
  const found = typeof value === "object" && value !== null ? Object.entries(value) : []
  const text: unknown = found.find(([key]) => key === name)?.[1]
  if (typeof text !== "string") throw new Error(`no ${name} in ${JSON.stringify(value)}`)
  return text
}

/** A workspace and a key to it. */
export interface Tenant {
  readonly workspaceId: string
  readonly keyId: string
  readonly key: string
}

const ALL_SCOPES = "ingest,read,export,viewer,admin"

/** Makes a workspace and a key with every scope, by the command. */
export const makeTenant = async (
  name: string,
  options: CommandOptions & { readonly plan?: string }
): Promise<Tenant> => {
  const plan = options.plan === undefined ? [] : ["--plan", options.plan]
  const workspaceId = field(await cairnJson(["workspace", "create", name, ...plan], options), "id")
  const key = await cairnJson(["key", "create", "--workspace", workspaceId, "--scopes", ALL_SCOPES], options)
  return { workspaceId, keyId: field(key, "id"), key: field(key, "key") }
}

/** Settings of a server. */
export interface ServerOptions extends CommandOptions {
  /** `--demo`: the first start makes a workspace, a week of events in it, and a key with every scope. */
  readonly demo?: boolean
  /** Makes a workspace that is empty and a key with every scope, before the first start. */
  readonly tenant?: boolean
  readonly role?: "all" | "api" | "worker"
  /** `--log-level` */
  readonly logLevel?: string
  /** Modules to load before anything else. */
  readonly preload?: ReadonlyArray<string>
}

/** A server that listens. */
export interface Server extends TrackedProcess {
  readonly baseUrl: string
  /** The key of a first start with `demo`, or of `tenant`; empty otherwise. */
  readonly key: string
  /** Its workspace; empty otherwise. */
  readonly workspaceId: string
  /** With `demo`, the path of the link that signs the demo's owner in; empty otherwise. */
  readonly signInPath: string
  /** Asks it to stop, and waits until it has. */
  readonly stop: () => Promise<Ended>
  /** Stops it in the middle of whatever it does. */
  readonly kill: () => Promise<Ended>
}

const READY = /"message":"Cairn listens on (\S+?)"/
/** The last thing that a start with `demo` prints. */
const DEMO_READY = /api\/v1\/verify -H|those of the first start/

/** Starts `cairn serve` on a free port, and waits until it listens. */
export const startServer = async ({
  database,
  variables,
  demo = false,
  tenant = false,
  role,
  logLevel,
  bin = BIN,
  preload = []
}: ServerOptions): Promise<Server> => {
  const made = tenant
    ? await makeTenant("Tenant", { database, bin, ...(variables ? { variables } : {}) })
    : undefined
  const imports = preload.map((file) => `--import=${file}`)
  const flags = [
    ...(demo ? ["--demo"] : []),
    ...(role === undefined ? [] : ["--role", role]),
    ...(logLevel === undefined ? [] : ["--log-level", logLevel])
  ]
  const tracked = startNode([...imports, bin, "serve", ...flags], {
    ...UNASKED,
    ...databaseVariables(database),
    CAIRN_PORT: "0",
    ...variables
  })
  const { child, stdout, stderr, ended } = tracked
  const isReady = () => READY.test(stderr()) && (!demo || DEMO_READY.test(stdout()))
  await new Promise<void>((resolve, reject) => {
    const said = (reason: string) => `${reason}:\n${stdout()}\n${stderr()}`
    const fail = (reason: string) => reject(new Error(said(reason)))
    const timer = setTimeout(() => reject(new OutOfTime(said("the server did not start"))), START_MILLIS)
    const look = () => {
      if (!isReady()) return
      clearTimeout(timer)
      resolve()
    }
    child.stdout?.on("data", look)
    child.stderr?.on("data", look)
    ended.then(
      ({ code }) => {
        clearTimeout(timer)
        fail(`the server ended with ${code}`)
      },
      () => {}
    )
  })
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return {
    ...tracked,
    baseUrl: READY.exec(stderr())?.[1] ?? "",
    key: made?.key ?? /^API key\s+(\S+)/m.exec(stdout())?.[1] ?? "",
    workspaceId: made?.workspaceId ?? /^Workspace\s+(\S+)/m.exec(stdout())?.[1] ?? "",
    signInPath: /^Console\s+https?:\/\/[^/]+(\S+)/m.exec(stdout())?.[1] ?? "",
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL")
  }
}

/** The errors that a server has logged. */
export const loggedErrors = (stderr: string): ReadonlyArray<string> =>
  stderr.split("\n").filter((line) => line.includes('"level":"ERROR"'))

/** Kills what is left after the tests of the file that asks for it. */
export const killLeftovers = (): void => {
  afterAll(killAll)
}
