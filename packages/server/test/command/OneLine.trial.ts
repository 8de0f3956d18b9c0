/** What stops a command from outside is said in one line, which names what to change. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { cairn, killLeftovers } from "../support/CairnProcess.ts"
import { logLines } from "../support/LogLines.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

const decodeError = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({ error: Schema.Struct({ code: Schema.String, message: Schema.String }) })
  )
)

const file = join(folder, "file")
writeFileSync(file, "")

/** Nothing listens there. */
const AWAY = "postgres://cairn:hidden-password@127.0.0.1:1/cairn"
const URL_PARTS = ["127.0.0.1:1/cairn", "ECONNREFUSED", "CAIRN_DATABASE_URL"]
const NO_FOLDER = [`${file}/deeper`, `EEXIST: file already exists, mkdir '${file}'`, "CAIRN_DATABASE_URL"]

const CASES: ReadonlyArray<readonly [args: string, database: string, parts: ReadonlyArray<string>]> = [
  ["workspace list", `${file}/deeper/cairn.db`, NO_FOLDER],
  ["migrate", `${file}/deeper/cairn.db`, NO_FOLDER],
  ["serve", `${file}/deeper/cairn.db`, NO_FOLDER],
  ["workspace list", AWAY, URL_PARTS],
  ["migrate", AWAY, URL_PARTS],
  ["verify", AWAY, URL_PARTS],
  ["secret rotate", AWAY, URL_PARTS],
  ["copy --to sqlite:other.db", AWAY, URL_PARTS],
  ...(existsSync("/proc")
    ? [["workspace list", "/proc/nope/cairn.db", ["/proc/nope", "ENOENT", "CAIRN_DATABASE_URL"]] as const]
    : [])
]

describe("a command that is stopped from outside", () => {
  it.each(CASES)("says so in one line: %s on %s", { timeout: 60_000 }, async (command, database, parts) => {
    const args = command.split(" ")
    const text = await cairn(args, { database })
    assert.strictEqual(text.code, 4, text.stderr)
    assert.match(text.stderr, /^cairn: .+\n$/)
    for (const part of parts) assert.include(text.stderr, part)
    assert.notInclude(text.stderr, "hidden-password")
    if (command === "serve" || command === "migrate") return
    const json = await cairn([...args, "--json"], { database })
    assert.strictEqual(json.code, 4)
    assert.strictEqual(json.stdout, "")
    assert.strictEqual(`cairn: ${decodeError(json.stderr).error.message}\n`, text.stderr)
  })

  it("says once that it made the folder of the database", { timeout: 60_000 }, async () => {
    const database = join(folder, "made", "deeper", "cairn.db")
    const first = await cairn(["workspace", "list"], { database })
    const lines = logLines(first.stderr).map(({ level, message }) => [level, String(message)] as const)
    assert.lengthOf(lines, 1)
    assert.strictEqual(lines[0]?.[0], "WARN")
    assert.include(lines[0]?.[1], `The folder of ${database} was not there and was made`)
    assert.include(lines[0]?.[1], "CAIRN_DATABASE_URL")
    assert.strictEqual((await cairn(["workspace", "list"], { database })).stderr, "")
  })
})
