/**
 * Every import of the sources, found in their syntax trees: of values and of types, at the top of a file and
 * within it, and the files that they lead to. The linter looks at how an import is written; this is where it
 * leads.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path/posix"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { parseSync, Visitor } from "rolldown/utils"

export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** One import. */
export interface SourceImport {
  /** The file that has it, from the root of the project on. */
  readonly from: string
  /** As it stands there; null where it is only known when the program runs. */
  readonly specifier: string | null
  /** The file that it leads to, from the root on; null for what is not a file of ours. */
  readonly to: string | null
}

const decodeManifest = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      name: Schema.String,
      exports: Schema.optional(Schema.Record(Schema.String, Schema.Unknown))
    })
  )
)

/**
 * The folders of our packages by name, and for each the specifiers of what it exports, with their sources.
 */
const packages = new Map(
  globSync("{packages,examples}/*/package.json", { cwd: root }).map((file) => {
    const folder = dirname(file.replaceAll("\\", "/"))
    const { name, exports = {} } = decodeManifest(readFileSync(join(root, file), "utf8"))
    const sources = Object.entries(exports).flatMap(([subpath, target]) => {
      const source = Schema.is(Schema.Struct({ "@cairn/source": Schema.String }))(target)
        ? target["@cairn/source"]
        : target
      return typeof source === "string" ? [[subpath, join(folder, source)] as const] : []
    })
    return [name, { folder, sources: new Map(sources) }]
  })
)

/** The source of each subpath that a package exports, from the root on. */
export const exportsOf = (name: string): ReadonlyMap<string, string> =>
  packages.get(name)?.sources ?? new Map()

/** What `@cairn/…` leads to: a source that its package exports, or a path that no package has. */
const ownPackage = (specifier: string): string | null => {
  const [scope, name, ...rest] = specifier.split("/")
  if (scope !== "@cairn") return null
  const found = packages.get(`${scope}/${name}`)
  return found?.sources.get([".", ...rest].join("/")) ?? `not exported: ${specifier}`
}

const resolve = (from: string, specifier: string): string | null =>
  specifier.startsWith(".") || specifier.startsWith("/")
    ? normalize(join(dirname(from), specifier))
    : ownPackage(specifier)

/** The text of an expression that is one, whatever runs. */
const constant = (node: { readonly type: string } | null | undefined): string | null =>
  Schema.is(Schema.Struct({ type: Schema.Literal("Literal"), value: Schema.String }))(node)
    ? node.value
    : null

/** The specifiers of a file; null for one that is no constant. */
export const specifiersOf = (file: string, text: string): ReadonlyArray<string | null> => {
  const { program, comments } = parseSync(file, text)
  const found: Array<string | null> = comments.flatMap(({ value }) => {
    const path = /^\/\s*<reference\s+path="([^"]+)"/.exec(value)?.[1]
    return path === undefined ? [] : [path.startsWith(".") ? path : `./${path}`]
  })
  const add = (node: { readonly type: string } | null | undefined) => {
    found.push(constant(node))
  }
  new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ExportAllDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => {
      if (source !== null) add(source)
    },
    ImportExpression: ({ source }) => add(source),
    TSImportType: ({ source }) => add(source),
    TSExternalModuleReference: ({ expression }) => add(expression),
    CallExpression: ({ callee, arguments: [argument] }) => {
      const isRequire = callee.type === "Identifier" && callee.name === "require"
      const isRequireMade =
        callee.type === "CallExpression" &&
        callee.callee.type === "Identifier" &&
        callee.callee.name === "createRequire"
      if (isRequire || isRequireMade) add(argument)
    }
  }).visit(program)
  return found
}

/** The imports of the files that a pattern names. */
export const importsOf = (pattern: string): ReadonlyArray<SourceImport> =>
  globSync(pattern, { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !/\/(?:node_modules|dist|bundle)\//.test(file))
    .flatMap((from) =>
      specifiersOf(from, readFileSync(join(root, from), "utf8")).map((specifier) => ({
        from,
        specifier,
        to: specifier === null ? null : resolve(from, specifier)
      }))
    )

export const isThere = (file: string): boolean => existsSync(join(root, file))
