/** Where a browser goes once its person has signed in: a page of the service, whatever the address says. */

/** A path, which a browser cannot take for another host (`//host`, `/\host`), and no page to sign in. */
const PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,999}$/

/** What lies at these is no page of the service for people: files, programs, and the pages to sign in. */
const ELSEWHERE = /^\/(?:sign-in|sign-out|api|files|viewer[^/]*|docs|openapi\.json|healthz|readyz)(?:\/|$)/i

const BASE = "http://service.invalid"

/** The path, or null if it is none of the service's pages. */
export const returnPath = (text: string | null | undefined): string | null => {
  if (text === null || text === undefined || !PATH.test(text)) return null
  const url = URL.parse(text, BASE)
  // A path that reads otherwise once it is parsed leads somewhere else than it seems to.
  return url?.origin === BASE && text.startsWith(url.pathname) && !ELSEWHERE.test(url.pathname) ? text : null
}
