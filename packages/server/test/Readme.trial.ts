import { execFile, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Event } from "@cairn/core/event"
import { Page } from "@cairn/core/log"
import { ChainVerification } from "@cairn/core/verification"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { apiClient, decodeItem } from "./support/ApiClient.ts"
import { killLeftovers, type Server, startServer } from "./support/CairnProcess.ts"
import { eventually } from "./support/Eventually.ts"
import { chainOfSoundStore } from "./support/SoundStore.ts"
import { temporaryFolder } from "./support/TemporaryFolder.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const readme = readFileSync(join(root, "README.md"), "utf8")

/** Where the README's server listens: the default address. */
const README_URL = "http://127.0.0.1:8787"

/**
 * What the README shows to type under a heading, a command each; a line that ends with a backslash goes on.
 */
const commandsUnder = (heading: string): ReadonlyArray<string> => {
  const [, section = ""] = readme.split(`\n${heading}\n`)
  const [own = ""] = section.split(/\n#{1,6} /)
  return [...own.matchAll(/```sh\n([\s\S]+?)```/g)].flatMap(([, block = ""]) =>
    block.split(/(?<!\\)\n/).filter((line) => line !== "")
  )
}

const missing = ["sh", "curl"].filter((program) => spawnSync(program, ["--version"]).error !== undefined)
const because = missing.length === 0 ? "" : ` (skipped: no ${missing.join(" and no ")} here)`

interface Typed {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * A person's shell in `cwd`; npm's variables and Node's options of the run that started this test would leak
 * into it.
 */
const shell = (cwd: string, variables: Record<string, string> = {}) => {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_|^NODE_OPTIONS$|^CAIRN_/i.test(name)
  )
  const env = { ...Object.fromEntries(inherited), ...variables }
  /** Pastes `text` and gives what came of it. */
  return (text: string): Promise<Typed> =>
    new Promise((resolve) => {
      const child = execFile("sh", { cwd, env, timeout: 60_000 }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr })
      })
      child.stdin?.end(`${text}\n`)
    })
}

/** The words that a shell makes of a command. */
const wordsOf = async (paste: ReturnType<typeof shell>, command: string): Promise<ReadonlyArray<string>> => {
  const { stdout } = await paste(`curl() { printf '%s\\n' "$@"; }\n${command}`)
  return stdout.trimEnd().split("\n")
}

const manifest = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ bin: Schema.Struct({ cairn: Schema.String }) }))
)(readFileSync(join(root, "packages/server/package.json"), "utf8"))

/** The file behind the command of an auditor. */
const VERIFY = join(root, "packages/verifier/bin/cairn-verify.js")

const decodeEvents = Schema.decodeUnknownSync(Schema.fromJsonString(Page(Event)))
const decodeVerification = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ data: ChainVerification }))
)

const Ids = Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) })

describe.skipIf(missing.length > 0)(`the README, pasted into a shell${because}`, () => {
  const folder = temporaryFolder()
  killLeftovers()
  let server: Server
  let paste: ReturnType<typeof shell>

  beforeAll(async () => {
    // What `npm start` does first; `npx @cairn/server` runs the same bundle.
    const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/bundle.mjs")], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stderr)
    // A checkout of its own, as far as a command can tell, with its database where it is by default.
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }))
    const bin = join(folder, "node_modules/.bin")
    mkdirSync(bin, { recursive: true })
    symlinkSync(join(root, "packages/server", manifest.bin.cairn), join(bin, "cairn"))
    symlinkSync(VERIFY, join(bin, "cairn-verify"))
    mkdirSync(join(folder, "node_modules/@cairn"))
    for (const name of ["server", "verifier"]) {
      symlinkSync(join(root, "packages", name), join(folder, "node_modules/@cairn", name))
    }
    mkdirSync(join(folder, "data"))
    server = await startServer({ database: join(folder, "data/cairn.db"), demo: true })
    // curl reaches the server by the address that the README shows, though it listens on a free port.
    const { host } = new URL(server.baseUrl)
    writeFileSync(join(folder, ".curlrc"), `noproxy = "*"\nconnect-to = "127.0.0.1:8787:${host}"\n`)
    paste = shell(folder, { CURL_HOME: folder, CAIRN_API_KEY: server.key })
  })

  /** What the list answers once it shows the event. */
  const listed = (command: string, id: string) =>
    eventually(`${command} shows the event`, async () => {
      const { data } = decodeEvents((await paste(command)).stdout)
      return data.find((event) => event.id === id)
    })

  it("makes a first event, shows it with its hashes, and verifies it", async () => {
    const [send = "", list = "", ...others] = commandsUnder("### A first event")
    assert.deepStrictEqual(others, [])
    const sent = await paste(send)
    assert.strictEqual(sent.code, 0, sent.stderr)
    const { id, status } = decodeItem(JSON.parse(sent.stdout))
    assert.strictEqual(status, "queued")

    const { action, integrity } = await listed(list, id ?? "")
    assert.strictEqual(action, "document.created")
    assert.match(integrity.event_hash ?? "", /^[0-9a-f]{64}$/)
    assert.match(integrity.previous_event_hash ?? "", /^[0-9a-f]{64}$/)

    const [verify = "", ...more] = commandsUnder("### Verifying")
    assert.deepStrictEqual(more, [])
    const shown = /```json\n(\{.+?\})\n```/.exec(readme)?.[1] ?? ""
    const { data } = decodeVerification((await paste(verify)).stdout)
    const { events_checked: checked } = data
    assert.isAbove(checked, 2_000)
    // As many as there are, for the number that is shown.
    assert.deepStrictEqual({ data }, JSON.parse(shown.replaceAll(/\d{4}/g, String(checked))))
  })

  it("takes a webhook to the same machine, and to no other private address", async () => {
    const { request } = apiClient(server.baseUrl, server.key)
    const urls = ["http://127.0.0.1:9/", "http://[::1]:9/", "http://10.0.0.1/", "http://169.254.169.254/"]
    const answers = await Promise.all(urls.map((url) => request("POST", "/api/v1/webhooks", { url })))
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      [201, 201, 422, 422]
    )
    assert.include(JSON.stringify(answers[2]?.body), "CAIRN_OUTBOUND_ALLOW")
    const hooks = Schema.decodeUnknownSync(Ids)((await request("GET", "/api/v1/webhooks")).body)
    await Promise.all(hooks.data.map(({ id }) => request("DELETE", `/api/v1/webhooks/${id}`)))
  })

  it("opens the viewer by the link that the start prints, and reads what it shows", async () => {
    const link = /^Viewer {5}(\S+)/m.exec(server.stdout())?.[1] ?? ""
    const page = await fetch(link)
    assert.strictEqual(page.status, 200)
    assert.match(await page.text(), /<!doctype html>/i)
    const token = new URL(link).searchParams.get("token")
    const events = await fetch(`${server.baseUrl}/api/v1/events`, {
      headers: { authorization: `Bearer ${token}` }
    })
    assert.strictEqual(events.status, 200)
  })

  it("has the lines that the first start prints, where only the key is another", async () => {
    const printed = server.stdout().match(/^ {2}curl .+$/gm) ?? []
    const inReadme = ["### A first event", "### Verifying"].flatMap(commandsUnder)
    assert.strictEqual(printed.length, 3)
    assert.deepStrictEqual(
      await Promise.all(printed.map((line) => wordsOf(paste, line))),
      await Promise.all(
        inReadme.map((line) =>
          wordsOf(
            paste,
            line.replace(README_URL, () => server.baseUrl)
          )
        )
      )
    )
  })

  it("is matched by lines of the first start that work as they are printed", async () => {
    const bare = shell(folder)
    const [send = "", list = "", verify = ""] = server.stdout().match(/^ {2}curl .+$/gm) ?? []
    const { id, status } = decodeItem(JSON.parse((await bare(send)).stdout))
    assert.strictEqual(status, "queued")
    await listed(list, id ?? "")
    const { data } = decodeVerification((await bare(verify)).stdout)
    assert.isTrue(data.valid)
    assert.isAtLeast(data.events_checked, 3)
  })

  it("verifies with `npx @cairn/server verify` as over HTTP, beside the server", async () => {
    assert.include(readme, "`npx @cairn/server verify` does the same")
    const [verify = ""] = commandsUnder("### Verifying")
    const { data } = decodeVerification((await paste(verify)).stdout)
    const { code, stdout, stderr } = await paste("npx @cairn/server verify --json")
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual<object>(chainOfSoundStore(JSON.parse(stdout)), data)
  })

  it("writes the log as a bundle that verifies, and is never written over", async () => {
    const commands = commandsUnder("### Proving")
    assert.lengthOf(commands, 3)
    const [write = "", verify = "", report = ""] = commands
    const written = await paste(write)
    assert.strictEqual(written.code, 0, written.stderr)
    const { code, stdout, stderr } = await paste(verify)
    assert.strictEqual(code, 0, stderr)
    assert.match(stdout, /^INTACT/)
    assert.notStrictEqual((await paste(write)).code, 0)
    const reported = await paste(report)
    assert.strictEqual(reported.code, 0, reported.stderr)
    assert.include(readFileSync(join(folder, "report.html"), "utf8"), "INTACT BY ITSELF")
    assert.notStrictEqual((await paste(report)).code, 0)
  })

  it("has commands that work one after the other", { timeout: 300_000 }, async () => {
    const commands = commandsUnder("## The `cairn` command")
    assert.deepStrictEqual(
      commands.map((command) => command.split(" ").slice(0, 3).join(" ")),
      ["workspace", "key", "member", "member", "import", "verify", "serve"].map(
        (name) => `npx @cairn/server ${name}`
      )
    )
    const event = { actor_id: "ada", action: "document.imported" }
    writeFileSync(join(folder, "events.jsonl"), `${JSON.stringify(event)}\n`.repeat(3))
    for (const command of commands) {
      const { code, stdout, stderr } = await paste(command)
      assert.strictEqual(code, 0, `${command}\n${stdout}\n${stderr}`)
    }
  })
})

describe("the commands that `npx @cairn/server` and `npx @cairn/verifier` run", () => {
  it.each([join(root, "packages/server", manifest.bin.cairn), VERIFY])(
    "are there before anything is built, which is when npm links them: %s",
    (file) => {
      assert.match(readFileSync(file, "utf8"), /^#!\/usr\/bin\/env .*node/)
      // 0 would say that it is left out of a clone; 1 that it is not, and 128 that this is no clone.
      assert.notStrictEqual(spawnSync("git", ["check-ignore", "-q", file], { cwd: root }).status, 0)
    }
  )
})
