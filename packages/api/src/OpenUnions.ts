/** The unions of the OpenAPI document: which member a value is, its discriminator says. */
import { isRecord, type Json, mapRecord, member, withComponents } from "./OpenDocument.ts"

const REFERENCE = "#/components/schemas/"

const resolved = (schema: unknown, schemas: Json): Record<string, unknown> => {
  if (!isRecord(schema)) return {}
  const found = typeof schema.$ref === "string" ? schemas[schema.$ref.replace(REFERENCE, "")] : schema
  return isRecord(found) ? found : {}
}

/** The values of a property that names its object's kind; none if it does not. */
const kindsOf = (schema: Json, property: string): ReadonlyArray<string> => {
  const { enum: values } = member(member(schema, "properties"), property)
  const isRequired = Array.isArray(schema.required) && schema.required.includes(property)
  return isRequired && Array.isArray(values) ? values.filter((value) => typeof value === "string") : []
}

/** The property by whose value the members of a union differ. */
const discriminatorOf = (members: ReadonlyArray<Json>): string | undefined =>
  Object.keys(member(members[0], "properties")).find((property) => {
    const kinds = members.map((one) => kindsOf(one, property))
    const all = kinds.flat()
    return kinds.every((some) => some.length > 0) && new Set(all).size === all.length
  })

const pascal = (text: string): string =>
  text.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

interface Union {
  readonly schema: Record<string, unknown>
  /** Its members that had no name of their own. */
  readonly added: Json
}

/** A component that is a union, with members by names and a discriminator; undefined if it is none. */
const unionOf = (name: string, schema: Record<string, unknown>, schemas: Json): Union | undefined => {
  const { anyOf, oneOf = anyOf, ...rest } = schema
  if (!Array.isArray(oneOf) || oneOf.length < 2) return undefined
  const members = oneOf.map((one) => resolved(one, schemas))
  const property = discriminatorOf(members)
  if (property === undefined) return undefined
  const named = members.map((one, index) => {
    const kinds = kindsOf(one, property)
    const given: unknown = isRecord(oneOf[index]) ? oneOf[index].$ref : undefined
    const own = `${name.replace(/Input$/, "")}${pascal(kinds[0] ?? "")}${name.endsWith("Input") ? "Input" : ""}`
    const $ref = typeof given === "string" ? given : `${REFERENCE}${own}`
    const description = `Where \`${property}\` is \`${kinds[0] ?? ""}\``
    const added = typeof given === "string" ? [] : [[own, { description, ...one }] as const]
    return { kinds, $ref, added }
  })
  return {
    schema: {
      ...rest,
      oneOf: named.map(({ $ref }) => ({ $ref })),
      discriminator: {
        propertyName: property,
        mapping: Object.fromEntries(named.flatMap(({ kinds, $ref }) => kinds.map((kind) => [kind, $ref])))
      }
    },
    added: Object.fromEntries(named.flatMap(({ added }) => added))
  }
}

/** The document whose unions of objects are `oneOf`, with a name for each member and a discriminator. */
export const withDiscriminators = (document: Json): Record<string, unknown> => {
  const schemas = member(member(document, "components"), "schemas")
  const unions = Object.entries(schemas).flatMap(([name, schema]) => {
    const union = isRecord(schema) ? unionOf(name, schema, schemas) : undefined
    return union === undefined ? [] : [[name, union] as const]
  })
  const changed = Object.fromEntries(
    unions.flatMap(([name, { schema, added }]) => [[name, schema], ...Object.entries(added)])
  )
  return withComponents(
    document,
    "schemas",
    mapRecord(changed, (schema) => schema)
  )
}
