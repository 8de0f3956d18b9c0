/** Query parameters that several endpoints share. */
import { Micros } from "@cairn/core/encoding"
import { DEFAULT_LIMIT, MAX_LIMIT } from "@cairn/core/log"
import { Schema } from "effect"

/** A text. */
export const textParameter = (description: string) =>
  Schema.optionalKey(Schema.String.annotate({ description }))

/** An ISO 8601 date or date-time. */
export const momentParameter = (description: string) =>
  Schema.optionalKey(
    Schema.String.annotate({
      description: `${description}; an ISO 8601 date (its midnight UTC) or date-time with any offset`,
      pattern: Micros.FORM,
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
  cursor: textParameter("`next_cursor` of the page before"),
  limit: limitParameter
}

/** Bounds of a page's length. */
export const PAGE_BOUNDS: LimitBounds = { maximum: MAX_LIMIT, otherwise: DEFAULT_LIMIT }
