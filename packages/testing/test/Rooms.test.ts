import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { parseSync } from "rolldown/utils"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const source = join(root, "packages/core/src")

const rooms = readdirSync(source, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort()

/** The names that a room's index exports. */
const namesOf = (room: string): ReadonlyArray<string> => {
  const file = join(source, room, "index.ts")
  return parseSync(file, readFileSync(file, "utf8")).program.body.flatMap((statement) => {
    if (statement.type === "ExportAllDeclaration") {
      return statement.exported?.type === "Identifier" ? [statement.exported.name] : ["*"]
    }
    return statement.type === "ExportNamedDeclaration"
      ? statement.specifiers.flatMap(({ exported }) =>
          exported.type === "Identifier" ? [exported.name] : []
        )
      : []
  })
}

/** Folders that are made: another test may be building them while this one reads. */
const MADE: ReadonlySet<string> = new Set(["node_modules", "dist", "bundle"])

const below = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return MADE.has(entry.name) ? [] : below(path)
    return entry.isFile() && /\.(?:ts|tsx|js|mjs|md)$/.test(entry.name) ? [path] : []
  })

/** Sources, tests and documents outside the core. */
const outside = ["packages", "examples", "scripts", "docs"]
  .flatMap(below)
  .filter((file) => !file.startsWith("packages/core/"))

const IMPORTS = /(?:import|export) (?:type )?\{([^}]*)\} from "@cairn\/core\/([a-z]+)"/g

/** `room/Name` of what is imported from rooms outside the core. */
const imported = new Set(
  outside.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(IMPORTS)].flatMap(([, names = "", room = ""]) =>
      names.split(",").map((name) => {
        const [first = ""] = name
          .trim()
          .replace(/^type /, "")
          .split(" as ")
        return `${room}/${first}`
      })
    )
  )
)

/**
 * What nobody outside imports by name, and still leaves its room: types and errors in the signatures of what
 * is imported, and a format that proofs will be served in.
 */
const OF_SIGNATURES = [
  "anchor/AnchoringRound",
  "checkpoint/DamagedTree",
  "checkpoint/LogTreeShape",
  "encoding/NotCanonicalizable",
  "encoding/Steps",
  "event/Fault",
  "event/SearchField",
  "event/UnknownMembers",
  "event/ValidEvent",
  "evidence/EvidenceExportError",
  "export/LinkHolder",
  "log/EventLogShape",
  "log/HashedEvents",
  "log/LegacySummary",
  "log/NumberedBlob",
  "log/WaitingEvent",
  "log/Workspace",
  "management/SetupIncomplete",
  "merkle/InclusionProof",
  "merkle/LeafOutOfRange",
  "merkle/NodeAddress",
  "merkle/ProofLengthMismatch",
  "merkle/RootMismatch",
  "merkle/TreeSizeOutOfRange",
  "note/MalformedCheckpoint",
  "note/MalformedNote",
  "note/MalformedVerifierKey",
  "note/parseTlogProof",
  "verification/Finding",
  "workspace/AskedToken",
  "workspace/RetentionHold"
]

describe("the rooms of the core", () => {
  it("name what leaves them, each name written out", () => {
    assert.isAbove(rooms.length, 15)
    for (const room of rooms) {
      const names = namesOf(room)
      assert.isNotEmpty(names, room)
      assert.notInclude(names, "*", room)
      assert.strictEqual(new Set(names).size, names.length, room)
    }
  })

  it("name nothing that stays inside", () => {
    const inside = rooms.flatMap((room) =>
      namesOf(room)
        .map((name) => `${room}/${name}`)
        .filter((name) => !imported.has(name))
    )
    assert.deepStrictEqual(inside.sort(), OF_SIGNATURES)
  })

  it("name everything that is imported from them", () => {
    const named = new Set(rooms.flatMap((room) => namesOf(room).map((name) => `${room}/${name}`)))
    assert.deepStrictEqual(
      [...imported].filter((name) => !name.endsWith("/") && !named.has(name)),
      []
    )
  })
})
