/** Texts of bodies, whose faults are found together with all others of the body. */
import { Schema } from "effect"
import { nameFault, type TextBounds } from "./TextFault.ts"

/** A text that has a form; `fault` says what is wrong with one, and `json` describes it to readers. */
export const formedText = (
  fault: (text: string) => string | undefined,
  json: Readonly<Record<string, unknown>> = {}
) => Schema.String.check(Schema.makeFilter(fault, { toJsonSchema: () => json }))

const jsonOf = (bounds: TextBounds) => ({
  ...(bounds.least === 0 ? {} : { minLength: bounds.least, pattern: "\\S" }),
  maxLength: bounds.most
})

/** What a thing is called, within bounds. */
export const nameText = (bounds: TextBounds) => formedText((text) => nameFault(text, bounds), jsonOf(bounds))
