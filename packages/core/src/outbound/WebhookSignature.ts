/**
 * The signature that Cairn puts on every webhook: `X-Cairn-Signature: sha256=<hex>`, the HMAC-SHA256 of the
 * raw body, keyed with the whole secret as UTF-8.
 *
 * While a secret is being replaced, both sign, newest first, separated by a comma. This signature does not
 * cover the time of sending; the headers of Standard Webhooks next to it do, and stop replays.
 */
import { equalInConstantTime, hmacSha256Hex } from "../hashing/HmacSha256.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"

/** The name of the header. */
export const SIGNATURE_HEADER = "x-cairn-signature"

/** The header's value for a raw body. */
export const webhookSignature = (
  sha256: Sha256Shape,
  secrets: ReadonlyArray<string>,
  body: string | Uint8Array
): string => secrets.map((secret) => `sha256=${hmacSha256Hex(sha256, secret, body)}`).join(",")

/** Whether one of the header's signatures was made with `secret` over the raw body. */
export const verifyWebhookSignature = (
  sha256: Sha256Shape,
  secret: string,
  body: string | Uint8Array,
  header: string
): boolean => {
  const expected = `sha256=${hmacSha256Hex(sha256, secret, body)}`
  return header
    .split(",")
    .map((signature) => equalInConstantTime(signature.trim(), expected))
    .includes(true)
}
