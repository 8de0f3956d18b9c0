/** Where the generated JSON Schemas are stricter, looser or clumsier than what is sent over the wire. */
import { isRecord, type Json, mapRecord, member } from "./OpenDocument.ts"

const REFERENCE = "#/components/schemas/"

/** The names of the components that a part of the document refers to, at any depth. */
const referredTo = (
  value: unknown,
  schemas: Readonly<Record<string, unknown>>,
  found = new Set<string>()
): Set<string> => {
  if (Array.isArray(value)) for (const item of value) referredTo(item, schemas, found)
  if (!isRecord(value)) return found
  for (const [key, child] of Object.entries(value)) {
    const name = key === "$ref" && typeof child === "string" ? child.replace(REFERENCE, "") : ""
    if (name === "" || found.has(name) || !(name in schemas)) referredTo(child, schemas, found)
    else referredTo(schemas[name], schemas, found.add(name))
  }
  return found
}

/**
 * The components that are bodies of requests, or parts of them, and no answer's: in these nothing unknown is
 * taken.
 */
const closedSchemas = (document: Json): ReadonlySet<string> => {
  const schemas = member(member(document, "components"), "schemas")
  const operations = Object.values(member(document, "paths")).flatMap((item) =>
    Object.values(isRecord(item) ? item : {}).filter(isRecord)
  )
  const open = referredTo(
    operations.map(({ requestBody, ...rest }) => rest),
    schemas
  )
  const requests = referredTo(
    operations.map(({ requestBody }) => requestBody),
    schemas
  )
  return new Set([...requests].filter((name) => !open.has(name)))
}

/** The largest number that 32 bits hold: generated clients must know where larger ones occur. */
const MAX_INT32 = 2_147_483_647

/**
 * An integer with its size in a client. The bounds of exact numbers say something of a request, and nothing
 * of an answer.
 */
const bounded = (schema: Record<string, unknown>, closed: boolean): Record<string, unknown> => {
  if (schema.type === "number" && Array.isArray(schema.enum) && schema.enum.every(Number.isInteger))
    return { ...schema, type: "integer" }
  if (schema.type === "number" && schema.multipleOf === 1) {
    const { multipleOf, ...rest } = schema
    return bounded({ ...rest, type: "integer" }, closed)
  }
  if (schema.type !== "integer") return schema
  const { minimum, maximum, ...rest } = schema
  return {
    ...rest,
    ...(typeof maximum === "number" && maximum <= MAX_INT32 ? {} : { format: "int64" }),
    ...(minimum === undefined || (minimum === Number.MIN_SAFE_INTEGER && !closed) ? {} : { minimum }),
    ...(maximum === undefined || (maximum === Number.MAX_SAFE_INTEGER && !closed) ? {} : { maximum })
  }
}

/** How the generator writes a number in JSON: the ones that JSON cannot write as strings beside it. */
const isNamesOfNumbers = (schema: unknown): boolean =>
  isRecord(schema) && Array.isArray(schema.enum) && schema.enum.includes("NaN")

/** The choices of a schema, those of a choice within included, each once. */
const choices = (members: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const all = members.flatMap((one: unknown) =>
    isRecord(one) && Array.isArray(one.anyOf) && Object.keys(one).length === 1 ? choices(one.anyOf) : [one]
  )
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
}

/** The one schema that a composition comes down to, merged into what stands beside it. */
const simplified = (schema: Record<string, unknown>, closed: boolean): Record<string, unknown> => {
  for (const keyword of ["anyOf", "allOf"]) {
    const { [keyword]: given, ...rest } = schema
    if (!Array.isArray(given)) continue
    const members = keyword === "anyOf" ? choices(given) : given
    const kept = members.filter((one) => !isNamesOfNumbers(one))
    // A number that the server checks to be whole: the only kind the interface has with such names beside it.
    const whole = kept.length < members.length
    const inner = kept.map((one: unknown) =>
      whole && isRecord(one) && one.type === "number" ? bounded({ ...one, type: "integer" }, closed) : one
    )
    const [only] = inner
    const isPlain = isRecord(only) && !("$ref" in only) && Object.keys(only).every((key) => !(key in rest))
    if (inner.length === 1 && isPlain) return simplified({ ...only, ...rest }, closed)
    if (whole || members.length < given.length) return { ...rest, [keyword]: inner }
  }
  return schema
}

/** A value that may be null has its description beside the choice, where readers look. */
const hoisted = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { anyOf, description } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || description !== undefined) return schema
  const [value, none] = anyOf
  if (!isRecord(value) || "$ref" in value || !isRecord(none) || none.type !== "null") return schema
  const { description: inner, ...rest } = value
  return inner === undefined ? schema : { ...schema, anyOf: [rest, none], description: inner }
}

/** An object, of which the generator says that it is not null. */
const present = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { not, ...rest } = schema
  return rest.type === "object" && isRecord(not) && not.type === "null" ? rest : schema
}

/** An object of which nothing is said may have any member: generated clients ask for it in so many words. */
const freeForm = (schema: Record<string, unknown>): Record<string, unknown> =>
  schema.type === "object" && !("properties" in schema) && !("additionalProperties" in schema)
    ? { ...schema, additionalProperties: true }
    : schema

const opened = (value: unknown, closed: boolean): unknown => {
  if (Array.isArray(value)) return value.map((item) => opened(item, closed))
  if (!isRecord(value)) return value
  const entries = Object.entries(value)
    .filter(([key, child]) => closed || key !== "additionalProperties" || child !== false)
    .map(([key, child]) => [key, opened(child, closed)])
  return freeForm(present(hoisted(bounded(simplified(Object.fromEntries(entries), closed), closed))))
}

const withoutDescription = (schema: unknown): string => {
  const { description, ...rest } = isRecord(schema) ? schema : {}
  return JSON.stringify(rest)
}

/** The names that components get: `X_1` is `X` where it says the same, and else the `XInput` of requests. */
const newNames = (schemas: Json): ReadonlyMap<string, string> =>
  new Map(
    Object.keys(schemas).flatMap((name) => {
      const base = name.replace(/_\d+$/, "")
      if (base === name) return []
      const same = withoutDescription(schemas[name]) === withoutDescription(schemas[base])
      return [[name, same ? base : `${base}Input`] as const]
    })
  )

const renamed = (value: unknown, names: ReadonlyMap<string, string>): unknown => {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      if (key !== "$ref" || typeof child !== "string") return [key, renamed(child, names)]
      const name = names.get(child.replace(REFERENCE, ""))
      return [key, name === undefined ? child : `${REFERENCE}${name}`]
    })
  )
}

/**
 * The same document with open response bodies, because a newer server may send more fields, which clients
 * ignore. Request bodies stay closed, since the server rejects unknown members. Integers are plain, and
 * free-form objects say that they are.
 */
export const withOpenSchemas = (document: Json): Record<string, unknown> => {
  const closed = closedSchemas(document)
  const components = member(document, "components")
  const schemas = mapRecord(components.schemas, (schema, name) => opened(schema, closed.has(name)))
  const names = newNames(schemas)
  const unique = Object.entries(schemas).map(([name, schema]) => [names.get(name) ?? name, schema] as const)
  const kept = Object.fromEntries([...unique].reverse())
  return mapRecord(
    {
      ...document,
      paths: opened(document.paths, false),
      components: { ...mapRecord(components, (child) => opened(child, false)), schemas: kept }
    },
    (child) => renamed(child, names)
  )
}
