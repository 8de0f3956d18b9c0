/** The forms of times as regular expressions, for readers of the OpenAPI document. */

/** Months with their days; February has 29 whatever the year. */
const MONTH_DAY =
  "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))"
const OFFSET = "(?:[Zz]|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)"
const TIME = `(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?${OFFSET}?`

const formOf = (year: string): string => `^${year}-${MONTH_DAY}(?:[Tt ]${TIME})?$`

/**
 * The texts that `Micros.parse` reads. Beside them it has only 29 February of years that have none, and
 * offsets that lead out of the years 0 to 9999.
 */
export const TIME_FORM: string = formOf("[0-9]{4}")

/** Those whose year is not 0. */
export const TIME_FORM_FROM_YEAR_ONE: string = formOf(
  "(?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
)
