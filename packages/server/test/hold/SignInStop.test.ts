/** A link that was asked for is sent, also if the server stops before its time. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { siblingFile } from "@cairn/storage-sqlite"
import { assert, it } from "@effect/vitest"
import { cairnJson, killLeftovers, startServer } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

const EMAILS = Array.from({ length: 8 }, (_, index) => `member-${index}@example.com`)

it("links that were asked for just before a server stops wait in the outbox", async () => {
  const database = join(folder, "stop.db")
  const variables = { CAIRN_SMTP_URL: "smtp://127.0.0.1:9", CAIRN_MAIL_FROM: "cairn@example.com" }
  await cairnJson(["workspace", "create", "Acme"], { database })
  for (const email of EMAILS) await cairnJson(["member", "add", email, "--confirmed"], { database })
  const server = await startServer({ database, variables })
  const asked = EMAILS.map((email) =>
    fetch(`${server.baseUrl}/sign-in/email`, {
      method: "POST",
      headers: { "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ email })
    })
  )
  for (const answer of await Promise.all(asked)) assert.strictEqual(answer.status, 200)
  assert.strictEqual((await server.stop()).code, 0)
  const opened = new DatabaseSync(siblingFile(database, "consumers"), { readOnly: true })
  const targets = opened
    .prepare("SELECT target FROM outbox WHERE type = 'mail.sign_in'")
    .all()
    .map(({ target }) => target)
  opened.close()
  assert.sameMembers(targets, EMAILS)
})
