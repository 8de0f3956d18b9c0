/** Which pages a browser looks at: all of them, or one of those that differ in their words alone. */
import { LANGUAGES, type Language } from "../../../../src/http/signin/pages/index.ts"
import { readMarkup } from "./MarkupReader.ts"
import { samplePages } from "./SamplePages.ts"

/** A page in a language. */
export interface PageCase {
  readonly language: Language
  readonly name: string
  readonly page: string
}

/** Every page in these languages. */
export const casesIn = (languages: ReadonlyArray<Language> = LANGUAGES): ReadonlyArray<PageCase> =>
  languages.flatMap((language) =>
    Object.entries(samplePages(language)).map(([name, page]) => ({ language, name, page }))
  )

/** A page without its words. */
const elementsOf = (page: string): string =>
  readMarkup(page)
    .tags.map(({ name, attributes }) => `${name}.${attributes.class}`)
    .join()

/** For each language the pages that differ in more than words. */
export const layoutsOf = (cases: ReadonlyArray<PageCase>): ReadonlyArray<PageCase> =>
  cases.filter(({ language, page }, index) => {
    const elements = elementsOf(page)
    return (
      index === cases.findIndex((other) => other.language === language && elementsOf(other.page) === elements)
    )
  })

/** Light and dark, wide and narrow. */
export const MODES = (["light", "dark"] as const).flatMap((colorScheme) =>
  [1_280, 390].map((width) => ({ colorScheme, width }))
)

/** The longest address that there can be, without a place where a line may end. */
export const LONGEST = `${"m".repeat(64)}@${`${"w".repeat(62)}.`.repeat(3)}`.slice(0, 254)
