import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { type ESTree, parseSync, Visitor } from "rolldown/utils"
import { sourceFiles } from "./SourceRegExps.ts"
import { visitWrites } from "./SourceWrites.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The declarations at the top of a module. */
const topDeclarations = (program: ESTree.Program): ReadonlyArray<ESTree.VariableDeclaration> =>
  program.body.flatMap((statement) => {
    const declaration =
      statement.type === "ExportNamedDeclaration" && statement.declaration ? statement.declaration : statement
    return declaration.type === "VariableDeclaration" ? [declaration] : []
  })

/** The names of constants at the top of a module that are made empty to be filled, or hold bytes. */
const containers = (declarations: ReadonlyArray<ESTree.VariableDeclaration>): ReadonlySet<string> =>
  new Set(
    declarations.flatMap(({ declarations }) =>
      declarations.flatMap(({ id, init }) =>
        id.type === "Identifier" &&
        init != null &&
        ["ArrayExpression", "NewExpression", "ObjectExpression"].includes(init.type)
          ? [id.name]
          : []
      )
    )
  )

/** The constant that an expression is a part of: `a` of `a.b[c]`. */
const owner = (node: ESTree.Node): string | undefined =>
  node.type === "MemberExpression" ? owner(node.object) : node.type === "Identifier" ? node.name : undefined

/** What changes while a module is in use: its variables, and what its functions write into its constants. */
const mutableState = (file: string, text: string): ReadonlyArray<string> => {
  const { program } = parseSync(file, text)
  const declarations = topDeclarations(program)
  const found = declarations
    .filter(({ kind }) => kind !== "const")
    .map(({ start }) => text.slice(start, start + 40).split("\n")[0] ?? "")
  const kept = containers(declarations)
  let depth = 0
  const enter = (): void => {
    depth++
  }
  const leave = (): void => {
    depth--
  }
  const written = (node: ESTree.Node, target: ESTree.Node): void => {
    const name = target.type === "MemberExpression" ? owner(target) : undefined
    if (depth > 0 && name !== undefined && kept.has(name)) {
      found.push(text.slice(node.start, node.end).split("\n")[0] ?? "")
    }
  }
  new Visitor({
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ...visitWrites(written)
  }).visit(program)
  return found.map((each) => `${file}: ${each}`)
}

describe("state of modules", () => {
  it("is found in variables, and in constants that functions write into", () => {
    const found = (text: string) => mutableState("a.ts", text).map((each) => each.slice("a.ts: ".length))
    assert.deepStrictEqual(found("let count = 0\n"), ["let count = 0"])
    assert.deepStrictEqual(found("const all = new Map()\nconst f = () => all.set(1, 2)\n"), ["all.set(1, 2)"])
    assert.deepStrictEqual(found("const bytes = new Uint8Array(8)\nconst f = () => { bytes[0] = 1 }\n"), [
      "bytes[0] = 1"
    ])
    assert.deepStrictEqual(found("export const all = []\nfunction f() { all.push(1) }\n"), ["all.push(1)"])
    assert.deepStrictEqual(found("const a = new Uint8Array(8)\nfor (let i = 0; i < 8; i++) a[i] = i\n"), [])
    assert.deepStrictEqual(found("const f = () => { const all = []; all.push(1) }\n"), [])
  })

  it("is nowhere in the packages: every value that changes belongs to whatever was made with it", () => {
    const files = sourceFiles().filter((file) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file))
    assert.isAbove(files.length, 300)
    assert.deepStrictEqual(
      files.flatMap((file) => mutableState(file, readFileSync(join(root, file), "utf8"))),
      []
    )
  })
})
