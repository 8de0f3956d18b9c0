/**
 * The headers that every file of the console must be served with; without them it is less safe than it was
 * made.
 */

/**
 * Scripts, styles, requests and frames of the service's own origin, and nothing else; in no frame of anybody.
 * Its forms, such as the one to sign out, go to the service alone.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

/** Headers of one file, by lower-case name. The page itself is never stored: it is for who has signed in. */
export const consoleHeaders = (file: {
  readonly contentType: string
  readonly immutable: boolean
}): Readonly<Record<string, string>> => ({
  "content-type": file.contentType,
  "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-store",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  // A form of the page says where it comes from; no other site learns of an address.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
})
