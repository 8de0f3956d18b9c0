/** Each subcommand as the command line has it: its help, its errors and its exit codes. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { cairn, cairnJson, killLeftovers } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()
const options = { database: join(folder, "cairn.db") }

const decodeError = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      error: Schema.Struct({
        code: Schema.String,
        message: Schema.NonEmptyString,
        hint: Schema.optionalKey(Schema.String)
      })
    })
  )
)

/** The subcommands that a help lists. */
const subcommandsIn = (help: string): ReadonlyArray<string> => {
  const [, list = ""] = /^SUBCOMMANDS\n((?: {2}.*\n?)+)/m.exec(help) ?? []
  return [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = ""]) => name)
}

/** A command path, and all below it. */
const walk = async (path: ReadonlyArray<string>): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const { code, stdout } = await cairn([...path, "--help"], options)
  const name = ["cairn", ...path].join(" ")
  assert.strictEqual(code, 0, name)
  assert.match(stdout, new RegExp(`^EXAMPLES\\n(?:.*\\n)*? +(?:\\S+=\\S+ )?${name}`, "m"), name)
  const below = await Promise.all(subcommandsIn(stdout).map((sub) => walk([...path, sub])))
  return [path, ...below.flat()]
}

describe("each command", () => {
  it("shows an example, and says first what is wrong with its arguments", { timeout: 180_000 }, async () => {
    const commands = await walk([])
    assert.isAbove(commands.length, 30)
    for (const path of commands) {
      const name = ["cairn", ...path].join(" ")
      const { code, stdout, stderr } = await cairn([...path, "--no-such-option", "--json"], options)
      assert.strictEqual(code, 2, name)
      assert.strictEqual(stdout, "", name)
      const { error } = decodeError(stderr)
      assert.strictEqual(error.code, "usage", name)
      assert.include(error.message, "--no-such-option", name)
      assert.strictEqual(error.hint, `See ${name} --help`)
    }
    const text = await cairn(["key", "list", "--no-such-option"], options)
    assert.strictEqual(text.stdout, "")
    assert.match(text.stderr, /^cairn: .*--no-such-option.*\nSee cairn key list --help\n$/)
  })

  it("exits with 2 for what is not found, and takes the workspace by -w", { timeout: 60_000 }, async () => {
    await cairnJson(["workspace", "create", "Acme"], options)
    await cairnJson(["workspace", "show", "-w", "Acme"], options)
    await cairnJson(["workspace", "update", "-w", "Acme", "--plan", "pro"], options)
    for (const args of [
      ["workspace", "show", "-w", "Umbrella"],
      ["workspace", "show", "-w", "Acme", "Acme"],
      ["key", "revoke", "key_none"],
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
