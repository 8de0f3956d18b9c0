import { platformSha256 } from "@cairn/core/hashing"
import { verifyStandardWebhook } from "@cairn/core/outbound"
import { Result } from "effect"
import { CairnError } from "../Errors.ts"

/** Why a message is not taken for one of the service. */
export type WebhookFault =
  | "missing_header"
  | "bad_timestamp"
  | "too_old"
  | "too_new"
  | "no_matching_signature"
  | "bad_secret"
  | "bad_body"

/** A received message is not proven to come from the service. Answer it with 400 and do nothing. */
export class WebhookRefusedError extends CairnError {
  override readonly name: string = "WebhookRefusedError"
  readonly reason: WebhookFault

  constructor(reason: WebhookFault) {
    super(`the webhook is not proven to come from the service: ${reason.replaceAll("_", " ")}`)
    this.reason = reason
  }
}

/** A message that the service has sent. */
export interface VerifiedWebhook {
  /** The same for each attempt at one message: a message whose id was seen before can be ignored. */
  readonly id: string
  /** When this attempt was made. */
  readonly sentAt: Date
  /** The body, read as JSON. */
  readonly payload: unknown
}

/** What is known of a received message's headers: of fetch, of Node, or a plain object. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const NAMES = ["webhook-id", "webhook-timestamp", "webhook-signature"]

/** Most characters of a header: dozens of signatures, where a service sends one for each of its secrets. */
const MAX_HEADER = 8192

const headersOf = (headers: WebhookHeaders): Record<string, string | undefined> => {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers)
  const known = entries.flatMap(([name, value]) => {
    const text = typeof value === "string" ? value : value?.length === 1 ? value[0] : undefined
    return text !== undefined && text.length <= MAX_HEADER && NAMES.includes(name.toLowerCase())
      ? [[name.toLowerCase(), text]]
      : []
  })
  return Object.fromEntries(known)
}

const textOf = (body: string | Uint8Array): string => {
  try {
    return typeof body === "string"
      ? body
      : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw new WebhookRefusedError("bad_body")
  }
}

/**
 * Checks a received webhook by its signature (Standard Webhooks 1.0.0), with a time that differs from this
 * clock by at most five minutes. Give the body as it was received: one that was parsed and written again has
 * other bytes. With several secrets, as while one is replaced, one of them must have signed; `undefined`, as
 * a variable that is not set, is none.
 *
 * @throws WebhookRefusedError, with the reason.
 */
export const verifyWebhook = (
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | undefined | ReadonlyArray<string | undefined>,
  { now = new Date() }: { readonly now?: Date } = {}
): VerifiedWebhook => {
  const text = textOf(body)
  const given = headersOf(headers)
  const seconds = Math.floor(now.getTime() / 1000)
  // No time is older than none, and none is newer: a message of any age would be taken.
  if (Number.isNaN(seconds)) throw new TypeError("now must be a valid Date")
  const known = [secrets].flat().filter((secret) => typeof secret === "string")
  const results = known.map((secret) => {
    const checked = verifyStandardWebhook(platformSha256, secret, given, text, seconds)
    if (Result.isSuccess(checked)) return undefined
    return checked.failure._tag === "WebhookRefused" ? checked.failure.reason : "bad_secret"
  })
  if (results.length === 0) throw new WebhookRefusedError("bad_secret")
  if (!results.includes(undefined)) throw new WebhookRefusedError(results[0] ?? "bad_secret")
  try {
    return {
      id: String(given["webhook-id"]),
      sentAt: new Date(Number(given["webhook-timestamp"]) * 1000),
      payload: JSON.parse(text)
    }
  } catch {
    throw new WebhookRefusedError("bad_body")
  }
}
