/** The people who sign in: who they are, their sessions, and the links that sign them in. */
export { AccountConflict, People, Person, type ProviderAccount } from "./People.ts"
export {
  type EnteredSession,
  Session,
  SessionEntry,
  Sessions,
  SignInMethod
} from "./Sessions.ts"
export {
  type Device,
  LINK_LIFE,
  type MadeLink,
  type OpenedSession,
  type ProviderClaims,
  SessionRefused,
  SignIn,
  SignInRefused
} from "./SignIn.ts"
export { type LinkLimit, SignInLink, SignInLinks } from "./SignInLinks.ts"
