/** The pages on which people sign in and see their sessions: HTML without scripts, as functions of a view. */
export { type AccountView, accountPage, type ShownMembership, type ShownSession } from "./AccountPage.ts"
export { LANGUAGES, type Language, languageOf } from "./locale/Language.ts"
export type { Done, Hint, Refusal, SetupRefusal } from "./locale/TextTable.ts"
export {
  type FailedView,
  failedPage,
  lostPage,
  type NeedsHttpsView,
  needsHttpsPage,
  refusedOriginPage,
  signedOutPage,
  type TooManyRequestsView,
  tooManyRequestsPage
} from "./NoticePages.ts"
export { PAGE_POLICY, type Visit } from "./Page.ts"
export type { WaysIn } from "./Parts.ts"
export {
  type SetupRefusedView,
  type SetupView,
  setupPage,
  setupRefusedPage
} from "./SetupPages.ts"
export {
  type LinkView,
  linkPage,
  type MailSentView,
  mailSentPage,
  type RefusalView,
  refusalPage,
  type SignInView,
  signInPage
} from "./SignInPages.ts"
export { STYLE_SHEET } from "./style/StyleSheet.ts"
