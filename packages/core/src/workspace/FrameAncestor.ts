/**
 * Which pages may embed the viewer in a frame: the sources of the directive `frame-ancestors` (CSP level 3,
 * sections 2.3.1 and 6.4.2).
 */

/** Most sources of one list. */
export const MAX_FRAME_ANCESTORS = 50
/** Most characters of one list: it is sent in a header, and proxies accept headers of about 8 KB. */
export const MAX_FRAME_ANCESTORS_LENGTH = 4_096

/**
 * A scheme alone, or `host-source` without a path, which no ancestor would ever match. The grammar allows
 * letters, digits and hyphens, so a non-ASCII name must be written in Punycode, and IPv6 addresses are not
 * possible.
 */
const SOURCE =
  /^(?:https?:|(?:https?:\/\/)?(?:\*|(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(?:[0-9]{1,5}|\*))?|'self')$/i

/**
 * Whether a text is such a source: `https://app.example.com`, `https://*.example.com:8443`, `https:`, `*`,
 * `'self'`.
 */
export const isFrameAncestor = (text: string): boolean => SOURCE.test(text)
