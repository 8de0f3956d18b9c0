/**
 * Schemas of values that many bodies have, with a description each. Their form, such as a hash's pattern, is
 * told to readers of the OpenAPI document; what is decoded is checked for its type only, so that reading an
 * answer costs no more and an old value is still read.
 */
import { Schema } from "effect"

const described = (description: string | undefined) => (description === undefined ? {} : { description })

/** A text. */
export const text = (description?: string) => Schema.String.annotate(described(description))

/** A time: UTC with a `Z`, and six fractional digits unless the description says otherwise. */
export const timestamp = (description?: string) =>
  Schema.String.annotate({ ...described(description), format: "date-time" })

/** How many there are of something; never negative. */
export const count = (description?: string) => Schema.Int.annotate({ ...described(description), minimum: 0 })

/** An absolute URL. */
export const url = (description?: string) =>
  Schema.String.annotate({ ...described(description), format: "uri" })

/** A SHA-256 hash as 64 lower-case hexadecimal characters. */
export const sha256 = (description?: string) =>
  Schema.String.annotate({ ...described(description), pattern: "^[0-9a-f]{64}$" })

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

/** A UUID, whose letters may be of either case, as a regular expression. */
export const ANY_CASE_UUID = `^${UUID.replaceAll("a-f", "A-Fa-f")}$`

/** An id that the server makes: a prefix such as `exp`, and a UUID. */
export const prefixedId = (prefix: string, description: string) =>
  Schema.String.annotate({ description, pattern: `^${prefix}_${UUID}$` })

/** A value or null; the description says what null means. */
export const nullable = <S extends Schema.Constraint>(schema: S, description: string) =>
  Schema.NullOr(schema).annotate({ description })
