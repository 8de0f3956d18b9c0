/** An event that may be recorded. */
import type { EventInput } from "./EventInput.ts"

/** An event body that passed every check, with its metadata already in canonical form. */
export interface ValidEvent {
  readonly input: EventInput
  /** Canonical JSON of `metadata`, or `null`. */
  readonly metadata: string
  /** Canonical JSON of each target's `metadata`, where it has one. */
  readonly targetMetadata: ReadonlyArray<string | undefined>
  /** What of the body was left out, where unknown members are not an error. */
  readonly warnings?: ReadonlyArray<string>
}
