/** Each subcommand as the command line has it: its help, its errors and its exit codes. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { cairn, cairnJson, cairnOnTerminal, hasTerminal, killLeftovers } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { decodeError } from "./ErrorJson.ts"

const folder = temporaryFolder()
killLeftovers()
const options = { database: join(folder, "cairn.db") }

describe("each command", () => {
  it("exits with 2 for what is not found, and takes the workspace by -w", { timeout: 60_000 }, async () => {
    await cairnJson(["workspace", "create", "Acme"], options)
    await cairnJson(["workspace", "show", "-w", "Acme"], options)
    await cairnJson(["workspace", "update", "-w", "Acme", "--plan", "pro"], options)
    for (const args of [
      ["workspace", "show", "-w", "Umbrella"],
      ["workspace", "show", "-w", "Acme", "Acme"],
      ["key", "revoke", "key_none", "--yes"],
      ["key"]
    ]) {
      const { code, stderr } = await cairn([...args, "--json"], options)
      assert.strictEqual(code, 2, args.join(" "))
      assert.strictEqual(decodeError(stderr).error.code, "usage")
    }
  })

  it("exits with 4 when the database cannot be reached", { timeout: 60_000 }, async () => {
    const { code, stderr } = await cairn(["workspace", "list", "--json"], {
      database: "postgres://cairn@127.0.0.1:1/cairn"
    })
    assert.strictEqual(code, 4)
    assert.strictEqual(decodeError(stderr).error.code, "failed")
  })
})

describe("a command that writes a binary file", () => {
  it.skipIf(!hasTerminal)("writes nothing of it to a terminal", { timeout: 60_000 }, async () => {
    const { code, shown } = await cairnOnTerminal(["evidence"], { database: join(folder, "binary.db") })
    assert.strictEqual(code, 2)
    assert.match(shown, /^cairn: the file is binary.*--output FILE\r?\n$/)
  })
})
