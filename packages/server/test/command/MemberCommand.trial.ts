import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { row } from "../../src/command/Shared.ts"
import { cairn, cairnJson, killLeftovers } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

const MAIL = { CAIRN_SMTP_URL: "smtp://127.0.0.1:9", CAIRN_MAIL_FROM: "cairn@example.com" }
const EMAIL = "ada@example.com"

describe("cairn member", () => {
  it("adds a member also where no invitation is sent any more, and says so", async () => {
    const options = { database: join(folder, "invited.db"), variables: MAIL }
    await cairnJson(["workspace", "create", "Acme"], options)
    for (let count = 0; count < 5; count++) {
      const added = await cairnJson(["member", "add", EMAIL], options)
      assert.deepInclude(added, { email: EMAIL, invited: true })
      await cairnJson(["member", "remove", EMAIL, "--yes"], options)
    }
    const { code, stdout } = await cairn(["member", "add", EMAIL], options)
    assert.strictEqual(code, 0)
    assert.include(stdout, "Not invited by mail (the address was invited five times within an hour")
    const { stdout: listed } = await cairn(["member", "list"], options)
    assert.include(listed, EMAIL)
  })

  it("signs a person out of sessions and of links that were not used yet", async () => {
    const database = join(folder, "links.db")
    await cairnJson(["workspace", "create", "Acme"], { database })
    await cairnJson(["member", "add", EMAIL], { database })
    await cairnJson(["member", "sign-in-link", EMAIL], { database })
    const unspent = () => {
      const opened = new DatabaseSync(database, { readOnly: true })
      const [found] = opened.prepare("SELECT count(*) AS n FROM sign_in_link WHERE spent_at IS NULL").all()
      opened.close()
      return found?.n
    }
    assert.strictEqual(unspent(), 1)
    assert.deepStrictEqual(await cairnJson(["member", "sign-out", "ADA@example.com"], { database }), {
      email: "ADA@example.com",
      ended: 0
    })
    assert.strictEqual(unspent(), 0)
    const nobody = await cairn(["member", "sign-out", "eve@example.com"], { database })
    assert.notStrictEqual(nobody.code, 0)
  })
})

describe("a line of a list", () => {
  it("is one line, whatever names are in it", () => {
    const line = row("mem_1", "x\nmem_2  owner", "\r", "\u2028", "\t", "\u202e")
    assert.notMatch(line, /[\n\r\u2028\t\u202e]/)
    assert.include(line, "mem_1  x")
  })
})
