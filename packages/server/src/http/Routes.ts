/** Finds the endpoint of a path, from the contract. */
import { Api } from "@cairn/api"

/** What a path leads to. */
export type Match =
  | { readonly kind: "endpoint"; readonly name: string; readonly id: string; readonly template: string }
  /** The path exists, but not with this method. */
  | { readonly kind: "wrong_method"; readonly allow: ReadonlyArray<string> }
  | { readonly kind: "nothing" }

interface Route {
  readonly template: string
  readonly segments: ReadonlyArray<string>
  /** Endpoint names by method. */
  readonly methods: Map<string, string>
}

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").slice(1)

const routes: ReadonlyArray<Route> = (() => {
  const byPath = new Map<string, Route>()
  for (const group of Object.values(Api.groups)) {
    for (const endpoint of Object.values(group.endpoints)) {
      const template: string = endpoint.path
      const route = byPath.get(template) ?? { template, segments: segmentsOf(template), methods: new Map() }
      route.methods.set(endpoint.method, endpoint.identifier)
      byPath.set(template, route)
    }
  }
  return [...byPath.values()]
})()

/** Paths without a parameter are found at once; they are nearly all the traffic. */
const exact = new Map(
  routes.filter(({ template }) => !template.includes(":")).map((route) => [route.template, route])
)

const parameter = (route: Route, segments: ReadonlyArray<string>): string | undefined => {
  if (route.segments.length !== segments.length) return undefined
  let id = ""
  for (const [index, expected] of route.segments.entries()) {
    const actual = segments[index] ?? ""
    if (expected.startsWith(":")) id = actual
    else if (expected !== actual) return undefined
  }
  return id === "" ? undefined : id
}

/** The identifier as the client meant it; one that cannot be decoded names nothing. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}

const select = (route: Route, method: string, id: string): Match => {
  const name = route.methods.get(method === "HEAD" ? "GET" : method)
  if (name !== undefined) return { kind: "endpoint", name, id, template: route.template }
  const methods = [...route.methods.keys()]
  return { kind: "wrong_method", allow: methods.includes("GET") ? [...methods, "HEAD"] : methods }
}

/** The endpoint for a method and a path without its query. */
export const match = (method: string, path: string): Match => {
  const direct = exact.get(path)
  if (direct !== undefined) return select(direct, method, "")
  const segments = segmentsOf(path)
  for (const route of routes) {
    const id = parameter(route, segments)
    if (id !== undefined) return select(route, method, decoded(id))
  }
  return { kind: "nothing" }
}
