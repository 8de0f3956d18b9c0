/** The service as a person runs it who has installed its packages: from a first start to a proof. */
import { execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import { assert } from "@effect/vitest"
import { Schema } from "effect"
import type { Installation } from "./EmbeddedPrograms.ts"

const MINUTE = 60_000
const execute = promisify(execFile)

/** A server in a person's own program, on the database of its folder. */
export const embeddedServer = `
import { readConfiguration, serve } from "@cairn/server"
import { Effect } from "effect"

const secretKeys = [Buffer.alloc(32, 1).toString("base64")]
await Effect.runPromise(
  Effect.flatMap(readConfiguration(process.env), (configuration) =>
    serve(configuration, { secretKeys, chain: null }, "all", (baseUrl) =>
      Effect.sync(() => console.log(\`Cairn listens on \${baseUrl}\`))
    )
  )
)
`

/** A program of a person's own that sends an event. */
const SENDING_PROGRAM = `
import { Cairn } from "@cairn/client"

const cairn = new Cairn({
  url: process.env.CAIRN_URL,
  apiKey: process.env.CAIRN_API_KEY,
  timeoutMillis: 30_000
})
const { status } = await cairn.record({ actor_id: "ada", action: "invoice.paid", resource_id: "42" })
await cairn.close()
console.log(status)
`

const decodeKey = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ key: Schema.String })))
const decodeEvents = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ data: Schema.Array(Schema.Struct({ action: Schema.String })) }))
)
const decodeReport = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ verdict: Schema.String, failures: Schema.Number }))
)

/** Where a program runs. */
interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Starts a program that serves; `baseUrl` is where it listens, once it does. */
export const startServing = ({ cwd, env }: Place, command: string, args: ReadonlyArray<string>) => {
  const child = spawn(command, args, {
    cwd,
    env: { ...env, CAIRN_PORT: "0", CAIRN_DRAIN_SECONDS: "0" },
    // A group of its own: npm hands no signal on to what it runs.
    detached: true
  })
  let said = ""
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const baseUrl = new Promise<string>((resolve, reject) => {
    const hear = (text: Buffer) => {
      said += text
      // Plain text of a program of one's own, or a JSON line of the command's log.
      const [, url] = /Cairn listens on ([^\s"]+)[\s"]/.exec(said) ?? []
      if (url !== undefined) resolve(url)
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.once("error", reject)
    void ended.then(() => reject(new Error(`the server ended:\n${said}`)))
  })
  /** Asks it to stop, and gives all that it said. */
  const stop = async (): Promise<string> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM")
    await ended
    return said
  }
  return { baseUrl, stop }
}

/** Loads the viewer's page and the program that it names. */
export const loadViewer = async (baseUrl: string): Promise<void> => {
  const page = await fetch(`${baseUrl}/viewer`)
  assert.strictEqual(page.status, 200)
  const [, script = ""] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? []
  const loaded = await fetch(new URL(script, page.url))
  assert.strictEqual(loaded.status, 200)
  assert.include(loaded.headers.get("content-type"), "javascript")
}

/** A folder to work in, and programs that run there by the Node of an installation. */
interface Desk extends Place {
  /** Runs a command of the packages to its end; gives what it printed. */
  readonly run: (...args: ReadonlyArray<string>) => Promise<string>
}

/** What is not installed is not fetched either; all that follows is for the command. */
const NPX = ["--no", "--"]

const makeDesk = async ({ consumer, node, environment }: Installation): Promise<Desk> => {
  const cwd = await mkdtemp(join(consumer, "desk-"))
  const secretKey = join(cwd, "secret.key")
  await writeFile(secretKey, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 })
  const env = {
    ...environment,
    PATH: [dirname(node), environment.PATH].join(delimiter),
    CAIRN_SECRET_KEY_FILE: secretKey
  }
  const run = async (...args: ReadonlyArray<string>) =>
    (await execute("npx", [...NPX, ...args], { cwd, env, timeout: MINUTE })).stdout
  return { cwd, env, run }
}

/** Sends an event by a program of a person's own, and waits until it is listed. */
const sendEvent = async ({ consumer, node }: Installation, desk: Desk, baseUrl: string, key: string) => {
  const program = join(consumer, "send.js")
  await writeFile(program, SENDING_PROGRAM)
  const env = { ...desk.env, CAIRN_URL: baseUrl, CAIRN_API_KEY: key }
  const sent = await execute(node, [program], { cwd: desk.cwd, env, timeout: MINUTE })
  assert.strictEqual(sent.stdout.trim(), "queued")
  const headers = { Authorization: `Bearer ${key}` }
  const listed = async () =>
    decodeEvents(await (await fetch(`${baseUrl}/api/v1/events?action=invoice.paid`, { headers })).text()).data
  for (let tries = 0; (await listed()).length === 0; tries++) {
    assert.isBelow(tries, 100, "the event is not in the log")
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.deepStrictEqual(await listed(), [{ action: "invoice.paid" }])
}

/**
 * Makes a workspace and a key, serves, sends an event by the client, reads and verifies it, writes a bundle
 * and has it checked: each by the Node of the installation, and by nothing that is not installed there.
 */
export const useInstalled = async (installation: Installation): Promise<void> => {
  const desk = await makeDesk(installation)
  await desk.run("cairn", "workspace", "create", "Acme")
  const ofKey = ["--workspace", "Acme", "--scopes", "ingest,read", "--json"]
  const { key } = decodeKey(await desk.run("cairn", "key", "create", ...ofKey))
  const server = startServing(desk, "npx", [...NPX, "cairn", "serve"])
  try {
    const baseUrl = await server.baseUrl
    await loadViewer(baseUrl)
    await sendEvent(installation, desk, baseUrl, key)
  } finally {
    assert.include(await server.stop(), "Cairn has stopped")
  }
  const verified = await desk.run("cairn", "verify", "--workspace", "Acme")
  assert.match(verified, /^valid: \d events checked, no break$/m)
  const bundle = join(desk.cwd, "bundle.gz")
  await desk.run("cairn", "evidence", "--workspace", "Acme", "--output", bundle)
  const trusted = (await desk.run("cairn", "checkpoint-key", "show")).trim()
  const report = await desk.run("cairn-verify", "--json", "--trusted-key", trusted, bundle)
  const { verdict, failures } = decodeReport(report)
  assert.deepStrictEqual([verdict, failures], ["intact", 0])
  // A file that was cut short on the way is not taken for a bundle.
  await writeFile(bundle, (await readFile(bundle)).subarray(0, -20))
  const damaged = await desk.run("cairn-verify", bundle).then(
    () => 0,
    (error: unknown) => (error instanceof Error && "code" in error ? error.code : error)
  )
  assert.strictEqual(damaged, 2)
}
