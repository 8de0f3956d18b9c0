import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readConfiguration } from "../../src/settings/Configuration.ts"
import { SETTINGS } from "../../src/settings/Settings.ts"
import { settingsTable } from "../../src/settings/SettingsText.ts"
import { cairn } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const page = readFileSync(join(root, "docs/Configuration.md"), "utf8")

interface Documented {
  readonly name: string
  /** Empty where the page gives none, or says in words what it follows from. */
  readonly value: string
  readonly words: string
}

/** The rows of the page's table of variables. */
const documented: ReadonlyArray<Documented> = [
  ...page.matchAll(/^\| `((?:CAIRN|OTEL)_[A-Z0-9_]+)` \| ([^|]+) \| ([^|]+) \|$/gm)
].map(([, name = "", words = ""]) => ({ name, words, value: /^`([^`]+)`$/.exec(words)?.[1] ?? "" }))

/** What the program asks an environment for, and what it makes of it. */
const read = (variables: Readonly<Record<string, string>>) => {
  const asked: Array<string> = []
  const environment = new Proxy<Record<string, string | undefined>>(
    { ...variables },
    {
      get: (target, name) => {
        asked.push(String(name))
        return target[String(name)]
      }
    }
  )
  return { configuration: Effect.runSync(readConfiguration(environment)), asked }
}

/** The settings that a text names; `$CAIRN_API_KEY` is a variable of the reader's own shell. */
const namesIn = (text: string): ReadonlyArray<string> =>
  text.match(/(?<!\$)\b(?:CAIRN|OTEL)_[A-Z0-9_]+\b/g) ?? []

describe("docs/Configuration.md", () => {
  it("has the table that the declarations of the settings give", () => {
    const [table = ""] = /^\| variable \|.*\n(?:\|.*\n)+/m.exec(page) ?? []
    assert.strictEqual(table, `${settingsTable()}\n`, "scripts/settings-doc.mjs writes it")
  })

  it("has a row for each variable that the program reads, and for no other", () => {
    const names = documented.map(({ name }) => name)
    assert.isNotEmpty(names)
    assert.deepStrictEqual(names.toSorted(), read({}).asked.toSorted())
  })

  it("speaks of no variable outside the table, and neither does another page", () => {
    const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => readFileSync(join(root, "docs", file), "utf8"))
    const secrets = Object.values(SETTINGS).filter(
      (setting) => "secret" in setting || "mayHoldSecret" in setting
    )
    const known = new Set([
      ...documented.map(({ name }) => name),
      // A secret may be in a file.
      ...secrets.map(({ name }) => `${name}_FILE`),
      // What the file of Compose reads itself.
      ...[...readFileSync(join(root, "compose.yaml"), "utf8").matchAll(/\$\{(CAIRN_[A-Z]+)/g)].map(
        ([, name = ""]) => name
      )
    ])
    assert.deepStrictEqual(
      pages.flatMap(namesIn).filter((name) => !known.has(name)),
      []
    )
  })

  it("gives defaults that change nothing when they are set", () => {
    const given = documented.filter(({ value }) => value !== "")
    assert.isNotEmpty(given)
    const variables = Object.fromEntries(given.map(({ name, value }) => [name, value]))
    assert.deepStrictEqual(read(variables).configuration, read({}).configuration)
  })

  describe("and cairn serve --help", () => {
    const folder = temporaryFolder()
    let listed: ReadonlyArray<readonly [name: string, value: string]> = []

    beforeAll(async () => {
      const { code, stdout } = await cairn(["serve", "--help"], { database: join(folder, "cairn.db") })
      assert.strictEqual(code, 0)
      listed = [...stdout.matchAll(/^ *((?:CAIRN|OTEL)_[A-Z0-9_]+) +.+?(?: \(default (.+)\))?$/gm)].map(
        ([, name = "", value = ""]) => [name, value]
      )
    })

    it("list the same variables with the same defaults", () => {
      assert.deepStrictEqual(
        listed.toSorted(),
        documented.map(({ name, value }) => [name, value] as const).toSorted()
      )
    })
  })

  it("says of every other variable what happens without it", () => {
    for (const { name, value, words } of documented) {
      if (value === "") assert.match(words, /^(none|where|the files) ?/, name)
    }
  })
})
