/**
 * The viewer token: where the page finds it, and what it says. The server checks it; the page only reads it.
 */

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The claims of a JWT (RFC 7519), unchecked; none if it is no such token. */
const claimsIn = (token: string): Readonly<Record<string, unknown>> => {
  try {
    const [, payload = ""] = token.split(".")
    const binary = atob(payload.replaceAll("-", "+").replaceAll("_", "/"))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isObject(claims) ? claims : {}
  } catch {
    return {}
  }
}

/** The workspace whose log the holder of a token may see, unchecked; undefined if it names none. */
export const subjectOf = (token: string): string | undefined => {
  const { sub } = claimsIn(token)
  return typeof sub === "string" ? sub : undefined
}

/** When a token ends, in milliseconds since the Unix epoch, unchecked; undefined if it does not say. */
export const endOf = (token: string): number | undefined => {
  const { exp } = claimsIn(token)
  return typeof exp === "number" ? exp * 1000 : undefined
}

/** Whether a token says that its holder may export, unchecked. */
export const mayExport = (token: string): boolean => claimsIn(token).export === true
