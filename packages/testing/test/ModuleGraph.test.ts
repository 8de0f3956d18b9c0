import { globSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { exportsOf, importsOf, isThere, root, type SourceImport, specifiersOf } from "./SourceImports.ts"

const CORE = "packages/core/src/"

/** What the core exports: rooms in their order, lowest first, and files beside them. */
const exported = [...exportsOf("@cairn/core")].filter(([subpath]) => subpath !== "./package.json")
const rooms = exported.flatMap(([subpath, source]) =>
  source === `${CORE}${subpath.slice(2)}/index.ts` ? [subpath.slice(2)] : []
)

/** The first room of the second floor. */
const SECOND_FLOOR = rooms.indexOf("workspace")

/** The room of a file of the core; undefined for a file beside the rooms. */
const roomOf = (file: string): string | undefined =>
  file.slice(CORE.length).includes("/") ? file.slice(CORE.length).split("/")[0] : undefined

/** How high a room lies. One that is not exported lies nowhere. */
const height = (room: string | undefined): number => (room === undefined ? Number.NaN : rooms.indexOf(room))

/** Why an import between files of the core breaks the order of the rooms; undefined where it does not. */
const brokenInCore = (from: string, to: string): string | undefined => {
  const [here, there] = [roomOf(from), roomOf(to)]
  const isDoor = /^AuditLog\w*\.ts$/.test(from.slice(CORE.length))
  if (there === undefined) {
    // The doors stand on the rooms; no room stands on a door.
    const ofDoor = /^AuditLog\w*\.ts$/.test(to.slice(CORE.length))
    return here === undefined && ofDoor ? undefined : "imports a file beside the rooms"
  }
  if (height(there) < 0) return `${there} is no room that is exported`
  if (here === undefined) {
    if (isDoor || from === `${CORE}index.ts`)
      return height(there) < SECOND_FLOOR ? undefined : "imports the second floor"
    return from === `${CORE}StoragePorts.ts` ? undefined : "is no door"
  }
  if (height(here) < 0) return `${here} is no room that is exported`
  return height(there) <= height(here) ? undefined : "imports upwards"
}

/**
 * Packages that use the ground and the first floor only, and the examples, which stand before the front door.
 */
const FIRST_FLOOR_ONLY = /^(?:packages\/(?:verifier|anchor-base|geo)|examples\/[^/]+)\//

const packageOf = (file: string): string => file.split("/").slice(0, 2).join("/")

/** A test may use what helps the tests of another package; a source is imported by its package's name. */
const leavesPackage = (from: string, to: string): boolean =>
  /^(?:packages|examples)\//.test(from) &&
  /^(?:packages|examples)\//.test(to) &&
  packageOf(to) !== packageOf(from) &&
  !(from.includes("/test/") && to.includes("/test/"))

/** Why an import breaks a rule of the house; undefined where it breaks none. */
const broken = ({ from, specifier, to }: SourceImport): string | undefined => {
  if (specifier === null) return from.startsWith(CORE) ? "imports what only a run knows" : undefined
  if (to === null) return undefined
  if (!isThere(to))
    return /\.(?:ts|tsx|mjs|js|json|css)$|^not exported/.test(to) ? `${to} is not there` : undefined
  if (specifier.startsWith(".")) {
    if (leavesPackage(from, to)) return "leaves its package by a path"
    return from.startsWith(CORE) && to.startsWith(CORE) ? brokenInCore(from, to) : undefined
  }
  if (from.startsWith("packages/core/src/")) return "the core imports itself by its name"
  const room = to.startsWith(CORE) ? roomOf(to) : undefined
  const isSource = /^packages\/[^/]+\/src\//.test(from)
  if (isSource && to === `${CORE}index.ts`) return "imports the front door"
  return FIRST_FLOOR_ONLY.test(from) && !from.includes("/test/") && height(room) >= SECOND_FLOOR
    ? "imports the second floor"
    : undefined
}

/** The files of circles, types counted too, and those that lead into one. */
const circles = (imports: ReadonlyArray<SourceImport>): ReadonlyArray<string> => {
  const edges = new Map<string, Set<string>>()
  for (const { from, to } of imports)
    if (to !== null && to !== from) edges.set(from, (edges.get(from) ?? new Set()).add(to))
  // What imports nothing that is left leads into no circle.
  for (let before = -1; before !== edges.size; ) {
    before = edges.size
    for (const [from, targets] of edges) {
      for (const to of targets) if (!edges.has(to)) targets.delete(to)
      if (targets.size === 0) edges.delete(from)
    }
  }
  return [...edges.keys()].sort()
}

const inSources = importsOf("packages/*/src/**/*.{ts,tsx}")
/** Folders of programs that import what a trial installs or generates beside a copy of them. */
const OF_GENERATED = [
  ...new Set(
    globSync("packages/*/test/**/tools/**/package.json", { cwd: root, exclude: ["**/node_modules"] }).map(
      (path) => `${path.replaceAll("\\", "/").split("/tools/")[0]}/tools/`
    )
  )
]
const elsewhere = importsOf("{packages/*/{test,bin},examples,scripts}/**/*.{ts,tsx,mjs,js}").filter(
  ({ from }) => !OF_GENERATED.some((folder) => from.startsWith(folder))
)

const told = (imports: ReadonlyArray<SourceImport>): ReadonlyArray<string> =>
  imports.flatMap((one) => {
    const why = broken(one)
    return why === undefined ? [] : [`${one.from}: ${one.specifier ?? "…"} ${why}`]
  })

describe("a program that a trial compiles with what it generates", () => {
  it.for(OF_GENERATED)("in %s is no part of the whole", (folder) => {
    assert.include(readFileSync(join(root, "tsconfig.json"), "utf8"), `"${folder.slice(0, -1)}"`)
  })
})

describe("an import is found", () => {
  it.for([
    'import { a } from "./x.ts"',
    'import type { A } from "./x.ts"',
    'import "./x.ts"',
    'export * from "./x.ts"',
    'export type { A } from "./x.ts"',
    'export const a = import("./x.ts")',
    'export type A = import("./x.ts").A',
    'export type A = typeof import("./x.ts")',
    'import x = require("./x.ts")',
    'export const a = require("./x.ts")',
    'export const a = createRequire(import.meta.url)("./x.ts")',
    '/// <reference path="./x.ts" />'
  ])("in %s", (text) => {
    assert.deepStrictEqual(specifiersOf("a.ts", text), ["./x.ts"])
  })

  it("where only a run knows what it is", () => {
    assert.deepStrictEqual(specifiersOf("a.ts", "export const a = (b: string) => import(b)"), [null])
  })
})

describe("the rule of the house is broken by", () => {
  const at = (from: string, specifier: string, to: string | null): SourceImport => ({ from, specifier, to })
  const merkle = `${CORE}merkle/MerkleTree.ts`
  it.for([
    at(merkle, "../event/Event.ts", `${CORE}event/Event.ts`),
    at(merkle, ".././event/Event.ts", `${CORE}event/Event.ts`),
    at(merkle, "../index.ts", `${CORE}index.ts`),
    at(merkle, "../StoragePorts.ts", `${CORE}StoragePorts.ts`),
    at(merkle, "../AuditLog.ts", `${CORE}AuditLog.ts`),
    at(`${CORE}AuditLog.ts`, "./StoragePorts.ts", `${CORE}StoragePorts.ts`),
    at(`${CORE}AuditLogCalls.ts`, "./workspace/index.ts", `${CORE}workspace/index.ts`),
    at(`${CORE}Another.ts`, "./event/Event.ts", `${CORE}event/Event.ts`),
    at(`${CORE}billing/Bill.ts`, "../event/Event.ts", `${CORE}event/Event.ts`),
    at("packages/server/src/bin.ts", "../../core/src/index.ts", `${CORE}index.ts`),
    at("packages/server/test/a.ts", "../../core/src/index.ts", `${CORE}index.ts`),
    at("packages/server/src/bin.ts", "@cairn/core", `${CORE}index.ts`),
    at("packages/server/src/bin.ts", "@cairn/core/src/index.ts", "not exported: @cairn/core/src/index.ts"),
    at("packages/verifier/src/bin.ts", "@cairn/core/management", `${CORE}management/index.ts`),
    at("examples/embed/src/express.js", "@cairn/core/management", `${CORE}management/index.ts`)
  ])("$from importing $specifier", (one) => {
    assert.isDefined(broken(one))
  })

  it("no import of the sources", () => {
    assert.isAbove(inSources.length, 4_000)
    assert.deepStrictEqual(told(inSources), [])
  })

  it("no import of tests, examples and scripts", () => {
    assert.isAbove(elsewhere.length, 1_000)
    assert.deepStrictEqual(told(elsewhere), [])
  })
})

describe("files that import each other in a circle", () => {
  it("are found, through any number of others", () => {
    const edge = (from: string, to: string): SourceImport => ({ from, specifier: to, to })
    assert.deepStrictEqual(circles([edge("a", "b"), edge("b", "c"), edge("c", "a"), edge("d", "e")]), [
      "a",
      "b",
      "c"
    ])
    assert.deepStrictEqual(circles([edge("a", "b"), edge("b", "c"), edge("a", "c")]), [])
  })

  it("are not in the sources", () => {
    assert.deepStrictEqual(circles(inSources), [])
  })
})

describe("a folder of the core", () => {
  it("is a room that is exported, with an index", () => {
    const folders = readdirSync(join(root, CORE), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : []
    )
    assert.deepStrictEqual(folders.sort(), [...rooms].sort())
    assert.isAbove(SECOND_FLOOR, 0)
  })
})
