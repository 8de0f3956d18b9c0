/** An error as a command prints it with `--json`. */
import { Schema } from "effect"

/** Reads what a command that failed has printed to standard error. */
export const decodeError = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      error: Schema.Struct({
        code: Schema.String,
        message: Schema.NonEmptyString,
        hint: Schema.optionalKey(Schema.String)
      })
    })
  )
)
