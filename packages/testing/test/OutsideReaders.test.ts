import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { type ESTree, parseSync } from "rolldown/utils"
import { sourceFiles } from "./SourceRegExps.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/**
 * Packages that read what comes from outside; the others read what these have let through, or what they have
 * stored themselves.
 */
const PACKAGES = ["client", "console", "core", "delivery", "geo", "server", "ui", "verifier", "viewer"]

/** How a reader is named, and what it takes first. */
const READER = /^(?:parse|read|decode|open|unpack|recover|normalize|fold|claims)(?![a-z])/
const OUTSIDE =
  /^(?:string(?: \| undefined)?|unknown|Uint8Array(?:<[^>]*>)?|Buffer|URLSearchParams|JsonObject|IncomingMessage|IncomingHttpHeaders|IncomingMessage\["headers"\])$/

/** Readers that have no line in a table, and why. */
const EXEMPT: Readonly<Record<string, string>> = {
  "packages/client/src/spool/ReadSpool.ts: readSpool":
    "takes the path of a folder; its files are read by `readSegment` and `readDeadLetters`",
  "packages/console/src/ConsoleFiles.ts: readConsoleFiles": "takes the path of the package's own files",
  "packages/core/src/log/frame/FrameOccurrences.ts: decodeOrder": "a blob that the service wrote itself",
  "packages/core/src/log/frame/FrameOccurrences.ts: readOccurrences": "a blob that the service wrote itself",
  "packages/core/src/retention/ArchiveFile.ts: unpackArchive":
    "a stream, of which each line is read by `parseArchiveLine`",
  "packages/core/src/encoding/BoundedNormalization.ts: normalizeBounded": "by `fold`",
  "packages/core/src/encoding/JsonReader.ts: readValid": "by `StrictJson.read`",
  "packages/core/src/checkpoint/SignedMemory.ts: decodeSigned":
    "a row of a few numbers that the service wrote itself",
  "packages/core/src/encoding/StrictJson.ts: parseText": "by `StrictJson.read` and `parseContent`",
  "packages/core/src/encoding/StrictJson.ts: readText": "by `StrictJson.read`",
  "packages/core/src/event/EventDecoding.ts: decodeInOne": "by `decodeEvent`",
  "packages/core/src/log/BodyDecoding.ts: decodeBatchText": "by `Acceptance.batch`",
  "packages/core/src/log/BodyDecoding.ts: decodeBatchValue": "by `Acceptance.batch`",
  "packages/core/src/log/BodyDecoding.ts: decodeLargeBatch": "by `Acceptance.batch`",
  "packages/core/src/log/BodyDecoding.ts: decodeText": "by `Acceptance.one`",
  "packages/core/src/verification/BreakRows.ts: readBreakKey": "a key of a row that the service wrote itself",
  "packages/core/src/verification/BreakRows.ts: readBreakRow": "a row that the service wrote itself",
  "packages/geo/src/DatabaseFile.ts: readDatabase":
    "takes the operator's path; the file's bytes are read by `openDatabase`",
  "packages/server/src/backup/StoredBackups.ts: readManifest":
    "JSON.parse of at most 64 MiB from the operator's own store, and a schema",
  "packages/server/src/command/Shared.ts: readMoment":
    "takes the name of a flag; its text is read by `Micros.parse`",
  "packages/server/src/http/plumbing/Body.ts: readFormText": "collects the bytes, and decodes them",
  "packages/server/src/http/plumbing/Body.ts: readJsonText":
    "a stream; its headers are read by `rejectedByType`, and its text is only decoded",
  "packages/server/src/http/plumbing/Body.ts: parseJson": "hands its text to `StrictJson.read`",
  "packages/server/src/http/endpoints/ManagementRequest.ts: decodeValue":
    "reads by the schema of each endpoint, as `decodeAlertRule` does",
  "packages/viewer/src/ViewerFiles.ts: readPageFiles": "takes the path of a package's own files",
  "packages/viewer/src/ViewerFiles.ts: readViewerFiles": "takes the path of the package's own files"
}

/** A reader's name and file, from the root of the project on. */
interface Reader {
  readonly name: string
  readonly file: string
}

type Function = ESTree.ArrowFunctionExpression | ESTree.Function

const isFunction = (node: ESTree.Node | null): node is Function =>
  node?.type === "ArrowFunctionExpression" ||
  node?.type === "FunctionExpression" ||
  node?.type === "FunctionDeclaration"

/** The function that a value is, or that it is made of, as by `Effect.fnUntraced`. */
const functionOf = (node: ESTree.Expression | null): Function | undefined => {
  if (isFunction(node)) return node
  const inner =
    node?.type === "CallExpression" ? node.arguments.find((given) => isFunction(given)) : undefined
  return inner !== undefined && isFunction(inner) ? inner : undefined
}

/** The exported readers of a file: every function with a reader's name that takes outside text first. */
const readersIn = (file: string): ReadonlyArray<Reader> => {
  const source = readFileSync(join(root, file), "utf8")
  const takesOutside = ({ params }: Function): boolean => {
    const [first] = params
    const annotation = first !== undefined && "typeAnnotation" in first ? first.typeAnnotation : undefined
    return (
      annotation != null &&
      OUTSIDE.test(source.slice(annotation.typeAnnotation.start, annotation.typeAnnotation.end))
    )
  }
  return parseSync(file, source).program.body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration === null) return []
    const { declaration } = statement
    const named =
      declaration.type === "VariableDeclaration"
        ? declaration.declarations.map(({ id, init }) => [id, functionOf(init)] as const)
        : declaration.type === "FunctionDeclaration"
          ? [[declaration.id, declaration] as const]
          : []
    const isDecoder = source.slice(declaration.start, declaration.end).includes("= Schema.")
    return named.flatMap(([id, of]) => {
      if (id?.type !== "Identifier" || !READER.test(id.name)) return []
      // The decoder of a schema takes anything.
      return (of === undefined ? isDecoder : takesOutside(of)) ? [{ name: id.name, file }] : []
    })
  })
}

const readers = sourceFiles()
  .filter((file) => PACKAGES.some((name) => file.startsWith(`packages/${name}/src/`)))
  .flatMap(readersIn)

const keyOf = ({ name, file }: Reader): string => `${file}: ${name}`

/** Whether a table holds a reader: it calls it, alone or out of a namespace. */
const isInTable = ({ name, file }: Reader): boolean => {
  const table = join(root, file.split("/").slice(0, 2).join("/"), "test/OutsideReaders.ts")
  return (
    existsSync(table) &&
    new RegExp(`\\b${name}\\b`).test(readFileSync(table, "utf8").replace(/^import .*?from .*?$/gms, ""))
  )
}

describe("the tables of readers of outside text", () => {
  it("hold every exported reader, or say why not", () => {
    assert.isAbove(readers.length, 40)
    const missing = readers.filter((reader) => !isInTable(reader)).map(keyOf)
    assert.deepStrictEqual(missing.sort(), Object.keys(EXEMPT).sort())
  })
})
