/** Where a browser goes once its person has signed in: a page of the service, whatever the address says. */

/** A path, which a browser cannot take for another host (`//host`, `/\host`), and no page to sign in. */
const PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,999}$/

/** The path, or null if it is none of the service's. */
export const returnPath = (text: string | null | undefined): string | null => {
  if (text === null || text === undefined || !PATH.test(text) || text.startsWith("/sign-in")) return null
  const base = "http://service.invalid"
  return URL.parse(text, base)?.origin === base ? text : null
}
