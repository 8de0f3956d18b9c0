/** The refusal to change what is not there. */
import { Data } from "effect"

/** The workspace has no such thing. */
export class NotFound extends Data.TaggedError("NotFound")<{
  /** What was asked for, in words: `alert rule`. */
  readonly what: string
  readonly id: string
}> {
  override get message(): string {
    return `There is no such ${this.what}`
  }
}
