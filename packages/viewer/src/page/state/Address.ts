/**
 * What the page's address says: the token, how the page looks, what it shows. The token is taken out of it at
 * once; what the reader changes is written back, so that the address can be kept and shared.
 */
import { type LogPart, type Place, placeParameters } from "@cairn/ui/place"

/** What the product that embeds the page chooses. */
export interface Appearance {
  /** Undefined: as the reader's system is set. */
  readonly theme: "light" | "dark" | undefined
  /** As asked for; see `chooseLocale` for which there are. */
  readonly locale: string | undefined
  /** As asked for; see `readColour`. */
  readonly accent: string | undefined
  /** Names of fonts that the reader's system has, as CSS lists them. */
  readonly font: string | undefined
  /** Whether the product's page is seen behind this one. */
  readonly isTransparent: boolean
  /** Parts that are not shown. */
  readonly hidden: ReadonlySet<LogPart>
  /**
   * Verifier keys (C2SP signed-note) that the checkpoints must be signed by; `key` may be given more than
   * once.
   */
  readonly keys: ReadonlyArray<string>
}

/** The parameters that {@link appearanceFrom} reads. */
const APPEARANCE = ["theme", "locale", "accent", "font", "background", "hide", "key"]

/** What stays in the address whatever the reader does: the workspace, the page around, and the looks. */
const LASTING = ["workspace", "origin", "link", ...APPEARANCE]

/** Every part that there is. */
const PARTS: ReadonlyArray<LogPart> = ["filters", "histogram", "toolbar", "export", "times"]

/** A theme of this name; undefined for anything else. */
const themeFrom = (name: string | null): Appearance["theme"] =>
  name === "light" || name === "dark" ? name : undefined

/** The parts of a list of names, separated by spaces. */
const partsFrom = (list: string): Appearance["hidden"] => {
  const names = list.split(/\s+/)
  return new Set(PARTS.filter((part) => names.includes(part)))
}

/** What the embedding product chose. */
export const appearanceFrom = (parameters: URLSearchParams): Appearance => ({
  theme: themeFrom(parameters.get("theme")),
  locale: parameters.get("locale") ?? undefined,
  accent: parameters.get("accent") ?? undefined,
  font: parameters.get("font") ?? undefined,
  isTransparent: parameters.get("background") === "transparent",
  hidden: partsFrom(parameters.get("hide") ?? ""),
  // A plus sign that nobody escaped arrives as a space, and no key's name holds one.
  keys: parameters.getAll("key").map((key) => key.replaceAll(" ", "+"))
})

/**
 * The parameters of a place, as the page around gets them: with the time that counts, also where that is
 * the page's default, as another reader of the log may have another one.
 */
export const placeQuery = (place: Place): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of placeParameters(place)) parameters.append(name, value)
  parameters.set("clock", place.clock)
  return parameters.toString()
}

const asQuery = (parameters: URLSearchParams): string => {
  const text = parameters.toString()
  return text === "" ? "" : `?${text}`
}

/**
 * The address at which others find a place. Where the product named a page of its own by `link`, it is that
 * page's, with the place's query as its parameter `cairn`; a product's page has its reader's access, and this
 * page alone has none.
 */
export const sharedAddress = (place: Place, page: URL): string => {
  const link = page.searchParams.get("link") ?? ""
  const address = new URL(
    /^https?:\/\//.test(link) && URL.canParse(link) ? link : (page.href.split(/[?#]/)[0] ?? "")
  )
  const query = queryOf(place, new URLSearchParams())
  if (address.href === link) address.searchParams.set("cairn", query.slice(1))
  else address.search = queryOf(place, page.searchParams)
  return address.href
}

/**
 * The address's query for a place: what the embedding product chose and the workspace stay, the token never
 * does.
 */
export const queryOf = (place: Place, current: URLSearchParams): string => {
  const next = new URLSearchParams()
  for (const name of LASTING) {
    for (const value of current.getAll(name)) next.append(name, value)
  }
  for (const [name, value] of placeParameters(place)) next.append(name, value)
  return asQuery(next)
}

/** The address's query after the product chose other looks; what else it says stays. */
export const queryWith = (looks: URLSearchParams, current: URLSearchParams): string => {
  const next = new URLSearchParams(current)
  for (const name of APPEARANCE) {
    next.delete(name)
    for (const value of looks.getAll(name)) next.append(name, value)
  }
  return asQuery(next)
}
