/** The people who sign in: who they are, their sessions, and the links that sign them in. */
export { AccountConflict, People, Person, type ProviderAccount } from "./People.ts"
export type { Device, OpenedSession } from "./SessionOpening.ts"
export {
  type EnteredSession,
  Session,
  SessionEntry,
  Sessions,
  SignInMethod
} from "./Sessions.ts"
export {
  LINK_LIFE,
  type MadeLink,
  type ProviderClaims,
  SETUP_LIFE,
  SessionRefused,
  SignIn,
  SignInRefused
} from "./SignIn.ts"
export { type LinkLimit, SignInLink, SignInLinks } from "./SignInLinks.ts"
