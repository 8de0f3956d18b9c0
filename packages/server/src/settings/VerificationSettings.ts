/** How the service verifies its logs by itself. */
import { Schema } from "effect"

/** Crosses to the delivery thread as structured clone. */
export const VerificationSettings = Schema.Struct({
  /** From the beginning of a pass to that of the next, in seconds; 0 verifies nothing. */
  everySeconds: Schema.Number,
  /** Most events a second, over all logs. */
  rate: Schema.Number
})
export type VerificationSettings = typeof VerificationSettings.Type
