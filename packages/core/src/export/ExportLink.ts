/**
 * Signed links: anybody who has one may fetch one thing until a certain time, without a key.
 *
 * `…/api/v1/exports/{id}/download?expires=<Unix seconds>&signature=<hex>`, where the signature is HMAC-SHA256
 * over `cairn.<purpose>.v1\n<id>\n<expires>`. A link that was made for somebody has `&for=<id>` too, and is
 * signed over {@link linkSubject} in place of the id.
 */
import { Result, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import { SECOND } from "../encoding/Micros.ts"
import { equalInConstantTime, hmacSha256Hex } from "../hashing/HmacSha256.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"

/** What a link is for: an export's download, which redirects, or its file. */
export type LinkPurpose = "export" | "export-file"

/** A link does not permit the request. */
export class LinkRefused extends Schema.TaggedError<LinkRefused>()("LinkRefused", {
  /** `expired` only if the signature is valid, so that guessing reveals nothing. */
  reason: Schema.Literals(["not_authentic", "expired"])
}) {}

/**
 * What a link is about: the thing and, where there are any, for whom it was made and who reads by it. An id
 * has neither brackets nor quotation marks, so no two links are about the same.
 */
export const linkSubject = (id: string, ...named: ReadonlyArray<string>): string =>
  named.every((one) => one === "") ? id : JSON.stringify([id, ...named])

const signatureOf = (
  sha256: Sha256Shape,
  key: string | Uint8Array,
  purpose: LinkPurpose,
  id: string,
  expires: string
): string => hmacSha256Hex(sha256, key, `cairn.${purpose}.v1\n${id}\n${expires}`)

/**
 * The query of a link, `expires=…&signature=…`, that is valid until `expiresAt`, rounded down to a second.
 */
export const signLink = (
  sha256: Sha256Shape,
  key: string | Uint8Array,
  purpose: LinkPurpose,
  id: string,
  expiresAt: Micros
): string => {
  const expires = String(Math.floor(expiresAt / SECOND))
  return `expires=${expires}&signature=${signatureOf(sha256, key, purpose, id, expires)}`
}

/** Whether the two parameters of a link are those that {@link signLink} made, and still valid at `now`. */
export const checkLink = (
  sha256: Sha256Shape,
  key: string | Uint8Array,
  purpose: LinkPurpose,
  id: string,
  given: { readonly expires: string; readonly signature: string },
  now: Micros
): Result.Result<void, LinkRefused> => {
  const { expires, signature } = given
  const authentic =
    /^(0|[1-9]\d{0,11})$/.test(expires) &&
    equalInConstantTime(signature, signatureOf(sha256, key, purpose, id, expires))
  if (!authentic) return Result.fail(new LinkRefused({ reason: "not_authentic" }))
  return now < Number(expires) * SECOND ? Result.void : Result.fail(new LinkRefused({ reason: "expired" }))
}
