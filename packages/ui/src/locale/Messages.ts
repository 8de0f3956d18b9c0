/** The texts of the page, in every language it supports. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { en } from "./en.ts"
import type { Messages } from "./MessageTable.ts"
import { MomentFormat } from "./Moment.ts"

/** The languages; those that few readers need are loaded by who does. */
const LANGUAGES: Readonly<Record<string, () => Promise<Messages>>> = {
  de: async () => (await import("./de.ts")).de,
  en: async () => en,
  ja: async () => (await import("./ja.ts")).ja
}

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

/** The language of a locale, with its texts. */
export const languageOf = (locale: string, messages: Messages): Language => {
  const format = new Intl.NumberFormat(locale)
  return { locale, messages, moments: new MomentFormat(locale), number: (value) => format.format(value) }
}

/** Loads the language of a locale that {@link chooseLocale} gave; English where that fails. */
export const loadLanguage = async (locale: string): Promise<Language> => {
  try {
    const messages = await LANGUAGES[new Intl.Locale(locale).language]?.()
    if (messages !== undefined) return languageOf(locale, messages)
  } catch {
    // A page is read in another language rather than not at all.
  }
  return languageOf("en", en)
}

/** The language, for every component. */
export const LanguageContext = createContext<Language | undefined>(undefined)

/** The language in use. */
export const useLanguage = (): Language => {
  const language = useContext(LanguageContext)
  if (language === undefined) throw new Error("a component stands outside the language's provider")
  return language
}
