/** Texts, numbers and times in the reader's language. */
export { countryName, flagOf } from "./Country.ts"
export { chooseLocale, type Language, LanguageContext, languageOf, useLanguage } from "./Messages.ts"
export { fromLocalInput, millisOf, toLocalInput } from "./Moment.ts"
export { PageClockContext, usePageClock } from "./PageClock.ts"
export { type PageClock, ServiceClock } from "./ServiceClock.ts"
