/**
 * Members of a body that restrict access. Each has a value or is left out: `null` and empty values are
 * rejected, so that a caller who lacks an id does not accidentally lift the restriction.
 */
import { Schema } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { TIME_FORM } from "../encoding/TimeForm.ts"
import { COUNTRY_FORM, MAX_CONDITION_VALUES } from "../event/EventFilter.ts"
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

/** A text that restricts, of at most as many characters. */
export const restrictingText = (maxLength: number) =>
  text((value) => conditionFault(value, maxLength)).annotate({ maxLength, pattern: "^[^\\u0000]*$" })

/** A restriction to one text, of as many characters as an identifier may have unless said otherwise. */
export const restriction = (description: string, maxLength = MAX_IDENTIFIER) =>
  Schema.optionalKey(restrictingText(maxLength).annotate({ description }))

/** The same to one text or any of several; `one` is what each of them is. */
export const restrictions = (
  description: string,
  one: Schema.Codec<string> = restrictingText(MAX_IDENTIFIER)
) =>
  Schema.optionalKey(
    Schema.Union([
      one,
      Schema.Array(one).check(
        Schema.makeFilter(
          ({ length }) =>
            length < 1 || length > MAX_CONDITION_VALUES
              ? `must have 1 to ${MAX_CONDITION_VALUES} values`
              : undefined,
          { toJsonSchema: () => ({ minItems: 1, maxItems: MAX_CONDITION_VALUES }) }
        )
      )
    ]).annotate({ description })
  )

/** A country that restricts: the two upper-case letters of ISO 3166-1. */
export const restrictingCountry = text((value) =>
  COUNTRY_FORM.test(value) ? undefined : "must be two upper-case letters"
).annotate({ pattern: COUNTRY_FORM.source })

/** A time that restricts: an ISO 8601 date or date-time. */
export const restrictingTime = text(timeFault).annotate({ pattern: TIME_FORM })

/** A restriction by a time. */
export const restrictedTime = (description: string) =>
  Schema.optionalKey(restrictingTime.annotate({ description }))
