/** Migrations since the former version only add: its servers run beside those of this version. */
import { execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Postgres from "@cairn/storage-postgres"
import * as Sqlite from "@cairn/storage-sqlite"
import { formerCommit } from "@cairn/testing/FormerVersion"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const FOLDERS = "packages/*/src/migrations/*.ts"

/** What takes something away that a server of the former version reads, or refuses what it writes. */
const TAKES_AWAY: ReadonlyArray<RegExp> = [
  /\bDROP\s+(?!NOT\s+NULL)\w+/i,
  /\bRENAME\b/i,
  /\bTRUNCATE\b/i,
  /\bALTER\s+COLUMN\s+\S+\s+(?:SET\s+NOT\s+NULL|(?:SET\s+DATA\s+)?TYPE)\b/i,
  /\bADD\s+(?:CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN)\b/i,
  /\bADD\s+COLUMN\b(?=[^,;]*\bNOT\s+NULL\b)(?![^,;]*\bDEFAULT\b)/i
]

/** The first of them in a text. */
const takenAway = (text: string): string | undefined =>
  TAKES_AWAY.map((pattern) => pattern.exec(text)?.[0]).find((found) => found !== undefined)

const former = await formerCommit().catch(() => undefined)

const title = former === undefined ? " (skipped: git does not know it)" : ""
describe.skipIf(former === undefined)(`migrations since the former version${title}`, () => {
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root, encoding: "utf8" })
  const before = (): ReadonlyArray<string> =>
    git("ls-tree", "-r", "--name-only", former ?? "HEAD", "packages")
      .split("\n")
      .filter((file) => /^packages\/[^/]+\/src\/migrations\/[^/]+\.ts$/.test(file))

  it("add, and take nothing away", () => {
    const known = new Set(before())
    assert.isAbove(known.size, 20)
    const added = globSync(FOLDERS, { cwd: root }).filter((file) => !known.has(file))
    const faults = added.flatMap((file) => {
      const fault = takenAway(readFileSync(`${root}${file}`, "utf8"))
      return fault === undefined ? [] : [`${file}: ${fault}`]
    })
    assert.deepStrictEqual(faults, [])
  })

  it("leave those that were applied as they were", () => {
    for (const file of before()) {
      assert.strictEqual(readFileSync(`${root}${file}`, "utf8"), git("show", `${former}:${file}`), file)
    }
  })
})

/** What is said to be the last migration that takes something away, by what a file's name begins with. */
const LAST: ReadonlyArray<readonly [prefix: string, last: number, count: number]> = [
  ["packages/storage-postgres/src/migrations/", Postgres.LAST_CONVERSION, Postgres.MIGRATIONS.length],
  ...Object.entries(Sqlite.LAST_CONVERSION).map(
    ([name, last]) =>
      [
        `packages/storage-sqlite/src/migrations/${name}`,
        last,
        Sqlite.MIGRATIONS[name as keyof typeof Sqlite.MIGRATIONS].length
      ] as const
  )
]

describe("migrations that a former program needs not have", () => {
  const files = globSync(FOLDERS, { cwd: root })

  it.each(LAST)("only add: %s, after %i of %i", (prefix, last, count) => {
    const numbered = files.flatMap((file) => {
      const number = file.startsWith(prefix) ? /^\d{4}/.exec(file.slice(prefix.length))?.[0] : undefined
      return number === undefined ? [] : [{ file, number: Number(number) }]
    })
    assert.strictEqual(numbered.length, count)
    const faults = numbered.flatMap(({ file, number }) => {
      const fault = number > last ? takenAway(readFileSync(`${root}${file}`, "utf8")) : undefined
      return fault === undefined ? [] : [`${file}: ${fault}`]
    })
    assert.deepStrictEqual(faults, [])
  })
})

describe("a statement of a migration", () => {
  it("is known to take away, or to add", () => {
    const away = [
      "DROP TABLE a",
      "ALTER TABLE a DROP COLUMN b",
      "ALTER TABLE a RENAME TO b",
      "ALTER TABLE a ALTER COLUMN b TYPE bigint",
      "ALTER TABLE a ALTER COLUMN b SET NOT NULL",
      "ALTER TABLE a ADD COLUMN b text NOT NULL, ADD COLUMN c text",
      "ALTER TABLE a ADD CONSTRAINT b CHECK (c > 0)"
    ]
    const adds = [
      "CREATE TABLE a (b text NOT NULL PRIMARY KEY)",
      "CREATE INDEX a ON b (c)",
      "ALTER TABLE a ADD COLUMN b text",
      "ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT ''",
      "ALTER TABLE a ALTER COLUMN b DROP NOT NULL"
    ]
    assert.deepStrictEqual(
      away.filter((statement) => takenAway(statement) === undefined),
      []
    )
    assert.deepStrictEqual(
      adds.filter((statement) => takenAway(statement) !== undefined),
      []
    )
  })
})
