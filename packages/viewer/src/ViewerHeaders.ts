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
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(" ")}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; ")
}

/** Headers of one file, by lower-case name. The page itself is never stored: its address held a token. */
export const viewerHeaders = (
  file: { readonly contentType: string; readonly immutable: boolean },
  frameAncestors: ReadonlyArray<string>
): Readonly<Record<string, string>> => ({
  "content-type": file.contentType,
  "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-store",
  "content-security-policy": contentSecurityPolicy(frameAncestors),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
})
