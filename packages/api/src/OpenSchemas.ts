/** What the generated JSON Schemas say too strictly of what goes over the wire. */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** How the generator writes a number in JSON: the ones that JSON cannot write as strings beside it. */
const isNumberWithNames = (types: ReadonlyArray<unknown>): boolean =>
  types.some((type) => isRecord(type) && Array.isArray(type.enum) && type.enum.includes("NaN"))

/**
 * The same document with open objects, because both sides ignore the fields they do not know: a newer server and a newer client
 * may send more. And its one unbounded number, an event's `version`, is an integer.
 */
export const withOpenSchemas = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withOpenSchemas)
  if (!isRecord(value)) return value
  const result: Record<string, unknown> = {}
  for (const [key, child] of Object.entries(value)) {
    if (key === "additionalProperties" && child === false) continue
    result[key] = withOpenSchemas(
      key === "anyOf" && Array.isArray(child) && isNumberWithNames(child)
        ? [{ type: "integer" }, ...child.filter((type) => isRecord(type) && type.type === "null")]
        : child
    )
  }
  return result
}
