/** Where the generated JSON Schemas are stricter than what is sent over the wire. */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** How the generator writes a number in JSON: the ones that JSON cannot write as strings beside it. */
const isNumberWithNames = (types: ReadonlyArray<unknown>): boolean =>
  types.some((type) => isRecord(type) && Array.isArray(type.enum) && type.enum.includes("NaN"))

/** The names of the components that a part of the document refers to, at any depth. */
const referredTo = (
  value: unknown,
  schemas: Readonly<Record<string, unknown>>,
  found = new Set<string>()
): Set<string> => {
  if (Array.isArray(value)) for (const item of value) referredTo(item, schemas, found)
  if (!isRecord(value)) return found
  for (const [key, child] of Object.entries(value)) {
    const name = key === "$ref" && typeof child === "string" ? child.replace("#/components/schemas/", "") : ""
    if (name === "" || found.has(name) || !(name in schemas)) referredTo(child, schemas, found)
    else referredTo(schemas[name], schemas, found.add(name))
  }
  return found
}

/**
 * The components that are bodies of requests, or parts of them, and no answer's: in these nothing unknown is
 * taken.
 */
const closedSchemas = (document: Record<string, unknown>): ReadonlySet<string> => {
  const components = isRecord(document.components) ? document.components : {}
  const schemas = isRecord(components.schemas) ? components.schemas : {}
  const paths = isRecord(document.paths) ? document.paths : {}
  const operations = Object.values(paths).flatMap((item) => (isRecord(item) ? Object.values(item) : []))
  const requests: Array<unknown> = []
  const others: Array<unknown> = []
  for (const operation of operations) {
    if (!isRecord(operation)) continue
    const { requestBody, ...rest } = operation
    others.push(rest)
    requests.push(requestBody)
  }
  const open = referredTo(others, schemas)
  return new Set([...referredTo(requests, schemas)].filter((name) => !open.has(name)))
}

const opened = (value: unknown, closed: boolean): unknown => {
  if (Array.isArray(value)) return value.map((item) => opened(item, closed))
  if (!isRecord(value)) return value
  const result: Record<string, unknown> = {}
  for (const [key, child] of Object.entries(value)) {
    if (!closed && key === "additionalProperties" && child === false) continue
    result[key] = opened(
      key === "anyOf" && Array.isArray(child) && isNumberWithNames(child)
        ? [{ type: "integer" }, ...child.filter((type) => isRecord(type) && type.type === "null")]
        : child,
      closed
    )
  }
  return result
}

/**
 * The same document with open response bodies, because a newer server may send more fields, which clients
 * ignore. Request bodies stay closed, since the server rejects unknown members. And the one unbounded number,
 * an event's `version`, is an integer.
 */
export const withOpenSchemas = (document: Record<string, unknown>): Record<string, unknown> => {
  const closed = closedSchemas(document)
  const components = isRecord(document.components) ? document.components : {}
  const schemas = isRecord(components.schemas) ? components.schemas : {}
  return {
    ...Object.fromEntries(Object.entries(document).map(([key, child]) => [key, opened(child, false)])),
    components: {
      ...Object.fromEntries(Object.entries(components).map(([key, child]) => [key, opened(child, false)])),
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, opened(schema, closed.has(name))])
      )
    }
  }
}
