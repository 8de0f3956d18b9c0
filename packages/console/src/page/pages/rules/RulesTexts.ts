/** What the pages of rules say. */
import type { Texts } from "../../locale/Texts.ts"
import { rulesEnglish } from "./RulesEnglish.ts"
import { rulesGerman } from "./RulesGerman.ts"
import { rulesJapanese } from "./RulesJapanese.ts"
import type { RulesTable } from "./RulesTable.ts"

/** In each language. */
export const rulesTexts: Texts<RulesTable> = { en: rulesEnglish, de: rulesGerman, ja: rulesJapanese }
