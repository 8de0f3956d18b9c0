/**
 * The headers that every file of the console must be served with; without them it is less safe than it was
 * made.
 */

/**
 * Scripts, styles, requests and frames of the service's own origin, and nothing else; in no frame of anybody.
 * Its forms, such as the one to sign out, go to the service alone.
 */
const contentSecurityPolicy = (own: "'self'" | "'none'"): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${own}`,
    `frame-src ${own}`,
    "base-uri 'none'",
    `form-action ${own}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; ")

const PAGE_POLICY = contentSecurityPolicy("'self'")
const CHECK_POLICY = contentSecurityPolicy("'none'")

/** What is told apart of a file. */
interface HeaderedFile {
  readonly contentType: string
  readonly immutable: boolean
}

/** Headers of one file, by lower-case name. The page itself is never stored: it is for who has signed in. */
export const consoleHeaders = (file: HeaderedFile): Readonly<Record<string, string>> => ({
  "content-type": file.contentType,
  "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-store",
  "content-security-policy": PAGE_POLICY,
  "cross-origin-opener-policy": "same-origin",
  // A form of the page says where it comes from; no other site learns of an address.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
})

/**
 * The page connects to nothing but its own origin, which its policy forbids as well: it has no WebRTC, which
 * no policy bars, and leads to no other address. Browsers that do not know the header ignore it.
 */
const CONNECTIONS = "(response-origin);webrtc=block"

/**
 * Headers of the page as anybody gets it, to check an evidence file with. The browser itself keeps it from
 * sending anything to another host, and from requests, forms and frames. It is the same for everybody, and
 * stored until it changes.
 */
export const checkPageHeaders = (file: HeaderedFile): Readonly<Record<string, string>> => ({
  ...consoleHeaders(file),
  "cache-control": "no-cache",
  "content-security-policy": CHECK_POLICY,
  "connection-allowlist": CONNECTIONS,
  "referrer-policy": "no-referrer"
})
