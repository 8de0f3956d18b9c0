/**
 * What the page's address says: the token, how the page looks, what it shows. The token is taken out of it at
 * once; what the reader changes is written back, so that the address can be kept and shared.
 */
import { type Place, placeParameters } from "@cairn/ui/place"

/** What the product that embeds the page chooses. */
export interface Appearance {
  /** Undefined: as the reader's system is set. */
  readonly theme: "light" | "dark" | undefined
  /** As asked for; see `chooseLocale` for which there are. */
  readonly locale: string | undefined
  /** As asked for; see `readColour`. */
  readonly accent: string | undefined
  /**
   * Verifier keys (C2SP signed-note) that the checkpoints must be signed by; `key` may be given more than
   * once.
   */
  readonly keys: ReadonlyArray<string>
}

/** A theme of this name; undefined for anything else. */
const themeFrom = (name: string | null): Appearance["theme"] =>
  name === "light" || name === "dark" ? name : undefined

/** What the embedding product chose. */
export const appearanceFrom = (parameters: URLSearchParams): Appearance => ({
  theme: themeFrom(parameters.get("theme")),
  locale: parameters.get("locale") ?? undefined,
  accent: parameters.get("accent") ?? undefined,
  // A plus sign that nobody escaped arrives as a space, and no key's name holds one.
  keys: parameters.getAll("key").map((key) => key.replaceAll(" ", "+"))
})

/**
 * The address's query for a place: what the embedding product chose and the workspace stay, the token never
 * does.
 */
export const queryOf = (place: Place, current: URLSearchParams): string => {
  const next = new URLSearchParams()
  for (const name of ["workspace", "theme", "locale", "accent", "key"]) {
    for (const value of current.getAll(name)) next.append(name, value)
  }
  for (const [name, value] of placeParameters(place)) next.set(name, value)
  const text = next.toString()
  return text === "" ? "" : `?${text}`
}
