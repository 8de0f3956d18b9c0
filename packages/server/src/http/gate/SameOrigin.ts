/**
 * Whether what changes something comes from a page of the service itself. A cookie is sent by the browser,
 * not by the page, so that a page of another origin could act in a person's name otherwise (CSRF).
 *
 * Browsers say it in `Sec-Fetch-Site` (W3C Fetch Metadata). Where that is missing `Origin` decides (RFC 6454
 * section 7), and a request without either is from no browser of today.
 */
import type { IncomingMessage } from "node:http"

/** The origins at which a request has reached the service. */
export const ownOrigins = (baseUrl: string, host: string | undefined): ReadonlyArray<string> => {
  const configured = baseUrl === "" ? [] : [new URL(baseUrl).origin]
  if (host === undefined) return configured
  return [...configured, `${baseUrl.startsWith("https://") ? "https" : "http"}://${host}`]
}

/** Whether a request comes from a page of the service; `baseUrl` as configured, empty where it is not. */
export const isSameOrigin = (baseUrl: string, { headers }: IncomingMessage): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin"
  const { origin } = headers
  return origin !== undefined && ownOrigins(baseUrl, headers.host).includes(origin)
}
