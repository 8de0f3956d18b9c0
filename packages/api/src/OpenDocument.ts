/** A generated OpenAPI document as plain JSON, and how its operations are gone through. */

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A member that is an object; empty where it is none. */
export const member = (value: unknown, name: string): Record<string, unknown> => {
  const found = isRecord(value) ? value[name] : undefined
  return isRecord(found) ? found : {}
}

/** The object with each of its members replaced that is an object itself. */
export const mapRecord = (
  value: unknown,
  f: (child: Record<string, unknown>, key: string) => unknown
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).map(([key, child]) => [
      key,
      isRecord(child) ? f(child, key) : child
    ])
  )

/** Where an operation is. */
export interface Place {
  readonly path: string
  /** In lower case. */
  readonly method: string
}

/** The document with each of its operations replaced. */
export const mapOperations = (
  document: Json,
  f: (operation: Record<string, unknown>, place: Place) => unknown
): Record<string, unknown> => ({
  ...document,
  paths: mapRecord(document.paths, (item, path) =>
    mapRecord(item, (operation, method) => f(operation, { path, method }))
  )
})

/** The document with further components of a kind, such as `schemas`. */
export const withComponents = (document: Json, kind: string, added: Json): Record<string, unknown> => {
  const components = member(document, "components")
  return { ...document, components: { ...components, [kind]: { ...member(components, kind), ...added } } }
}
