/** What a refused request is told to bring (RFC 6750 section 3). */
import { type Permission, type Scope, scopeOf } from "@cairn/core/workspace"
import type { AnswerHeaders } from "../plumbing/Answer.ts"

const BEARER = /^bearer +(\S+) *$/i

/** What an `Authorization` header brings (RFC 6750 section 2.1). */
export const readBearer = (header: string): string | undefined => BEARER.exec(header)?.[1]

/** The challenge of a `401`: whether a token was sent that is not valid, or none. */
export const challenge = (authorization: string | undefined): AnswerHeaders => {
  const sent = authorization !== undefined && readBearer(authorization) !== undefined
  return { "www-authenticate": `Bearer realm="cairn"${sent ? ', error="invalid_token"' : ""}` }
}

const insufficient = (scope: Scope | null): AnswerHeaders => ({
  "www-authenticate": `Bearer realm="cairn", error="insufficient_scope"${scope === null ? "" : `, scope="${scope}"`}`
})

/** The challenge of a `403` for want of a permission, by the scope that a key needs for it. */
export const permissionChallenge = (permission: Permission | null): AnswerHeaders =>
  insufficient(permission === null ? null : scopeOf(permission))
