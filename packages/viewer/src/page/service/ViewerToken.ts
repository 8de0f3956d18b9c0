/**
 * The viewer token: where the page finds it, and what it says. The server checks it; the page only reads it.
 */

/** What the page reads in a token. */
interface TokenClaims {
  /** The workspace whose log the reader may see; undefined if the token cannot be read. */
  readonly workspaceId: string | undefined
  /** Seconds since the Unix epoch. */
  readonly expiresAt: number | undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The claims of a JWT (RFC 7519), unchecked; nothing of one that cannot be read. */
export const claimsOf = (token: string): TokenClaims => {
  try {
    const [, payload = ""] = token.split(".")
    const binary = atob(payload.replaceAll("-", "+").replaceAll("_", "/"))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (!isObject(claims)) return { workspaceId: undefined, expiresAt: undefined }
    const { sub, exp } = claims
    return {
      workspaceId: typeof sub === "string" ? sub : undefined,
      expiresAt: typeof exp === "number" ? exp : undefined
    }
  } catch {
    return { workspaceId: undefined, expiresAt: undefined }
  }
}
