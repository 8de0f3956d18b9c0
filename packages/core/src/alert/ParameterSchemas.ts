/** Schemas that several rules use for their parameters. */
import { Schema } from "effect"
import { MAX_IDENTIFIER } from "../event/EventInput.ts"
import { textFault } from "../event/TextFault.ts"

/** Most globs of one rule. */
const MAX_GLOBS = 50

/** An integer within limits, both included. */
export const integer = (minimum: number, maximum: number) =>
  Schema.Finite.check(
    Schema.makeFilter(
      (value: number) =>
        Number.isInteger(value) && value >= minimum && value <= maximum
          ? undefined
          : `must be an integer between ${minimum} and ${maximum}`,
      {
        expected: `an integer between ${minimum} and ${maximum}`,
        toJsonSchema: () => ({ type: "integer", minimum, maximum })
      }
    )
  )

/** A pattern for actions, see `actionGlob`. */
export const glob = Schema.String.check(
  Schema.makeFilter((text: string) => textFault(text, { least: 1, most: MAX_IDENTIFIER }), {
    toJsonSchema: () => ({ minLength: 1, maxLength: MAX_IDENTIFIER, pattern: "\\S" })
  })
)

/** At least one pattern. */
export const globs = Schema.Array(glob).check(
  Schema.makeFilter(
    (list: ReadonlyArray<string>) =>
      list.length >= 1 && list.length <= MAX_GLOBS ? undefined : `must have 1 to ${MAX_GLOBS} items`,
    { toJsonSchema: () => ({ minItems: 1, maxItems: MAX_GLOBS }) }
  )
)
