/** The languages of the pages, and which one a browser asks for. */

/** In the order in which one is chosen for a reader who takes any. */
export const LANGUAGES = ["en", "de", "ja"] as const
export type Language = (typeof LANGUAGES)[number]

/** RFC 9110 section 12.4.2. */
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

const isLanguage = (text: string): text is Language => LANGUAGES.some((language) => language === text)

/** The weight of an item, from its parameters; 0 for one that is not as it should be. */
const weightOf = (parameters: ReadonlyArray<string>): number => {
  const [first] = parameters
  return first === undefined ? 1 : Number(WEIGHT.exec(first.trim())?.[1] ?? 0)
}

/**
 * The language of the pages that an `Accept-Language` (RFC 9110 section 12.5.4) likes best; of those that it
 * likes equally, the one it names first. English where it names none of them. A range such as `de-CH` means
 * its language.
 */
export const languageOf = (acceptLanguage: string | undefined): Language => {
  const weights = new Map<Language | "*", number>()
  for (const item of (acceptLanguage ?? "").split(",")) {
    const [range = "", ...parameters] = item.split(";")
    const [primary = ""] = range.trim().toLowerCase().split("-", 1)
    if (primary !== "*" && !isLanguage(primary)) continue
    weights.set(primary, Math.max(weights.get(primary) ?? 0, weightOf(parameters)))
  }
  const others = LANGUAGES.filter((language) => !weights.has(language))
  const [best] = Array.from(weights)
    .flatMap(([name, weight]) =>
      name === "*" ? others.map((language) => ({ language, weight })) : [{ language: name, weight }]
    )
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  return best?.language ?? "en"
}
