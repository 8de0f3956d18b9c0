/** What the pages to sign in work with. */

import type { RandomnessShape, Sha256 } from "@cairn/core/hashing"
import type { MemberInvitations, ProviderMemberships, Setup } from "@cairn/core/management"
import type { Sessions } from "@cairn/core/people"
import type { Scope } from "effect"
import type { SetupLinkFile } from "../../secret/SetupLinkFile.ts"
import type { RoleRule } from "../../settings/RoleMapping.ts"
import type { ConsolePage } from "../endpoints/ConsolePage.ts"
import type { Guard } from "../gate/Guard.ts"
import type { OpenIdConnect } from "./OpenIdConnect.ts"
import type { WaysIn } from "./pages/index.ts"
import type { SessionRecords } from "./SessionRecords.ts"
import type { SignInMailer } from "./SignInMailer.ts"

/** What the pages work with. */
export interface SignInContext
  extends Pick<Guard, "signIn" | "entry" | "directory" | "clock" | "limiter" | "addressOf" | "baseUrl"> {
  readonly provider: OpenIdConnect["Service"]
  /** What roles the provider's groups and addresses give. */
  readonly roles: ReadonlyArray<RoleRule>
  readonly memberships: ProviderMemberships["Service"]
  readonly setup: Setup["Service"]
  readonly invitations: MemberInvitations["Service"]
  /** The file with the set-up link; null for none. */
  readonly setupLinkFile: SetupLinkFile["Service"]
  readonly mailer: SignInMailer["Service"]
  readonly records: SessionRecords
  readonly console: ConsolePage["Service"]
  readonly sessions: Sessions["Service"]
  readonly sha256: Sha256["Service"]
  readonly random: RandomnessShape
  /** Milliseconds that a link waits at most before it is made. */
  readonly linkDelay: number
  /** What goes on after an answer. */
  readonly scope: Scope.Scope
}

/** The ways to sign in that the service offers. */
export const waysOf = ({ provider, mailer }: SignInContext, returnTo: string | null): WaysIn => ({
  provider: provider.name,
  sendsMail: mailer.sends,
  returnTo
})
