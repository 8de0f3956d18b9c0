import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { listening } from "@cairn/testing/ListeningProgram"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const read = (path: string) => readFileSync(join(root, path), "utf8")

/** What a page shows to copy, in its order. */
const blocksOf = (page: string): ReadonlyArray<string> =>
  [...read(page).matchAll(/```js\n([\s\S]+?)```/g)].flatMap(([, block = ""]) => [block])

const express = read("examples/embed/src/express.js")
const fastify = read("examples/embed/src/fastify.js")

/** Where programs find the packages, and nothing else does. */
const programs = join(root, "node_modules", ".readme")
const data = mkdtempSync(join(tmpdir(), "cairn-embed-"))
const children: Array<{ readonly child: ChildProcess; readonly ended: Promise<unknown> }> = []

afterAll(async () => {
  for (const { child } of children) child.kill("SIGKILL")
  await Promise.all(children.map(({ ended }) => ended))
  rmSync(programs, { recursive: true, force: true })
  rmSync(data, { recursive: true, force: true })
})

/** Runs a program as it stands in a page, in a folder of its own. */
const runProgram = (name: string, text: string, env: Record<string, string>) => {
  const folder = join(data, name)
  mkdirSync(programs, { recursive: true })
  mkdirSync(folder, { recursive: true })
  const file = join(programs, `${name}.mjs`)
  writeFileSync(file, text)
  const child = spawn(process.execPath, ["--conditions=@cairn/source", file], {
    cwd: folder,
    env: { ...process.env, NODE_NO_WARNINGS: "1", PORT: "0", ...env }
  })
  const program = { child, folder, ...listening(child) }
  children.push(program)
  return program
}

/** A service of a page, as it is used and as it is misused. */
const describeService = (
  name: string,
  text: () => string,
  variables: () => Promise<Record<string, string>>
) =>
  describe(name, () => {
    let service: ReturnType<typeof runProgram>
    let base = ""

    beforeAll(async () => {
      service = runProgram(name.replace(/\W+/g, "-"), text(), await variables())
      base = `http://localhost:${await service.port}`
    })

    const rename = async (project: string, body: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${base}/projects/${project}/rename`, {
        method: "POST",
        body,
        headers: { "Content-Type": "application/json", ...headers }
      })
      return { status: answer.status, body: JSON.parse(await answer.text()) }
    }
    const get = async (path: string) => JSON.parse(await (await fetch(base + path)).text())

    it("records what it does, and who did it, whatever headers say", async () => {
      const renamed = await rename("7", '{"name":"Apollo"}', { "X-User": "ada" })
      assert.strictEqual(renamed.status, 200)
      assert.strictEqual(renamed.body.duplicate, false)
      assert.strictEqual((await rename("7", '{"name":"Zeus"}', { "X-User": "" })).status, 200)
      assert.strictEqual((await rename("7", '{"name":"Hera"}')).status, 200)
      const events: ReadonlyArray<{
        readonly id: string
        readonly actor: { readonly id: string }
        readonly resource: { readonly id: string }
        readonly metadata: unknown
      }> = await get("/audit?action=project.*")
      assert.deepStrictEqual(
        events.map(({ actor, resource, metadata }) => [actor.id, resource.id, metadata]),
        [
          ["anonymous", "7", { name: "Hera" }],
          ["anonymous", "7", { name: "Zeus" }],
          ["ada", "7", { name: "Apollo" }]
        ]
      )
      assert.strictEqual(events.at(-1)?.id, renamed.body.id)
    })

    it("rejects what cannot be recorded, and names the field", async () => {
      const long = await rename("7", '{"name":"Apollo"}', { "X-User": "x".repeat(300) })
      assert.strictEqual(long.status, 422)
      assert.match(long.body.error, /^actor_id: must have at most 256/)
      assert.strictEqual((await rename("7", "{")).status, 400)
      const misspelt = await fetch(`${base}/audit?actorId=ada`)
      assert.strictEqual(misspelt.status, 422)
      assert.include(await misspelt.text(), "did you mean `actor_id`?")
      assert.strictEqual((await rename("7", "{}")).status, 200)
    })

    it("verifies its own chain", async () => {
      assert.deepStrictEqual(await get("/audit/verify"), { valid: true, events_checked: 4, breaks: [] })
    })

    it("answers with the newest hundred events, whatever is asked for", async () => {
      await Promise.all(Array.from({ length: 100 }, (_, index) => rename("9", `{"name":"${index}"}`)))
      for (const query of ["", "?limit=1000"]) assert.lengthOf(await get(`/audit${query}`), 100)
      assert.lengthOf(await get("/audit?resource_id=7"), 4)
    })

    it("closes its log and ends on SIGTERM", async () => {
      const late = rename("8", '{"name":"Late"}', { "X-User": "ada" })
      await late
      service.child.kill("SIGTERM")
      assert.strictEqual(await service.ended, 0, service.printed())
      assert.notMatch(service.printed(), /Error/)
    })
  })

describe("examples/embed", () => {
  it.each([
    ["Express", express],
    ["Fastify", fastify]
  ])("takes less than 20 lines with %s", (_, text) => {
    assert.isBelow(text.trimEnd().split("\n").length, 20)
  })

  it.each([
    ["Express", express],
    ["Fastify", fastify]
  ])("ends and says why with %s if its port is taken", async (name, text) => {
    const taken = createServer()
    await once(taken.listen(0), "listening")
    const { port } = taken.address() as AddressInfo
    const { ended, printed } = runProgram(`taken-${name}`, text, { PORT: String(port) })
    assert.notStrictEqual(await ended.finally(() => taken.close()), 0)
    assert.include(printed(), "EADDRINUSE")
    assert.notInclude(printed(), "TypeError")
  })

  it("is what the pages show", () => {
    assert.deepStrictEqual(blocksOf("README.md"), [express, fastify])
    assert.deepStrictEqual(blocksOf("packages/storage-sqlite/README.md"), [express])
  })

  describeService(
    "with Express",
    () => express,
    async () => ({})
  )
  describeService(
    "with Fastify",
    () => fastify,
    async () => ({})
  )
})

describe("what the pages show answers when the log fails", () => {
  it.each([
    ["Express", express],
    ["Fastify", fastify]
  ])("and prints why, with %s", async (name, text) => {
    const failing = text.replace(
      /^const log = .*$/m,
      `const fails = (code) => Object.assign(new Error("the secret cause"), { code })
       const log = {
         record: async () => { throw fails("storage_unavailable") },
         events: async function* () { throw fails("internal") },
         close: async () => {}
       }`
    )
    assert.notStrictEqual(failing, text)
    const { child, port, ended, printed } = runProgram(`failing-${name}`, failing, {})
    const base = `http://localhost:${await port}`
    const answered = async (answer: Response) => ({ status: answer.status, body: await answer.json() })
    const body = { error: "try again later" }
    assert.deepStrictEqual(await answered(await fetch(`${base}/audit`)), { status: 500, body })
    const renamed = await fetch(`${base}/projects/7/rename`, { method: "POST" })
    assert.deepStrictEqual(await answered(renamed), { status: 503, body })
    child.kill("SIGTERM")
    assert.strictEqual(await ended, 0, printed())
    for (const text of ["internal", "storage_unavailable", "the secret cause"])
      assert.include(printed(), text)
  })
})

describe("the page of storage-postgres", () => {
  let postgres: TestPostgres | undefined
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.stop())

  describeService(
    "with Fastify on PostgreSQL",
    () => blocksOf("packages/storage-postgres/README.md")[0] ?? "",
    async () => ({ DATABASE_URL: (await postgres?.newDatabase()) ?? "" })
  )
})

describe("the page of the core", () => {
  it("shows a program that records, reads, verifies and writes evidence", async () => {
    const [text = ""] = blocksOf("packages/core/README.md")
    const { ended, folder, printed } = runProgram("core", text, {})
    assert.strictEqual(await ended, 0, printed())
    assert.match(printed(), /^20\S+Z ada\ntrue \[\]$/m)
    assert.isTrue(existsSync(join(folder, "bundle.gz")))
  })
})
