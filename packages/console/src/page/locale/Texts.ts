/** Texts of the console, in every language it speaks. */
import { useLanguage } from "@cairn/ui/locale"

/** The same texts in each language. */
export interface Texts<Table> {
  readonly en: Table
  readonly de: Table
  readonly ja: Table
}

/** The texts of a locale's language. */
export const textsOf = <Table>(texts: Texts<Table>, locale: string): Table => {
  const { language } = new Intl.Locale(locale)
  return language === "de" ? texts.de : language === "ja" ? texts.ja : texts.en
}

/** The texts in the reader's language. */
export const useTexts = <Table>(texts: Texts<Table>): Table => textsOf(texts, useLanguage().locale)
