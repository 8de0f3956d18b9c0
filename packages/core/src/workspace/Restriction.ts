/**
 * Members of a body that restrict access. Each has a value or is left out: `null` and empty values are
 * rejected, so that a caller who lacks an id does not accidentally lift the restriction.
 */
import { Schema } from "effect"
import { TIME_FORM } from "../encoding/TimeForm.ts"
import { MAX_IDENTIFIER } from "../event/EventInput.ts"

const schema = Schema.String.check(Schema.isMinLength(1, { expected: "text of at least 1 character" }))

/** A restriction to one text, of as many characters as an identifier may have unless said otherwise. */
export const restriction = (description: string, maxLength = MAX_IDENTIFIER) =>
  Schema.optionalKey(schema.annotate({ description, maxLength, pattern: "^[^\\u0000]*$" }))

/** A restriction by a time: an ISO 8601 date or date-time. */
export const restrictedTime = (description: string) =>
  Schema.optionalKey(schema.annotate({ description, pattern: TIME_FORM }))
