/**
 * Symmetric signatures of Standard Webhooks (https://www.standardwebhooks.com, specification 1.0.0): they
 * prove who sent a message, and when.
 *
 * `webhook-signature` is `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, once for each secret,
 * separated by spaces, so that a secret can be replaced without a gap.
 */
import { Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { equalInConstantTime, hmacSha256 } from "../hashing/HmacSha256.ts"
import type { RandomnessShape } from "../hashing/Randomness.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"

const SECRET_PREFIX = "whsec_"
/** The specification requires 24 to 64 bytes. */
const SECRET_BYTES = 32
/**
 * How far `webhook-timestamp` may differ from the receiver's clock, in seconds: five minutes, as in the
 * reference libraries.
 */
const TIMESTAMP_TOLERANCE = 300

/** A new secret: `whsec_` and the base64 of 32 random bytes. */
export const makeWebhookSecret = (random: RandomnessShape): string =>
  SECRET_PREFIX + Base64.encode(random.bytes(SECRET_BYTES))

/**
 * The text is not a secret: not base64, with or without `whsec_`, or empty. The error does not contain the
 * text.
 */
class InvalidWebhookSecret extends Schema.TaggedError<InvalidWebhookSecret>()("InvalidWebhookSecret", {}) {}

/** The key that a secret encodes. */
export const webhookKey = (secret: string): Result.Result<Uint8Array, InvalidWebhookSecret> => {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret
  const key = Result.getOrUndefined(Base64.decode(text))
  return key === undefined || key.length === 0 ? Result.fail(new InvalidWebhookSecret()) : Result.succeed(key)
}

/** The signed parts. */
interface SignedMessage {
  /** The same for every attempt at one message; contains no dot. */
  readonly id: string
  /** Seconds since the epoch, at this attempt. */
  readonly timestamp: number
  readonly body: string
}

/** The headers of a signed message. */
interface StandardWebhookHeaders {
  readonly "webhook-id": string
  readonly "webhook-timestamp": string
  readonly "webhook-signature": string
}

const utf8 = new TextEncoder()

const signature = (sha256: Sha256Shape, key: Uint8Array, { id, timestamp, body }: SignedMessage): string =>
  `v1,${Base64.encode(hmacSha256(sha256, key, utf8.encode(`${id}.${timestamp}.${body}`)))}`

/** Signs a message with every secret, newest first. */
export const signStandardWebhook = (
  sha256: Sha256Shape,
  secrets: ReadonlyArray<string>,
  message: SignedMessage
): Result.Result<StandardWebhookHeaders, InvalidWebhookSecret> =>
  Result.map(Result.all(secrets.map(webhookKey)), (keys) => ({
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestamp),
    "webhook-signature": keys.map((key) => signature(sha256, key, message)).join(" ")
  }))

/** What is wrong with a received message. */
type WebhookRefusal = "missing_header" | "bad_timestamp" | "too_old" | "too_new" | "no_matching_signature"

/** A received message is not proven to come from the sender. */
export class WebhookRefused extends Schema.TaggedError<WebhookRefused>()("WebhookRefused", {
  reason: Schema.Literals(["missing_header", "bad_timestamp", "too_old", "too_new", "no_matching_signature"])
}) {}

/**
 * Checks a received message, whose header names are in lower case, at `now` in seconds since the epoch.
 * Signatures of versions other than `v1` are ignored.
 */
export const verifyStandardWebhook = (
  sha256: Sha256Shape,
  secret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  now: number
): Result.Result<void, WebhookRefused | InvalidWebhookSecret> => {
  const refuse = (reason: WebhookRefusal) => Result.fail(new WebhookRefused({ reason }))
  const key = webhookKey(secret)
  if (Result.isFailure(key)) return Result.fail(key.failure)
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures } = headers
  if (!id || !time || !signatures) return refuse("missing_header")
  if (!/^\d{1,12}$/.test(time)) return refuse("bad_timestamp")
  const timestamp = Number(time)
  if (timestamp < now - TIMESTAMP_TOLERANCE) return refuse("too_old")
  if (timestamp > now + TIMESTAMP_TOLERANCE) return refuse("too_new")
  const expected = signature(sha256, key.success, { id, timestamp, body })
  return signatures
    .split(" ")
    .map((given) => equalInConstantTime(given, expected))
    .includes(true)
    ? Result.void
    : refuse("no_matching_signature")
}
