/**
 * A function does not write into what it is given, since whoever calls it does not see that. Found are the
 * parameters whose types say that they are arrays, maps, sets or bytes, by themselves or by a name that the
 * same file gives them. What is inside an object is not looked at: that may be state that is shared on
 * purpose.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { type ESTree, parseSync, Visitor } from "rolldown/utils"
import { sourceFiles } from "./SourceRegExps.ts"
import { visitWrites } from "./SourceWrites.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

const CONTAINERS: ReadonlySet<string> = new Set(
  "Array FormData Headers Map Set URLSearchParams WeakMap WeakSet".split(" ")
)

const BYTES: ReadonlySet<string> = new Set(
  (
    "ArrayBuffer BigInt64Array BigUint64Array Buffer DataView Float32Array Float64Array Int8Array Int16Array " +
    "Int32Array Uint8Array Uint8ClampedArray Uint16Array Uint32Array"
  ).split(" ")
)

/** What a parameter with bytes is called that a loop writes into, so that its caller need not make them. */
const WRITTEN_BYTES: ReadonlySet<string> = new Set(["into", "state", "scratch"])

type Kind = "container" | "bytes"

/** What a type says of its values; undefined for every other. */
const kindOf = (
  type: ESTree.TSType | undefined,
  aliases: ReadonlyMap<string, ESTree.TSType>
): Kind | undefined => {
  if (type?.type === "TSArrayType") return "container"
  if (type?.type === "TSUnionType") {
    return type.types.map((one) => kindOf(one, aliases)).find((kind) => kind !== undefined)
  }
  if (type?.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return undefined
  const { name } = type.typeName
  if (aliases.has(name)) return kindOf(aliases.get(name), new Map())
  return CONTAINERS.has(name) ? "container" : BYTES.has(name) ? "bytes" : undefined
}

/** The names that a pattern binds. */
const boundBy = (node: ESTree.Node | null): ReadonlyArray<string> => {
  switch (node?.type) {
    case "Identifier":
      return [node.name]
    case "AssignmentPattern":
      return boundBy(node.left)
    case "RestElement":
      return boundBy(node.argument)
    case "ArrayPattern":
      return node.elements.flatMap(boundBy)
    case "ObjectPattern":
      return node.properties.flatMap((property) =>
        boundBy(property.type === "Property" ? property.value : property)
      )
    default:
      return []
  }
}

/** What a parameter is, where its type says so. */
const parameterKind = (
  node: ESTree.ParamPattern,
  aliases: ReadonlyMap<string, ESTree.TSType>
): Kind | undefined => {
  const parameter = node.type === "AssignmentPattern" ? node.left : node
  return parameter.type === "Identifier"
    ? kindOf(parameter.typeAnnotation?.typeAnnotation, aliases)
    : undefined
}

/** The variable that an expression is, behind what only the compiler reads. */
const variable = (node: ESTree.Node): string | undefined => {
  if (node.type === "TSNonNullExpression" || node.type === "TSAsExpression") return variable(node.expression)
  return node.type === "Identifier" ? node.name : undefined
}

/** The types that a file names. */
const aliasesOf = (program: ESTree.Program): ReadonlyMap<string, ESTree.TSType> =>
  new Map(
    program.body.flatMap((statement) => {
      const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
      return declared?.type === "TSTypeAliasDeclaration"
        ? [[declared.id.name, declared.typeAnnotation] as const]
        : []
    })
  )

/** Where a file writes into what a function in it was given. */
const writtenParameters = (file: string, text: string): ReadonlyArray<string> => {
  const { program } = parseSync(file, text)
  const aliases = aliasesOf(program)
  const found: Array<string> = []
  /** The names of each function around, innermost last, with what their parameters are. */
  const scopes: Array<Map<string, Kind | undefined>> = []
  const enter = ({ params }: { readonly params: ReadonlyArray<ESTree.ParamPattern> }): void => {
    scopes.push(
      new Map(
        params.flatMap((one) => boundBy(one).map((name) => [name, parameterKind(one, aliases)] as const))
      )
    )
  }
  const leave = (): void => {
    scopes.pop()
  }
  const written = (node: ESTree.Node, target: ESTree.Node): void => {
    if (target.type !== "MemberExpression") return
    const name = variable(target.object)
    const kind = name === undefined ? undefined : scopes.findLast((scope) => scope.has(name))?.get(name)
    if (kind === undefined || (kind === "bytes" && WRITTEN_BYTES.has(name ?? ""))) return
    const line = text.slice(0, node.start).split("\n").length
    found.push(`${file}:${line} ${text.slice(node.start, node.end).split("\n")[0]}`)
  }
  new Visitor({
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    VariableDeclarator: ({ id }) => {
      for (const name of boundBy(id)) scopes.at(-1)?.set(name, undefined)
    },
    ...visitWrites(written)
  }).visit(program)
  return found
}

describe("a parameter", () => {
  const found = (text: string) =>
    writtenParameters("a.ts", text).map((each) => each.replace(/^a\.ts:\d+ /, ""))

  it("that is a list, a map or a set is written into by its elements, its members and its methods", () => {
    assert.deepStrictEqual(found("const f = (all: Array<number>) => all.push(1)"), ["all.push(1)"])
    assert.deepStrictEqual(found("function f(all: number[]) { all[0] = 1 }"), ["all[0] = 1"])
    assert.deepStrictEqual(found("class A { f(all: Map<string, number>) { all.set('a', 1) } }"), [
      "all.set('a', 1)"
    ])
    assert.deepStrictEqual(found("function* f(path: Array<string> = []) { path.pop() }"), ["path.pop()"])
    assert.deepStrictEqual(found("type Uses = Set<string>\nconst f = (u: Uses) => () => u.add('a')"), [
      "u.add('a')"
    ])
    assert.deepStrictEqual(found("const f = (all: Array<number> | undefined) => { all!.length = 0 }"), [
      "all!.length = 0"
    ])
    assert.deepStrictEqual(
      found("const f = (given: Array<number>) => { const a = [...given]; a.push(1) }"),
      []
    )
    assert.deepStrictEqual(
      found("const f = (a: Set<string>) => { const g = () => { const a = []; a.push(1) } }"),
      []
    )
  })

  it("that is bytes is written into where its name says so", () => {
    assert.deepStrictEqual(found("const f = (bytes: Uint8Array) => { bytes[0] = 1 }"), ["bytes[0] = 1"])
    assert.deepStrictEqual(found("const f = (view: DataView) => view.setUint32(0, 1)"), [
      "view.setUint32(0, 1)"
    ])
    assert.deepStrictEqual(found("const f = (into: Uint8Array) => { into[0] ^= 1 }"), [])
    assert.deepStrictEqual(found("const f = (into: Array<number>) => { into.push(1) }"), ["into.push(1)"])
  })

  it("is nowhere written into in the packages, but for bytes", () => {
    // The storage in memory is maps, which all of its functions share as others do a database.
    const files = sourceFiles().filter(
      (file) =>
        /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file) && !file.startsWith("packages/testing/src/memory/")
    )
    assert.isAbove(files.length, 300)
    assert.deepStrictEqual(
      files.flatMap((file) => writtenParameters(file, readFileSync(join(root, file), "utf8"))),
      []
    )
  })
})
