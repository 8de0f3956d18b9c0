/**
 * Every regular expression of the sources, found in their syntax trees: literals, and what `RegExp` is called
 * with.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type ESTree, parseSync, Visitor } from "rolldown/utils"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** A regular expression in the sources. */
export interface SourceRegExp {
  /** From the root of the project on. */
  readonly file: string
  /** As it stands there. */
  readonly text: string
  readonly flags: string
  /** The pattern; null where it is only known when the program runs. */
  readonly pattern: string | null
}

/** Folders that are made: another test may be building them while this one reads. */
const MADE: ReadonlySet<string> = new Set(["node_modules", "dist", "bundle"])

/** The source files below a folder, without those of tests. */
const below = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return MADE.has(entry.name) || entry.name === "test" ? [] : below(path)
    return entry.isFile() && /\.(?:ts|tsx|js|mjs)$/.test(entry.name) ? [path] : []
  })

/** The source files, from the root on. */
export const sourceFiles = (): ReadonlyArray<string> => [
  ...below("packages").filter((file) => /^packages\/[^/]+\/(?:src|bin)\//.test(file)),
  ...below("examples"),
  ...below("scripts")
]

/** The text of a constant expression, by the constants of its file; null for any other. */
const fold = (node: ESTree.Node, constants: ReadonlyMap<string, ESTree.Expression>): string | null => {
  switch (node.type) {
    case "Literal":
      return typeof node.value === "string" || typeof node.value === "number" ? String(node.value) : null
    case "Identifier": {
      const value = constants.get(node.name)
      return value === undefined ? null : fold(value, constants)
    }
    case "BinaryExpression": {
      const [left, right] = [fold(node.left, constants), fold(node.right, constants)]
      return node.operator === "+" && left !== null && right !== null ? left + right : null
    }
    case "TemplateLiteral": {
      let text = ""
      for (const [index, quasi] of node.quasis.entries()) {
        const expression = node.expressions[index]
        const inner = expression === undefined ? "" : fold(expression, constants)
        if (inner === null) return null
        text += (quasi.value.cooked ?? "") + inner
      }
      return text
    }
    default:
      return null
  }
}

const regExpsOf = (file: string): ReadonlyArray<SourceRegExp> => {
  const source = readFileSync(join(root, file), "utf8")
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const found: Array<SourceRegExp> = []
  const constants = new Map<string, ESTree.Expression>()
  const constructed = (node: ESTree.NewExpression | ESTree.CallExpression) => {
    if (node.callee.type !== "Identifier" || node.callee.name !== "RegExp") return
    const [pattern, flags] = node.arguments
    found.push({
      file,
      text: source.slice(node.start, node.end),
      pattern: pattern === undefined ? null : fold(pattern, constants),
      flags: (flags === undefined ? undefined : fold(flags, constants)) ?? ""
    })
  }
  for (const statement of program.body) {
    if (statement.type !== "VariableDeclaration" || statement.kind !== "const") continue
    for (const { id, init } of statement.declarations) {
      if (id.type === "Identifier" && init !== null) constants.set(id.name, init)
    }
  }
  new Visitor({
    Literal: (node) => {
      if (!("regex" in node)) return
      const { pattern, flags } = node.regex
      found.push({ file, text: source.slice(node.start, node.end), pattern, flags })
    },
    NewExpression: constructed,
    CallExpression: constructed
  }).visit(program)
  return found
}

/** Every one of them. */
export const sourceRegExps = (): ReadonlyArray<SourceRegExp> => sourceFiles().flatMap(regExpsOf)
