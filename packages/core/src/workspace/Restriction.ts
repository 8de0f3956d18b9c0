/**
 * Members of a body that restrict access. Each has a value or is left out: `null` and empty values are
 * rejected, so that a caller who lacks an id does not accidentally lift the restriction.
 */
import { Schema } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { TIME_FORM } from "../encoding/TimeForm.ts"
import { MAX_IDENTIFIER } from "../event/EventInput.ts"
import { hasAtMost, textFault } from "../event/TextFault.ts"
import { formedText } from "../event/TextSchema.ts"

const text = (fault: (text: string) => string | undefined) =>
  formedText((value) => (value === "" ? "must be text of at least 1 character" : fault(value)), {
    minLength: 1
  })

/** An id may be of white space alone, as an event's may. */
const conditionFault = (value: string, most: number) =>
  hasAtMost(value, most) ? textFault(value, { least: 0, most }) : `must have 1 to ${most} characters`

const timeFault = (value: string) =>
  Micros.parse(value) === undefined ? "must be an ISO 8601 date or date-time" : undefined

/** A restriction to one text, of as many characters as an identifier may have unless said otherwise. */
export const restriction = (description: string, maxLength = MAX_IDENTIFIER) =>
  Schema.optionalKey(
    text((value) => conditionFault(value, maxLength)).annotate({
      description,
      maxLength,
      pattern: "^[^\\u0000]*$"
    })
  )

/** A time that restricts: an ISO 8601 date or date-time. */
export const restrictingTime = text(timeFault).annotate({ pattern: TIME_FORM })

/** A restriction by a time. */
export const restrictedTime = (description: string) =>
  Schema.optionalKey(restrictingTime.annotate({ description }))
