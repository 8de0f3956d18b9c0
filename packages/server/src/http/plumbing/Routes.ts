/** Finds the endpoint of a path, from the contract. */
import { Access, Api, accessOf, type EndpointName, isChange, permissionFor } from "@cairn/api"
import type { AccessKind } from "@cairn/core/access"
import type { Permission } from "@cairn/core/workspace"
import { Context, type Schema } from "effect"

/** The endpoint of the contract that a request is for. */
export interface Route {
  /** Its name in the contract. */
  readonly name: EndpointName
  /** Its path in the contract, such as `/api/v1/events/:id`. */
  readonly template: string
  /** Null where nothing of a workspace is asked for. */
  readonly permission: Permission | null
  readonly access: Access
  /** What it reads of a workspace, to be accounted for; null where it shows nothing that was there. */
  readonly reads: AccessKind | null
  /** Whether it changes something of a workspace. */
  readonly changes: boolean
  /** The names of its query parameters. */
  readonly parameters: ReadonlySet<string>
  /** Whether the contract gives it a body. */
  readonly hasBody: boolean
}

/** The names of the fields of a struct. */
const fieldsOf = (schema: Schema.Top | undefined): ReadonlySet<string> =>
  new Set(schema?.ast._tag === "Objects" ? schema.ast.propertySignatures.map(({ name }) => String(name)) : [])

/** What a path leads to. */
export type Match =
  | { readonly kind: "route"; readonly route: Route; readonly id: string }
  /** The path exists, but not with this method. */
  | { readonly kind: "wrong_method"; readonly allow: string }
  | { readonly kind: "nothing" }

interface Path {
  readonly template: string
  readonly segments: ReadonlyArray<string>
  readonly methods: Map<string, Route>
}

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").slice(1)

const paths: ReadonlyArray<Path> = (() => {
  const byTemplate = new Map<string, Path>()
  for (const group of Object.values(Api.groups)) {
    for (const endpoint of Object.values(group.endpoints)) {
      const { identifier, path: template, method, annotations } = endpoint
      const path = byTemplate.get(template) ?? {
        template,
        segments: segmentsOf(template),
        methods: new Map()
      }
      byTemplate.set(template, path)
      const route = {
        name: identifier,
        template,
        permission: permissionFor(identifier),
        access: Context.get(annotations, Access),
        reads: accessOf(identifier),
        changes: isChange(identifier),
        parameters: fieldsOf(endpoint.query),
        hasBody: endpoint.payload.size > 0
      }
      path.methods.set(method, route)
      if (method === "GET") path.methods.set("HEAD", route)
    }
  }
  return [...byTemplate.values()]
})()

/** Paths without a parameter are found at once; they are nearly all the traffic. */
const exact = new Map(
  paths.filter(({ template }) => !template.includes(":")).map((path) => [path.template, path])
)

/** The value of the path's one parameter; undefined when the segments are not the path's. */
const parameter = (path: Path, segments: ReadonlyArray<string>): string | undefined => {
  if (path.segments.length !== segments.length) return undefined
  let id = ""
  for (const [index, expected] of path.segments.entries()) {
    const actual = segments[index] ?? ""
    if (expected.startsWith(":")) id = actual
    else if (expected !== actual) return undefined
  }
  return id === "" ? undefined : id
}

/**
 * The identifier as the client meant it; one that cannot be decoded, or that no store can hold, names
 * nothing.
 */
const decoded = (text: string): string => {
  try {
    const id = decodeURIComponent(text)
    return id.includes("\0") ? "" : id
  } catch {
    return ""
  }
}

const NOTHING: Match = { kind: "nothing" }

const select = ({ methods }: Path, method: string, id: string): Match => {
  const route = methods.get(method)
  return route === undefined
    ? { kind: "wrong_method", allow: [...methods.keys()].join(", ") }
    : { kind: "route", route, id }
}

/**
 * The endpoint for a method and a path without its query. Paths are taken as they are written: no trailing
 * slash, no other case.
 */
export const match = (method: string, path: string): Match => {
  const direct = exact.get(path)
  if (direct !== undefined) return select(direct, method, "")
  const segments = segmentsOf(path)
  for (const candidate of paths) {
    const id = parameter(candidate, segments)
    if (id !== undefined) return select(candidate, method, decoded(id))
  }
  return NOTHING
}
