/** The texts of the page, in every language it supports. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { de } from "./de.ts"
import { en } from "./en.ts"
import { ja } from "./ja.ts"
import type { Messages } from "./MessageTable.ts"
import { MomentFormat } from "./Moment.ts"

const LANGUAGES: Readonly<Record<string, Messages>> = { de, en, ja }

/** The first locale among `wanted` (BCP 47) whose language the page speaks; English if there is none. */
export const chooseLocale = (wanted: ReadonlyArray<string>): string => {
  for (const tag of wanted) {
    try {
      const [locale = ""] = Intl.getCanonicalLocales(tag)
      if (Object.hasOwn(LANGUAGES, new Intl.Locale(locale).language)) return locale
    } catch {
      // No language tag.
    }
  }
  return "en"
}

/** The texts, formats and language in use. */
export interface Language {
  readonly locale: string
  readonly messages: Messages
  readonly moments: MomentFormat
  readonly number: (value: number) => string
}

/** The language of a locale that {@link chooseLocale} gave. */
export const languageOf = (locale: string): Language => {
  const format = new Intl.NumberFormat(locale)
  return {
    locale,
    messages: LANGUAGES[new Intl.Locale(locale).language] ?? en,
    moments: new MomentFormat(locale),
    number: (value) => format.format(value)
  }
}

/** The language, for every component. */
export const LanguageContext = createContext<Language | undefined>(undefined)

/** The language in use. */
export const useLanguage = (): Language => {
  const language = useContext(LanguageContext)
  if (language === undefined) throw new Error("a component stands outside the language's provider")
  return language
}
