/**
 * The viewer token: where the page finds it, and what it says. The server checks it; the page only reads it.
 */

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The workspace whose log the holder of a JWT (RFC 7519) may see, unchecked; undefined if it names none. */
export const subjectOf = (token: string): string | undefined => {
  try {
    const [, payload = ""] = token.split(".")
    const binary = atob(payload.replaceAll("-", "+").replaceAll("_", "/"))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isObject(claims) && typeof claims.sub === "string" ? claims.sub : undefined
  } catch {
    return undefined
  }
}
