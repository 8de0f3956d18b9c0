/** Query parameters that several endpoints share. */
import { TIME_FORM } from "@cairn/core/encoding"
import { MAX_CONDITION_VALUES, MAX_IDENTIFIER } from "@cairn/core/event"
import { DEFAULT_LIMIT, MAX_LIMIT } from "@cairn/core/log"
import { Schema } from "effect"

/** A text of as many characters as an identifier may have, unless another number is given. */
export const textParameter = (description: string, maxLength = MAX_IDENTIFIER) =>
  Schema.optionalKey(Schema.String.annotate({ description, pattern: "^[^\\u0000]*$", maxLength }))

/** The same, which may be given up to {@link MAX_CONDITION_VALUES} times. */
export const textsParameter = (description: string, maxLength = MAX_IDENTIFIER, pattern = "^[^\\u0000]*$") =>
  Schema.optionalKey(
    Schema.Array(Schema.String.annotate({ pattern, maxLength })).annotate({
      description,
      maxItems: MAX_CONDITION_VALUES
    })
  )

/** An ISO 8601 date or date-time. */
export const momentParameter = (description: string) =>
  Schema.optionalKey(
    Schema.String.annotate({
      description: `${description}; an ISO 8601 date (its midnight UTC) or date-time with any offset`,
      pattern: TIME_FORM,
      maxLength: MAX_IDENTIFIER,
      examples: ["2024-05-01T12:00:00Z"]
    })
  )

/** Bounds of a `limit`, and what it is unless given. */
export interface LimitBounds {
  readonly maximum: number
  readonly otherwise: number
}

/**
 * A whole number from 1 on. The server rejects one out of bounds by name; the document shows it as {@link
 * describeLimit} says.
 */
export const limitParameter = Schema.optionalKey(Schema.Int)

/**
 * Makes an operation's `limit`, or another such parameter, an integer with its bounds; a query carries text,
 * and the generated schema would show that.
 */
export const describeLimit =
  (
    { maximum, otherwise }: LimitBounds,
    name = "limit",
    description = `At most this many; ${otherwise} unless given`
  ) =>
  (operation: Record<string, unknown>): Record<string, unknown> => ({
    ...operation,
    parameters: Array.isArray(operation.parameters)
      ? operation.parameters.map((parameter: { readonly name: string }) =>
          parameter.name === name
            ? {
                ...parameter,
                description,
                schema: { type: "integer", minimum: 1, maximum, default: otherwise }
              }
            : parameter
        )
      : []
  })

/** Where a page begins, and how long it is. */
export const pageParameters = {
  cursor: Schema.optionalKey(
    Schema.String.annotate({
      description: "`next_cursor` of the page before",
      pattern: "^[A-Za-z0-9_-]+$",
      maxLength: MAX_IDENTIFIER
    })
  ),
  limit: limitParameter
}

/** Bounds of a page's length. */
export const PAGE_BOUNDS: LimitBounds = { maximum: MAX_LIMIT, otherwise: DEFAULT_LIMIT }
