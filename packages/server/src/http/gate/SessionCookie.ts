/**
 * The cookies of people who sign in, and where they may be set.
 *
 * Over https their names begin with `__Host-` (RFC 6265bis section 4.1.3.2): a browser takes them from this
 * host alone, over https alone, so that no other host of the domain can plant one. On the machine itself
 * plain http has nobody in between, and there they have no prefix. Anywhere else a session could be read on
 * its way, and none is begun.
 */
import type { IncomingMessage } from "node:http"
import type { AnswerCookie } from "../plumbing/Answer.ts"

/** Where a request has reached the service. */
export type Site =
  | { readonly kind: "https" }
  | { readonly kind: "loopback" }
  /** By http from elsewhere; the host as the browser names it. */
  | { readonly kind: "insecure"; readonly host: string }

const LOOPBACK =
  /^(?:localhost|[a-z0-9-]{1,63}\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i

/** What proxies add: the request may have come from anywhere, whatever its `Host`. */
const PROXY_HEADERS: ReadonlySet<string> = new Set([
  "forwarded",
  "via",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-original-forwarded-for",
  "x-original-host",
  "true-client-ip",
  "cf-connecting-ip",
  "fastly-client-ip",
  "fly-client-ip"
])

/**
 * Whether a request shows that something passed it on: by a header of a proxy, or because it comes from a
 * page of the service that was read over https, which the service itself does not speak.
 */
const isPassedOn = (headers: IncomingMessage["headers"]): boolean =>
  (headers.origin?.startsWith("https://") === true && headers["sec-fetch-site"] === "same-origin") ||
  Object.keys(headers).some((name) => PROXY_HEADERS.has(name) || name.startsWith("x-forwarded-"))

/** Where a request has reached the service; `baseUrl` is as configured, empty where it is not. */
export const siteOf = (baseUrl: string, { headers }: IncomingMessage): Site => {
  if (baseUrl.startsWith("https://")) return { kind: "https" }
  const { host = "" } = headers
  return LOOPBACK.test(host) && !isPassedOn(headers) ? { kind: "loopback" } : { kind: "insecure", host }
}

/**
 * Whether a browser has reached a service over http that is to be reached over https, as far as its request
 * shows: over http it sends no `Sec-Fetch-Site`, and an `Origin` of http. Its cookies would not come back.
 */
export const isPlainHttp = (baseUrl: string, { headers }: IncomingMessage): boolean => {
  if (!baseUrl.startsWith("https://")) return false
  if (headers.origin?.startsWith("http://") === true) return true
  return headers["sec-fetch-site"] === undefined && headers.host !== new URL(baseUrl).host
}

/**
 * What each cookie is for: the session; a sign-in at the provider; the browser that has opened a link,
 * each link by a name of its own.
 */
export type CookieName = "cairn" | "cairn-oidc" | `cairn-link-${string}`

const fullName = (site: Site, name: CookieName): string => (site.kind === "https" ? `__Host-${name}` : name)

/** Longest cookie that is read, in characters. */
const LONGEST = 4_096

/** The value of a cookie; undefined if the request has none, or may have none. */
export const readCookie = (
  site: Site,
  { headers: { cookie } }: IncomingMessage,
  name: CookieName
): string | undefined => {
  if (cookie === undefined || site.kind === "insecure") return undefined
  const wanted = `${fullName(site, name)}=`
  const found = cookie.split(";").find((part) => part.trimStart().startsWith(wanted))
  const value = found?.trimStart().slice(wanted.length).trimEnd()
  return value === undefined || value === "" || value.length > LONGEST ? undefined : value
}

/**
 * A cookie to set, which no script reads and which no page of another site sends but by a link; for
 * `maxAgeSeconds`, or until the browser ends.
 */
export const setCookie = (
  site: Site,
  name: CookieName,
  value: string,
  maxAgeSeconds: number | null
): AnswerCookie => ({
  name: fullName(site, name),
  value,
  options: {
    httpOnly: true,
    secure: site.kind === "https",
    sameSite: "lax",
    path: "/",
    ...(maxAgeSeconds === null ? {} : { maxAge: `${maxAgeSeconds} seconds` as const })
  }
})

/** The end of a cookie. */
export const clearCookie = (site: Site, name: CookieName): AnswerCookie => setCookie(site, name, "", 0)
