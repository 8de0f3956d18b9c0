/** Texts of bodies, whose faults are found together with all others of the body. */
import { Schema } from "effect"
import { type TextBounds, textFault } from "./TextFault.ts"

/** A text that has a form; `fault` says what is wrong with one, and `json` describes it to readers. */
export const formedText = (
  fault: (text: string) => string | undefined,
  json: Readonly<Record<string, unknown>> = {}
) => Schema.String.check(Schema.makeFilter(fault, { toJsonSchema: () => json }))

/** A text within bounds, which can be stored and shown. */
export const boundedText = (bounds: TextBounds) =>
  formedText((text) => textFault(text, bounds), {
    ...(bounds.least === 0 ? {} : { minLength: bounds.least, pattern: "\\S" }),
    maxLength: bounds.most
  })
