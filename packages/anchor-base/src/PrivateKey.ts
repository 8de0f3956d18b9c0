/** The key of the account that anchors. */
import { Redacted, Result, Schema } from "effect"

/** The text is not a private key. The error does not contain it. */
export class MalformedPrivateKey extends Schema.TaggedError<MalformedPrivateKey>()("MalformedPrivateKey", {
  /** Characters of it. */
  length: Schema.Number
}) {
  override get message() {
    return `${this.length} characters that are not a private key: 64 hexadecimal ones are needed, with 0x before them or without`
  }
}

/**
 * A private key from the text of a variable or a file: 64 hexadecimal characters, after `0x` or not, white
 * space around them.
 */
export const privateKeyFrom = (
  text: string
): Result.Result<Redacted.Redacted<`0x${string}`>, MalformedPrivateKey> => {
  const digits = text.trim().replace(/^0x/i, "").toLowerCase()
  return /^[0-9a-f]{64}$/.test(digits)
    ? Result.succeed(Redacted.make(`0x${digits}` as const))
    : Result.fail(new MalformedPrivateKey({ length: text.trim().length }))
}
