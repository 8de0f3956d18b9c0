/** A relay whose process stands still for longer than its lease, and goes on. */
import { type ChildProcess, fork } from "node:child_process"
import { createServer } from "node:http"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { afterAll, assert, it } from "@effect/vitest"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { Outbox, sqliteAdapter } from "../../src/outbox/index.ts"
import { standIn } from "./StandIn.ts"

const folder = temporaryFolder()
const service = standIn()
const children: Array<ChildProcess> = []

/** The stand-in behind a real address. */
const server = createServer(async (request, response) => {
  const body = await text(request)
  const answer = await service.fetch(`http://localhost${request.url}`, { body })
  response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text())
})

afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
  server.closeAllConnections()
  server.close()
})

const until = async (is: () => boolean): Promise<void> => {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 5))
}

it("loses its rows to another relay, doubles nothing, and then goes on with others", async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
  const file = join(folder, "app.db")
  const database = new DatabaseSync(file, { timeout: 10_000 })
  database.exec("PRAGMA journal_mode = WAL")
  const outbox = new Outbox(sqliteAdapter(database))
  await outbox.migrate()
  const commit = (actor_id: string) => {
    database.exec("BEGIN IMMEDIATE")
    void outbox.audit(database, { actor_id, action: "invoice.paid" })
    database.exec("COMMIT")
  }
  const count = (where = "true") =>
    database.prepare(`SELECT count(*) AS n FROM cairn_outbox WHERE ${where}`).get()?.n

  let isHeld = false
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  service.answer(async () => {
    isHeld = true
    await answered
    return undefined
  })
  commit("a")
  const child = fork(fileURLToPath(new URL("RelayProcess.ts", import.meta.url)), [file, url])
  children.push(child)
  await until(() => isHeld)
  child.kill("SIGSTOP")
  service.answer(() => undefined)
  const now = "(julianday('now') - 2440587.5) * 86400000"
  await until(() => count(`claimed_until IS NULL OR claimed_until <= ${now}`) === 1)
  const relay = outbox.relay({ url, apiKey: "key", pollMillis: 5 })
  await until(() => service.log.length === 1 && count() === 0)
  await relay.close()
  answer()
  commit("b")
  child.kill("SIGCONT")
  await until(() => service.log.length === 2 && count() === 0)
  assert.deepStrictEqual(service.actors(), ["a", "b"])
  database.close()
})
