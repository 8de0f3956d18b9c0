/** People who sign in, and their invitations, over the ports and the way to accept events. */
import { Micros } from "@cairn/core/encoding"
import {
  ManagementEvents,
  MemberInvitations,
  ProviderMemberships,
  Setup,
  WorkspaceEntry
} from "@cairn/core/management"
import { SignIn } from "@cairn/core/people"
import { Layer } from "effect"
import { OpenIdConnect } from "../http/signin/OpenIdConnect.ts"
import { SignInMailer } from "../http/signin/SignInMailer.ts"
import { layerTokenSigner } from "../secret/JoseTokens.ts"
import { SetupLinkFile } from "../secret/SetupLinkFile.ts"
import type { Configuration } from "../settings/Configuration.ts"

/** How long sessions are valid. */
export type SessionTimes = Pick<Configuration, "sessionIdleMinutes" | "sessionHours">

/** Signing in. */
export const layerSignIn = ({ sessionIdleMinutes, sessionHours }: SessionTimes) =>
  SignIn.layer({
    idle: sessionIdleMinutes * Micros.MINUTE,
    lifetime: sessionHours * 60 * Micros.MINUTE
  })

/** Whether the service sends mail, and where people reach it, without a slash at the end. */
export interface PeopleConfig extends SessionTimes, Pick<Configuration, "setupFile"> {
  readonly mail: boolean
  readonly baseUrl: string
  /** The identity provider; null for none. */
  readonly provider: Configuration["oidc"]
  /** Newest first, each the base64 of 32 bytes. */
  readonly secretKeys: ReadonlyArray<string>
}

/** Signing in, setting up, entering workspaces and inviting, over the use cases and what seals and signs. */
export const layerPeople = ({ mail, baseUrl, provider, secretKeys, setupFile, ...times }: PeopleConfig) =>
  Layer.mergeAll(
    WorkspaceEntry.layer,
    Setup.layer,
    SetupLinkFile.layer(setupFile),
    MemberInvitations.layer({ mail, baseUrl }),
    ProviderMemberships.layer,
    SignInMailer.layer({ mail, baseUrl }),
    OpenIdConnect.layer({ settings: provider, baseUrl, secretKeys })
  ).pipe(Layer.provide([ManagementEvents.layer, layerTokenSigner]), Layer.provideMerge(layerSignIn(times)))
