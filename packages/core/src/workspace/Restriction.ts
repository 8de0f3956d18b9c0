/**
 * Members of a body that restrict access. Each has a value or is left out: `null` and empty values are
 * rejected, so that a caller who lacks an id does not accidentally lift the restriction.
 */
import { Schema } from "effect"
import * as Micros from "../encoding/Micros.ts"

const schema = Schema.String.check(Schema.isMinLength(1, { expected: "text of at least 1 character" }))

/** A restriction to one text. */
export const restriction = (description: string) => Schema.optionalKey(schema.annotate({ description }))

/** A restriction by a time: an ISO 8601 date or date-time. */
export const restrictedTime = (description: string) =>
  Schema.optionalKey(schema.annotate({ description, pattern: Micros.FORM }))
