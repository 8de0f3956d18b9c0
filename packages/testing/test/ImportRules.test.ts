import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { exportsOf, root } from "./SourceImports.ts"

const Report = Schema.fromJsonString(
  Schema.Struct({
    diagnostics: Schema.Array(
      Schema.Struct({ category: Schema.String, location: Schema.Struct({ path: Schema.String }) })
    )
  })
)

/** The rooms of the core, lowest first: each imports those before it. `docs/Architecture.md` draws them. */
const ROOMS = [...exportsOf("@cairn/core")].flatMap(([subpath, source]) =>
  source === `packages/core/src/${subpath.slice(2)}/index.ts` ? [subpath.slice(2)] : []
)

/** The first room of the second floor, which verifiers have no use for. */
const SECOND_FLOOR = "@cairn/core/workspace"
const FIRST_FLOOR = "@cairn/core/log"
const FLOORS = [FIRST_FLOOR, SECOND_FLOOR]

/** What a source file of each package may import, out of `candidates`. */
const allowed = {
  core: [],
  "storage-sql": ["node:sqlite", ...FLOORS],
  "storage-sqlite": ["node:sqlite", ...FLOORS, "@cairn/storage-sql"],
  "storage-postgres": ["node:sqlite", "@effect/sql-pg", ...FLOORS, "@cairn/storage-sql"],
  geo: ["node:sqlite", "maxmind", FIRST_FLOOR],
  "anchor-base": ["node:sqlite", "viem", "@ethereumjs/mpt", FIRST_FLOOR],
  delivery: ["node:sqlite", "aws4fetch", "nodemailer", ...FLOORS],
  api: [...FLOORS],
  verifier: ["@noble/hashes/sha3.js", FIRST_FLOOR],
  ui: [
    "preact",
    "preact/hooks",
    "@noble/ed25519",
    "@noble/hashes/sha3.js",
    "@preact/signals",
    ...FLOORS,
    "@cairn/verifier"
  ],
  viewer: ["preact", "preact/hooks", "@preact/signals", ...FLOORS, "@cairn/ui/log"],
  console: [
    "preact",
    "preact/hooks",
    "preact-iso",
    "@preact/signals",
    "@tanstack/query-core",
    "@cairn/client/session",
    ...FLOORS,
    "@cairn/ui/log",
    "@cairn/verifier",
    "@cairn/viewer"
  ]
}

/** What every package may import. */
const always = ["effect", "effect/Schema", "./Own.ts", "./inner/Own.ts", "../Own.ts"]

const candidates = [
  ...always,
  "node:sqlite",
  "aws4fetch",
  "chartist",
  "maxmind",
  "nodemailer",
  "preact",
  "preact/hooks",
  "preact-iso",
  "viem",
  "@effect/sql-pg",
  "@ethereumjs/mpt",
  "@noble/ed25519",
  "@noble/hashes/sha3.js",
  "@preact/signals",
  "@tanstack/query-core",
  "@cairn/anchor-base",
  "@cairn/api",
  "@cairn/client/session",
  "@cairn/core",
  ...FLOORS,
  "@cairn/delivery",
  "@cairn/geo",
  "@cairn/server",
  "@cairn/storage-postgres",
  "@cairn/storage-sql",
  "@cairn/storage-sqlite",
  "@cairn/testing",
  "@cairn/ui/log",
  "@cairn/verifier",
  "@cairn/viewer",
  "effectful",
  "../../other/src/Other.ts",
  "../../../other/src/Other.ts"
]

interface Case {
  readonly folder: string
  readonly code: string
  /** The file's name; `Case` unless given. */
  readonly name?: string
}

const importing = (folder: string, specifier: string): Case => ({ folder, code: `import "${specifier}"` })

const table = Object.keys(allowed).flatMap((name) =>
  candidates.map((specifier) => importing(`packages/${name}/src`, specifier))
)

const importRule = "lint/style/noRestrictedImports"

/** Imports that the table does not speak of, and the rules that go with them. */
const refused: ReadonlyArray<Case & { readonly rule: string }> = [
  { folder: "packages/core/src", code: 'export type { Geo } from "@cairn/geo"', rule: importRule },
  { folder: "packages/core/src", code: 'export const geo = import("@cairn/geo")', rule: importRule },
  { ...importing("packages/core/src", "fs"), rule: importRule },
  { ...importing("packages/core/test", "../../geo/src/GeoIp.ts"), rule: importRule },
  { ...importing("packages/core/test", "@cairn/server"), rule: importRule },
  { ...importing("packages/server/src", "@cairn/testing"), rule: importRule },
  { ...importing("packages/testing/src", "@cairn/storage-sqlite"), rule: importRule },
  { ...importing("packages/verifier/src", "node:http"), rule: importRule },
  { ...importing("packages/verifier/src", "effect/http"), rule: importRule },
  { ...importing("packages/verifier/src", "effect/sql/SqlClient"), rule: importRule },
  { ...importing("packages/geo/src", "@cairn/core/log"), rule: "lint/correctness/noUndeclaredDependencies" },
  { ...importing("packages/server/src", "@cairn/core"), rule: importRule },
  { ...importing("packages/core/src", "./workspace/Own.ts"), name: "AuditLogCase", rule: importRule },
  {
    folder: "packages/core/src",
    code: 'export const bytes = Buffer.from("")',
    rule: "lint/style/noRestrictedGlobals"
  },
  { folder: "packages/core/src", code: 'export const fs = require("fs")', rule: "lint/style/noCommonJs" },
  { folder: "packages/server/src", code: 'console.log("")', rule: "lint/suspicious/noConsole" },
  {
    folder: "packages/server/src",
    code: "const later = async () => 1; later()",
    rule: "lint/nursery/noFloatingPromises"
  }
]

const permitted: ReadonlyArray<Case> = [
  { ...importing("packages/core/src", "./evidence/Own.ts"), name: "AuditLogOther" },
  importing("packages/core/test", "../src/Own.ts"),
  importing("packages/core/test", "@cairn/testing"),
  importing("packages/core/test", "node:sqlite"),
  importing("packages/server/src", "@cairn/storage-sqlite"),
  importing("packages/server/test", "@cairn/server"),
  importing("packages/testing/src", "@cairn/core/log"),
  importing("packages/verifier/src", "node:fs")
]

/** Every room with an import of every other, for the type alone and from a folder within it too. */
const betweenRooms = ROOMS.flatMap((room) =>
  ROOMS.filter((other) => other !== room).map((other, index) => {
    const folder = `packages/core/src/${room}${index % 2 === 0 ? "" : "/inner"}`
    const path = `${index % 2 === 0 ? "../.." : "../../.."}/${other}/Own.ts`
    return { folder, code: `import type { Own } from "${path}"`, room, other }
  })
)

const all: ReadonlyArray<Case> = [...table, ...betweenRooms, ...refused, ...permitted]

/** Each case is a file of its own, in a folder that no other case has unless its name says where it is. */
const fileOf = (one: Case) =>
  one.name === undefined ? `${one.folder}/case${all.indexOf(one)}/Case.ts` : `${one.folder}/${one.name}.ts`

describe("the lint rules", () => {
  let folder = ""
  let found: ReadonlyArray<{ readonly rule: string; readonly file: string }> = []

  const rulesOf = (one: Case) =>
    found.filter(({ file }) => file.endsWith(fileOf(one))).map(({ rule }) => rule)

  // One run over all the cases, in a project that has nothing but them and the configuration under test.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "cairn-lint-"))
    for (const file of ["biome.json", ".gitignore"]) await cp(join(root, file), join(folder, file))
    for (const one of all) {
      const path = join(folder, fileOf(one))
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, one.code)
      await writeFile(join(folder, one.folder, "../package.json"), "{}")
    }
    for (const [one, other] of [
      ["A", "B"],
      ["B", "A"]
    ]) {
      const path = join(folder, "packages/server/src/cycle", `${one}.ts`)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, `import { ${other} } from "./${other}.ts"\nexport const ${one} = () => ${other}`)
      const types = join(folder, "packages/server/src/typeCycle", `${one}.ts`)
      await mkdir(dirname(types), { recursive: true })
      await writeFile(
        types,
        `import type { ${other} } from "./${other}.ts"\nexport interface ${one} { of: ${other} }`
      )
    }
    const biome = join(root, "node_modules/@biomejs/biome/bin/biome")
    const args = [biome, "lint", "--reporter=json", "--max-diagnostics=none", "."]
    const printed = await new Promise<string>((resolve) => {
      // It exits with an error, since it finds what it has to find.
      execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, (_, stdout) => resolve(stdout))
    })
    const { diagnostics } = Schema.decodeUnknownSync(Report)(printed)
    found = diagnostics.map(({ category, location }) => ({ rule: category, file: location.path }))
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each(Object.entries(allowed))("let %s import effect, its own files and %j alone", (name, own) => {
    const cases = table.filter((one) => one.folder === `packages/${name}/src`)
    const accepted = candidates.filter((_, index) => {
      const one = cases[index]
      return one !== undefined && !rulesOf(one).includes(importRule)
    })
    assert.sameMembers(accepted, [...always, ...own])
  })

  it.each(refused)("refuse, in $folder, $code", (one) => {
    assert.include(rulesOf(one), one.rule)
  })

  it.each(ROOMS)("let the room %s of the core import the rooms below it alone", (room) => {
    const accepted = betweenRooms.filter((one) => one.room === room && !rulesOf(one).includes(importRule))
    assert.deepStrictEqual(
      accepted.map(({ other }) => other),
      ROOMS.slice(0, ROOMS.indexOf(room))
    )
  })

  it("refuse two files that import each other's types", () => {
    const rules = found.filter(({ file }) => file.endsWith("src/typeCycle/A.ts")).map(({ rule }) => rule)
    assert.include(rules, "lint/suspicious/noImportCycles")
  })

  it("refuse two files that import each other", () => {
    const rules = found.filter(({ file }) => file.endsWith("src/cycle/A.ts")).map(({ rule }) => rule)
    assert.include(rules, "lint/suspicious/noImportCycles")
  })

  it.each(permitted)("let $folder have $code", (one) => {
    assert.notInclude(rulesOf(one), importRule)
  })
})
