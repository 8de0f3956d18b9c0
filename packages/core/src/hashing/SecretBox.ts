/** Port: secrets that must be used again, so they are stored encrypted instead of hashed. */
import { Context, type Result, Schema } from "effect"

/**
 * A sealed secret cannot be opened: its key is not available, or the sealed text was changed. The error does
 * not say which.
 */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  /** The key that the sealed text names; null if it names none. */
  keyId: Schema.NullOr(Schema.String),
  reason: Schema.Literals(["unknown_key", "malformed", "not_authentic"])
}) {
  /** What to do about it. */
  override get message(): string {
    return this.reason === "unknown_key"
      ? `the secret was sealed with key ${this.keyId}, which is not configured`
      : "the sealed secret was changed, or belongs to something else"
  }
}

/**
 * Contract:
 *
 * - `open` returns what was passed to `seal`, if the `owner` is the same: a sealed secret that was moved to
 *   another owner's row does not open.
 * - Sealing the same secret twice gives different texts. A sealed text shows which key sealed it and nothing
 *   else.
 * - `seal` uses the newest key; `open` also accepts the older keys, until they are removed.
 */
export interface SecretBoxShape {
  /** `owner` is the id of the thing that the secret belongs to. */
  readonly seal: (secret: string, owner: string) => string
  readonly open: (sealed: string, owner: string) => Result.Result<string, SecretUnreadable>
  /** Whether the newest key sealed it. If not, seal it again. */
  readonly isCurrent: (sealed: string) => boolean
}

/** The box. */
export class SecretBox extends Context.Service<SecretBox, SecretBoxShape>()("@cairn/core/SecretBox") {}
