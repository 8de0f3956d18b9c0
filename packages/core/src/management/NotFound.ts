/** The error for a change of something that does not exist. */
import { Data } from "effect"

/** The workspace has no such thing. */
export class NotFound extends Data.TaggedError("NotFound")<{
  /** The kind of thing in words: `alert rule`. */
  readonly what: string
  readonly id: string
}> {
  override get message(): string {
    return `There is no such ${this.what}`
  }
}
