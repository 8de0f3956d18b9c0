/** `npm start`: its links, and the demo's workspace, also when starts are killed or run side by side. */
import { join } from "node:path"
import { parseContent } from "@cairn/core/event"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { assert, describe, it } from "@effect/vitest"
import { DEMO_SEED, demoWeek, WEEK } from "../../src/demo/DemoWeek.ts"
import { SETTING_UP } from "../../src/demo/DemoWorkspace.ts"
import { apiClient } from "../support/ApiClient.ts"
import {
  type CommandOptions,
  cairn,
  cairnJson,
  killLeftovers,
  loggedErrors,
  startCairn,
  startServer
} from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { HttpBrowser } from "../support/HttpBrowser.ts"
import {
  operatorLink,
  type PeopleDatabase,
  peopleDatabases,
  signedInBy,
  useLink,
  whoIs
} from "../support/SignInSteps.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { DATABASES } from "../support/TestDatabase.ts"

const folder = temporaryFolder()

/** Where starts are killed one after another: at a number of rows of a table. */
const STOPS: ReadonlyArray<readonly [table: string, count: number]> = isEndurance()
  ? [
      ["workspace", 1],
      ["alert_rule", 2],
      ["event", 200],
      ["event", 1_600]
    ]
  : [
      ["workspace", 1],
      ["event", 1_000]
    ]

const OWNER = "ada@demo.example"

const countOf = async ({ rows }: PeopleDatabase, table: string): Promise<number> => {
  const [row] = await rows(`SELECT count(*) AS n FROM ${table}`)
  return Number(row?.n)
}

/** What the log has after a sequence. */
const eventsAfter = async ({ rows }: PeopleDatabase, sequence: number) =>
  (await rows(`SELECT created_at, content FROM event WHERE sequence > ${sequence} ORDER BY sequence`)).map(
    ({ created_at, content }) => ({
      createdAt: Number(created_at),
      action: parseContent(String(content))?.action ?? ""
    })
  )

/** Everything of the demo, each thing once: fails otherwise. */
const assertWhole = async (database: PeopleDatabase) => {
  const workspaces = await database.rows("SELECT id, created_at FROM workspace")
  assert.lengthOf(workspaces, 1)
  const until = Number(workspaces[0]?.created_at) + SETTING_UP + WEEK
  const week = demoWeek({ seed: DEMO_SEED, until })
  const expected = { member: 5, alert_rule: 6, webhook: 1, log_stream: 1, export: 1 }
  for (const [table, count] of Object.entries(expected))
    assert.strictEqual(await countOf(database, table), count, table)
  const keys = (await database.rows("SELECT name FROM api_key")).map(({ name }) => String(name))
  assert.deepStrictEqual(keys.toSorted(), ["Contractor", "Dashboard", "Data import", "Demo", "Production"])
  const stored = (await eventsAfter(database, 0))
    .filter(({ action }) => !action.startsWith("cairn."))
    .map(({ createdAt }) => createdAt)
  assert.lengthOf(stored, week.length)
  const verified = await cairnJson(["verify"], { database: database.database })
  assert.deepInclude(verified, { valid: true, complete: true })
  return { stored, week }
}

for (const kind of DATABASES) {
  describe(`npm start on ${kind}`, () => {
    killLeftovers()
    const databases = peopleDatabases(kind)

    it("fills a new database with a week that is dated as one, and raises alerts, beside the anchors", async () => {
      const database = await databases.newDatabase()
      const server = await startServer({ ...database, demo: true })
      const { stored, week } = await assertWhole(database)
      assert.deepStrictEqual(
        stored,
        week.map(({ at }) => at)
      )
      const client = apiClient(server.baseUrl, server.key)
      await eventually("alerts of five rules", async () => {
        const { body } = await client.get("/alerts", { limit: 100 })
        const { data } = body as { data: ReadonlyArray<{ rule_id: string }> }
        return new Set(data.map(({ rule_id }) => rule_id)).size === 5 ? data : undefined
      })
      await eventually("a delivery that failed", async () => {
        const { body } = await client.get("/deliveries", { limit: 100 })
        return (body as { data: ReadonlyArray<{ attempts: number }> }).data.find(
          ({ attempts }) => attempts > 0
        )
      })
      assert.deepStrictEqual(loggedErrors(server.stderr()), [])
      await server.kill()
    })

    it("leaves a service without it a set-up link, and a warning of its keys until they are revoked", async () => {
      const { database } = await databases.newDatabase()
      await (await startServer({ database, demo: true })).stop()
      const file = join(folder, `${kind}-set-up-link.txt`)
      const variables = { CAIRN_SETUP_FILE: file }
      const start = async () => {
        const server = await startServer({ database, variables })
        const log = await eventually("where the set-up link is", () =>
          server.stderr().includes("No workspace has an owner yet") ? server.stderr() : undefined
        )
        await server.stop()
        return `${log}${server.stderr()}`
      }
      const log = await start()
      assert.include(log, file)
      const workspace = /cairn key list -w (wsp_[0-9a-f-]+)/.exec(log)?.[1] ?? ""
      assert.include(log, "The database has the workspace of a demo, with API keys that work")
      const listed = await cairnJson(["key", "list", "-w", workspace], { database })
      for (const { id } of listed as ReadonlyArray<{ id: string }>)
        await cairnJson(["key", "revoke", "-w", workspace, id, "--yes"], { database })
      assert.notInclude(await start(), "the workspace of a demo")
    })

    it("prints a link whose button, and nothing else, signs in the owner, at each start", async () => {
      const database = await databases.newDatabase()
      const first = await startServer({ ...database, demo: true })
      const browser = new HttpBrowser()
      await browser.open(`${first.baseUrl}${first.signInPath}`)
      await new HttpBrowser().open(`${first.baseUrl}${first.signInPath}`)
      const arrived = await useLink(browser, first.signInPath, first.baseUrl)
      assert.strictEqual(arrived.status, 303, arrived.text)
      assert.strictEqual(arrived.headers.get("location"), "/")
      assert.strictEqual((await whoIs(browser, first.baseUrl)).email, OWNER)
      assert.include(first.stdout(), `npx @cairn/server member sign-in-link ${OWNER}`)
      await first.stop()

      const before = await countOf(database, "event")
      const second = await startServer({ ...database, demo: true })
      assert.notInclude(second.stdout(), "cairn_")
      assert.include(second.stdout(), "those of the first start")
      assert.notStrictEqual(second.signInPath, first.signInPath)
      for (const path of [second.signInPath, await operatorLink({ database: database.database }, OWNER)]) {
        assert.match(path, /^\/sign-in\/link\?token=/)
        assert.strictEqual((await whoIs(await signedInBy(path, second.baseUrl), second.baseUrl)).email, OWNER)
      }
      await assertWhole(database)
      // Who signs in is recorded; nothing else is.
      const later = await eventsAfter(database, before)
      assert.isNotEmpty(later)
      assert.deepStrictEqual(
        later.filter(({ action }) => action !== "cairn.session.started"),
        []
      )
      await second.kill()
    })

    it("goes on with what a start that was killed has left, wherever that was, and doubles nothing", async () => {
      const database = await databases.newDatabase()
      const options: CommandOptions = {
        database: database.database,
        variables: { CAIRN_PORT: "0" }
      }
      for (const [table, count] of STOPS) {
        const started = startCairn(["serve", "--demo"], options)
        await eventually(
          `${count} of ${table}`,
          async () => ((await countOf(database, table).catch(() => 0)) >= count ? true : undefined),
          60_000
        )
        started.child.kill("SIGKILL")
        await started.ended
      }
      const last = await startServer({ ...database, demo: true })
      await assertWhole(database)
      await last.kill()
    })

    it("is filled by one of two that start at the same time, and neither waits for ever", async () => {
      const database = await databases.newDatabase()
      // The tables are made before: this is about what is in them.
      await cairn(["migrate"], { database: database.database })
      const servers = await Promise.all([1, 2].map(() => startServer({ ...database, demo: true })))
      const keys = servers.map(({ key }) => key).filter((key) => key !== "")
      assert.lengthOf(keys, 1)
      await assertWhole(database)
      for (const one of servers) assert.notStrictEqual(one.signInPath, "")
      await Promise.all(servers.map((one) => one.kill()))
    })

    it("leaves a database alone that has a workspace, though that is named Demo", async () => {
      const database = await databases.newDatabase()
      await cairnJson(["workspace", "create", "Demo"], { database: database.database })
      const server = await startServer({ ...database, demo: true })
      assert.strictEqual(server.signInPath, "")
      assert.match(server.stdout(), /^Viewer {5}http\S+\/viewer\?token=\S+/m)
      for (const table of ["member", "api_key", "alert_rule", "webhook", "log_stream", "export"])
        assert.strictEqual(await countOf(database, table), 0, table)
      await eventually("the workspace's own event", async () =>
        (await countOf(database, "event")) === 1 ? true : undefined
      )
      await server.kill()
    })
  })
}
