/** People who sign in, and their invitations, over the ports and the way to accept events. */
import { Micros } from "@cairn/core/encoding"
import {
  ManagementEvents,
  MemberInvitations,
  ProviderMemberships,
  WorkspaceEntry
} from "@cairn/core/management"
import { SignIn } from "@cairn/core/people"
import { Layer } from "effect"
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
export interface PeopleConfig extends SessionTimes {
  readonly mail: boolean
  readonly baseUrl: string
}

/** Signing in, entering workspaces and inviting, over managing members and what seals and signs. */
export const layerPeople = ({ mail, baseUrl, ...times }: PeopleConfig) =>
  Layer.mergeAll(
    WorkspaceEntry.layer,
    MemberInvitations.layer({ mail, baseUrl }),
    ProviderMemberships.layer
  ).pipe(Layer.provide(ManagementEvents.layer), Layer.provideMerge(layerSignIn(times)))
