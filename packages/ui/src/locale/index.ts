/** Texts, numbers and times in the reader's language. */
export { countryName, flagOf } from "./Country.ts"
export { en } from "./en.ts"
export {
  chooseLocale,
  type Language,
  LanguageContext,
  languageOf,
  loadLanguage,
  useLanguage
} from "./Messages.ts"
export { fromLocalInput, millisOf, toLocalInput } from "./Moment.ts"
export { PageClockContext, usePageClock } from "./PageClock.ts"
export { type PageClock, ServiceClock } from "./ServiceClock.ts"
