/** A service without an owner, as real processes: where its set-up link is, and what it does. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { cairn, cairnJson, killLeftovers, type Server, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { HttpBrowser } from "../support/HttpBrowser.ts"
import { expectNothingForeign, pathOf, peopleDatabases, whoIs } from "../support/SignInSteps.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { DATABASES } from "../support/TestDatabase.ts"

killLeftovers()
const folder = temporaryFolder()
let files = 0
const newFile = () => join(folder, `${files++}`, "link.txt")

/** The last line of a server's log that says where the link is, or why there is none. */
const saidOf = (server: Server): Promise<string> =>
  eventually("what the log says of the link", () =>
    server
      .stderr()
      .split("\n")
      .findLast((line) => line.includes("No workspace has an owner yet"))
  )

const start = async (database: string, file: string, variables: Record<string, string> = {}) => {
  const server = await startServer({
    database,
    logLevel: "debug",
    variables: { CAIRN_SETUP_FILE: file, ...variables }
  })
  const said = await saidOf(server)
  return { server, said }
}

/** What the file holds: an address of the service. */
const linkIn = (file: string) => readFileSync(file, "utf8").trimEnd()

const tokenIn = (link: string) => new URL(link).searchParams.get("token") ?? ""

const use = async (baseUrl: string, link: string, fields: Record<string, string> = {}) => {
  const browser = new HttpBrowser()
  const opened = await browser.open(`${baseUrl}${pathOf(link)}`)
  if (opened.status !== 200) return { browser, answer: opened }
  const entered = { workspace_name: "Acme", email: "ada@example.com", name: "Ada", ...fields }
  const answer = await browser.submit(`${baseUrl}/set-up`, { token: tokenIn(link), ...entered })
  return { browser, answer }
}

describe.each(DATABASES)("A service without an owner, on %s", (kind) => {
  const { newDatabase } = peopleDatabases(kind)

  it("writes a link that one person can use, once, and logs where it is", async () => {
    const { database, rows } = await newDatabase()
    const file = newFile()
    const { server, said } = await start(database, file)
    assert.include(said, file)
    assert.strictEqual(statSync(file).mode & 0o7777, 0o600)
    const link = linkIn(file)
    assert.match(link, new RegExp(`^${server.baseUrl}/set-up\\?token=[A-Za-z0-9_-]{43}$`))
    const { browser, answer } = await use(server.baseUrl, link)
    assert.strictEqual(answer.status, 303, answer.text)
    assert.strictEqual((await whoIs(browser, server.baseUrl)).email, "ada@example.com")
    assert.isFalse(existsSync(file))
    assert.strictEqual((await use(server.baseUrl, link)).answer.status, 410)
    const [workspace] = await rows("SELECT id FROM workspace")
    await server.stop()
    const token = tokenIn(link)
    assert.notInclude(server.stderr() + server.stdout(), token)
    assert.include(server.stderr(), '"route":"/set-up"')
    assert.notInclude(JSON.stringify(await rows("SELECT * FROM sign_in_link")), token)
    await expectNothingForeign({ database }, String(workspace?.id))
    // An owner is there: the next start makes no link, and removes one that was left.
    writeFileSync(file, `${link}\n`)
    const later = await startServer({ database, variables: { CAIRN_SETUP_FILE: file } })
    await eventually("the removal of the file", () => (existsSync(file) ? undefined : true))
    assert.notInclude(later.stderr(), "owner")
    await later.stop()
  })

  it("has a new link with each start, and the one that was in the file works no more", async () => {
    const { database } = await newDatabase()
    const file = newFile()
    const first = await start(database, file)
    const former = linkIn(file)
    chmodSync(file, 0o644)
    await first.server.kill()
    const { server } = await start(database, file)
    assert.notStrictEqual(linkIn(file), former)
    assert.strictEqual(statSync(file).mode & 0o7777, 0o600)
    assert.strictEqual((await use(server.baseUrl, former)).answer.status, 410)
    assert.strictEqual((await use(server.baseUrl, linkIn(file))).answer.status, 303)
    await server.stop()
  })

  it("says how else there is an owner where the file cannot be written, and makes no link", async () => {
    const { database, rows } = await newDatabase()
    const taken = newFile()
    mkdirSync(join(taken, ".."))
    writeFileSync(taken, "mine")
    for (const [file, reason] of [
      [join(taken, "link.txt"), "ENOTDIR"],
      [taken, "holds something else"]
    ] as const) {
      const { server, said } = await start(database, file)
      assert.include(said, "cairn member add -w NAME ADDRESS --role owner --confirmed")
      assert.include(said, "cairn member sign-in-link ADDRESS")
      assert.include(said, reason)
      assert.include(said, '"level":"WARN"')
      await server.stop()
    }
    assert.strictEqual(readFileSync(taken, "utf8"), "mine")
    assert.deepStrictEqual(await rows("SELECT * FROM sign_in_link WHERE spent_at IS NULL"), [])
  })

  it("gets one owner of one workspace by the links of two processes at once", async () => {
    const { database, rows } = await newDatabase()
    const [one, other] = [newFile(), newFile()]
    const starts = await Promise.all([start(database, one), start(database, other)])
    const [a, b] = starts.map(({ server }) => server)
    const links = [linkIn(one), linkIn(other)]
    const uses = [0, 1, 2, 3, 4, 5].map((index) => {
      const server = index < 3 ? a : b
      const fields = { workspace_name: `Acme ${index}`, email: `ada${index}@example.com` }
      return use(server?.baseUrl ?? "", links[index % 2] ?? "", fields)
    })
    const statuses = (await Promise.all(uses)).map(({ answer }) => answer.status)
    assert.lengthOf(
      statuses.filter((status) => status === 303),
      1,
      statuses.join()
    )
    for (const status of statuses) assert.include([303, 410, 422], status)
    assert.lengthOf(await rows("SELECT id FROM workspace"), 1)
    assert.lengthOf(await rows("SELECT id FROM member"), 1)
    for (const link of links) assert.strictEqual((await use(b?.baseUrl ?? "", link)).answer.status, 410)
    await Promise.all(starts.map(({ server }) => server.stop()))
  })
})

describe("A set-up link", () => {
  it("is beside the database unless somebody says where", async () => {
    const database = join(folder, "beside", "cairn.db")
    const { server } = await start(database, "")
    const file = join(folder, "beside", "cairn-setup-link.txt")
    assert.include(await saidOf(server), file)
    assert.strictEqual(statSync(file).mode & 0o7777, 0o600)
    await server.stop()
  })

  it("is not made for a demo, a worker, and who wants none", async () => {
    for (const [name, options] of [
      ["demo", { demo: true }],
      ["worker", { role: "worker" as const }],
      ["none", { variables: { CAIRN_SETUP_FILE: "none" } }]
    ] as const) {
      const database = join(folder, `no-${name}`, "cairn.db")
      const server = await startServer({ variables: { CAIRN_SETUP_FILE: "" }, database, ...options })
      await server.stop()
      assert.isFalse(existsSync(join(folder, `no-${name}`, "cairn-setup-link.txt")), name)
      assert.notInclude(server.stderr(), "No workspace has an owner", name)
    }
  })

  it("does nothing once the command has made an owner", async () => {
    const database = join(folder, "command", "cairn.db")
    const file = newFile()
    const { server } = await start(database, file)
    await cairnJson(["workspace", "create", "Acme"], { database })
    const link = linkIn(file)
    const args = ["member", "add", "-w", "Acme", "ada@example.com", "--role", "owner", "--confirmed"]
    const { code, stderr } = await cairn(args, { database })
    assert.strictEqual(code, 0, stderr)
    const { answer } = await use(server.baseUrl, link)
    assert.strictEqual(answer.status, 410)
    assert.include(answer.text, "This service is set up")
    await server.stop()
  })

  it("is not written through a link that somebody has put in its place", async () => {
    const database = join(folder, "planted", "cairn.db")
    const file = newFile()
    mkdirSync(join(file, ".."))
    const target = join(folder, "target")
    writeFileSync(target, "mine")
    symlinkSync(target, file)
    const { server } = await start(database, file)
    assert.strictEqual(readFileSync(target, "utf8"), "mine")
    assert.strictEqual(statSync(file).mode & 0o7777, 0o600)
    assert.include(linkIn(file), "/set-up?token=")
    await server.stop()
  })
})
