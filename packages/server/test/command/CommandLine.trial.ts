/** Every subcommand walked through: its help, its errors, and what it asks before it cannot be undone. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { siblingFile } from "@cairn/storage-sqlite"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  cairn,
  cairnJson,
  cairnOnTerminal,
  hasTerminal,
  killLeftovers,
  makeTenant
} from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { decodeError } from "./ErrorJson.ts"

const folder = temporaryFolder()
killLeftovers()
const options = { database: join(folder, "cairn.db") }

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
})

const decodePlan = Schema.decodeUnknownSync(
  Schema.Struct({
    dry_run: Schema.Literal(true),
    action: Schema.String,
    workspace: Schema.Struct({ id: Schema.String, name: Schema.Literal("Asked") }),
    sequences: Schema.optionalKey(Schema.Array(Schema.Number))
  })
)

/** What a database's files hold. */
const rowsOf = (database: string): string => {
  const files = [database, ...["inbox", "consumers"].map((each) => siblingFile(database, each))]
  return files
    .map((file) => {
      const db = new DatabaseSync(file, { readOnly: true })
      const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
      const rows = tables.map(({ name }) => [name, db.prepare(`SELECT * FROM "${String(name)}"`).all()])
      db.close()
      return JSON.stringify(rows)
    })
    .join("\n")
}

describe("a command that cannot be undone", () => {
  const asked = { database: join(folder, "asked.db") }
  let commands: ReadonlyArray<readonly [action: string, args: ReadonlyArray<string>, result: RegExp]> = []
  beforeAll(async () => {
    const { keyId } = await makeTenant("Asked", asked)
    const event = JSON.stringify({ actor_id: "ada", action: "a.b", occurred_at: "2026-05-01T12:00:00Z" })
    await cairnJson(["import", "-"], { ...asked, input: `${event}\n${event}\n` })
    await cairnJson(["viewer-key", "rotate", "--yes"], asked)
    commands = [
      ["rotate_viewer_key", ["viewer-key", "rotate"], /"revoked":false/],
      ["rotate_viewer_key", ["viewer-key", "rotate", "--revoke"], /"revoked":true/],
      ["revoke_key", ["key", "revoke", keyId], /"revoked_at":"2/],
      ["erase", ["erase", "--actor", "ada", "--reason", "asked"], /"sequences":\[\d+,\d+\]/]
    ]
  }, 60_000)

  it("shows what it will do, and does it with --yes only where it cannot ask", {
    timeout: 180_000
  }, async () => {
    for (const [action, args, result] of commands) {
      const name = args.join(" ")
      const before = rowsOf(asked.database)
      const refused = await cairn(args, asked)
      assert.strictEqual(refused.code, 2, name)
      assert.match(refused.stderr, /^cairn: cairn .* --yes/, name)
      const plan = await cairnJson([...args, "--dry-run"], asked)
      assert.strictEqual(decodePlan(plan).action, action, name)
      if (action === "erase") assert.lengthOf(decodePlan(plan).sequences ?? [], 2)
      if (hasTerminal) {
        const no = await cairnOnTerminal(args, { ...asked, input: "n\n" })
        assert.deepInclude(no, { code: 2 }, no.shown)
        assert.match(no.shown, /Asked[\s\S]*Go on\? \[y\/N\][\s\S]*Nothing was changed/, name)
      }
      assert.strictEqual(rowsOf(asked.database), before, name)
      const json = [...args, "--json"]
      const done =
        hasTerminal && action === "erase"
          ? await cairnOnTerminal(json, { ...asked, input: "y\n" }).then(({ code, shown }) => ({
              code,
              stdout: shown
            }))
          : await cairn([...json, "--yes"], asked)
      assert.strictEqual(done.code, 0, name)
      assert.match(done.stdout, result, name)
      assert.notStrictEqual(rowsOf(asked.database), before, name)
    }
  })
})
