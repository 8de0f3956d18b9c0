/**
 * The headers that every file of the page must be served with; without them it is less safe than it was made.
 */

import { isFrameAncestor } from "@cairn/core/workspace"

/**
 * The content security policy: scripts, styles and requests of the service's own origin, and nothing else.
 * `frameAncestors` are those who may embed the page; with none, nobody may. What is no source is left out, so
 * that it cannot add a directive.
 */
export const contentSecurityPolicy = (frameAncestors: ReadonlyArray<string>): string => {
  const ancestors = frameAncestors.filter(isFrameAncestor)
  return policyWith([`frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(" ")}`])
}

const policyWith = (directives: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ...directives,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; ")

const headersOf = (
  contentType: string,
  caching: string,
  policy: string
): Readonly<Record<string, string>> => ({
  "content-type": contentType,
  "cache-control": caching,
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
})

/** Headers of one file, by lower-case name. The page itself is never stored: its address held a token. */
export const viewerHeaders = (
  { contentType, immutable }: { readonly contentType: string; readonly immutable: boolean },
  frameAncestors: ReadonlyArray<string>
): Readonly<Record<string, string>> =>
  headersOf(
    contentType,
    immutable ? "public, max-age=31536000, immutable" : "no-store",
    contentSecurityPolicy(frameAncestors)
  )

/** Headers of the page that says why the viewer may not be embedded, which anybody may embed. */
export const refusalHeaders = ({
  contentType
}: {
  readonly contentType: string
}): Readonly<Record<string, string>> => headersOf(contentType, "no-store", policyWith([]))

/**
 * Headers of the element's script, which pages of every origin load. It is looked for again after a while,
 * since its name stays when it changes.
 */
export const elementHeaders = ({
  contentType
}: {
  readonly contentType: string
}): Readonly<Record<string, string>> => ({
  ...headersOf(contentType, "public, max-age=3600, stale-while-revalidate=86400", contentSecurityPolicy([])),
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin"
})
