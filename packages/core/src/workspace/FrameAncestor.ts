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

/** The form of such a source, for readers that know no flag for either case. */
export const FRAME_ANCESTOR_FORM: string =
  "^(?:[Hh][Tt][Tt][Pp][Ss]?:|(?:[Hh][Tt][Tt][Pp][Ss]?://)?(?:\\*|(?:\\*\\.)?[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)*)(?::(?:[0-9]{1,5}|\\*))?|'[Ss][Ee][Ll][Ff]')$"

/**
 * Whether a text is such a source: `https://app.example.com`, `https://*.example.com:8443`, `https:`, `*`,
 * `'self'`.
 */
export const isFrameAncestor = (text: string): boolean => SOURCE.test(text)

const PARTS = /^(?:(https?):\/\/)?([^:/]+)(?::([0-9]+|\*))?$/i

/** Whether a scheme satisfies that of a source: `https` also satisfies `http`. */
const isScheme = (scheme: string, wanted: string): boolean => scheme === wanted || scheme === "https"

const isHost = (host: string, wanted: string): boolean =>
  wanted === "*" || (wanted.startsWith("*.") ? host.endsWith(wanted.slice(1)) : host === wanted)

/** The ports that a scheme has by default. A URL's own port is empty then. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: "80", https: "443" }

const matches = ({ protocol, hostname, port }: URL, source: string, serviceScheme: string): boolean => {
  const scheme = protocol.slice(0, -1)
  if (source === "*") return true
  if (source === "http:" || source === "https:") return isScheme(scheme, source.slice(0, -1))
  const [, wantedScheme = serviceScheme, wantedHost = "", wantedPort] = PARTS.exec(source) ?? []
  const standard = DEFAULT_PORTS[scheme]
  const isPort = wantedPort === "*" || (wantedPort ?? standard) === (port || standard)
  return isScheme(scheme, wantedScheme) && isHost(hostname, wantedHost) && isPort
}

/**
 * Whether the origin of a page, as browsers send it, is one of the sources, as it is for an embedding page
 * (CSP level 3, section 6.7.2.8). A source without a scheme has that of the service. `'self'` is the service
 * itself, which is no other origin.
 */
export const isOriginOf = (
  origin: string,
  sources: ReadonlyArray<string>,
  serviceScheme: "http" | "https"
): boolean => {
  if (!/^https?:\/\/[^/?#@\s]{1,300}$/.test(origin) || !URL.canParse(origin)) return false
  const url = new URL(origin)
  return sources.some(
    (source) => isFrameAncestor(source) && matches(url, source.toLowerCase(), serviceScheme)
  )
}

/** What is wrong with one; undefined if nothing is. */
export const frameAncestorFault = (ancestor: string): string | undefined =>
  isFrameAncestor(ancestor)
    ? undefined
    : "must be an origin such as https://app.example.com or https://*.example.com:8443, without a path"
