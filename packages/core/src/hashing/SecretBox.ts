/** Port: secrets that must be used again, encrypted for where they are stored. */
import { Context, type Result, Schema } from "effect"

/** A sealed secret cannot be opened: its key is not here, or it is not what was sealed. Neither is told. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  /** The key that it names; null when it names none. */
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
 * - `open` gives back what `seal` was given, with the same `owner`: a sealed secret that is moved to another
 *   owner's row does not open.
 * - Sealing the same twice gives different texts. A text tells which key sealed it and nothing else.
 * - `seal` uses the newest key; `open` knows the older ones too, until they are taken away.
 */
export interface SecretBoxShape {
  /** `owner` is the id of what the secret belongs to. */
  readonly seal: (secret: string, owner: string) => string
  readonly open: (sealed: string, owner: string) => Result.Result<string, SecretUnreadable>
  /** Whether the newest key sealed it; if not, seal it anew. */
  readonly isCurrent: (sealed: string) => boolean
}

/** The box. */
export class SecretBox extends Context.Service<SecretBox, SecretBoxShape>()("@cairn/core/SecretBox") {}
