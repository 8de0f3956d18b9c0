/** Why a check is not made. */
import { Data } from "effect"

/** A check has nothing to look at, or cannot look. */
export class Skipped extends Data.TaggedError("Skipped")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}
