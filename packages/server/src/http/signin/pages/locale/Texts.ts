/** The words of the pages, in every language that they speak. */
import { de } from "./de.ts"
import { en } from "./en.ts"
import { ja } from "./ja.ts"
import type { Language } from "./Language.ts"
import type { Texts } from "./TextTable.ts"

const TEXTS: Readonly<Record<Language, Texts>> = { en, de, ja }

/** The words of a language. */
export const textsOf = (language: Language): Texts => TEXTS[language]
