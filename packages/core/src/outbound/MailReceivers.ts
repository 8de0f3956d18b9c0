/**
 * Whether a mail may still go to its receiver. Time passes between a mail's making and its sending: the mail
 * server is away, or somebody sends it again. Who has left the workspace meanwhile is not written to.
 */
import { Effect, Option, Predicate, Schema } from "effect"
import type { NewDelivery } from "../consumer/Delivery.ts"
import type { Micros } from "../encoding/Micros.ts"
import { ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { hasLeft, isEnteredBy, isNoticed, type Member, Members } from "../workspace/Members.ts"
import { departedSince } from "../workspace/RetentionWindow.ts"
import type { MailNotice } from "./MailNotice.ts"

/** Whom a mail of a kind may be sent to, at the time at which it is sent. */
type Receiver =
  /** Owners and admins with a confirmed address. */
  | "noticed"
  /** The same, and those who were notified that contents will be removed sooner and have left since. */
  | "noticed_or_departed"
  /** Members of the workspace whose access has no end that has passed, and who may sign in by mail. */
  | "member"
  /** The same of any workspace: a link to sign in is for all of them. */
  | "anybody's_member"

const RECEIVERS: Readonly<Record<MailNotice["kind"], Receiver>> = {
  alert: "noticed",
  webhook_disabled: "noticed",
  stream_down: "noticed",
  chain_broken: "noticed",
  retention_shortened: "noticed_or_departed",
  invitation: "member",
  sign_in: "anybody's_member"
}

const isKind = (kind: string): kind is MailNotice["kind"] => Predicate.hasProperty(RECEIVERS, kind)

/** Why a mail is not sent to its receiver. */
export const MailRefusal = Schema.Literals(["not_noticed", "not_a_member"])
export type MailRefusal = typeof MailRefusal.Type

/** The same in words. */
export const MAIL_REFUSALS: Readonly<Record<MailRefusal, string>> = {
  not_noticed: "the address is not that of an owner or admin who has confirmed it",
  not_a_member: "the address is not that of a member who may sign in by mail"
}

const mayEnter = (member: Member, now: Micros): boolean =>
  !hasLeft(member, now) && isEnteredBy(member, "mail")

/** Whether somebody who has left is still told of a shorter retention that does not count yet. */
const isTold = Effect.fnUntraced(function* (workspaceId: string, target: string, now: Micros) {
  const workspace = yield* Effect.flatMap(ManagedWorkspaces, ({ get }) => get(workspaceId))
  if (Option.isNone(workspace)) return false
  const { retention } = workspace.value
  const holds = [retention.own_hold, retention.plan_hold].filter((hold) => hold !== null && now < hold.until)
  return departedSince(
    retention,
    holds.filter((hold) => hold !== null)
  ).includes(target)
})

/** Why a mail may not go to its receiver at `now`; undefined if it may. Costs an index look-up. */
export const mailRefusal = Effect.fn("MailReceivers.refusal")(function* (
  { workspaceId, target, type }: Pick<NewDelivery, "workspaceId" | "target" | "type">,
  now: Micros
) {
  const kind = type.replace(/^mail\./, "")
  const wanted = isKind(kind) ? RECEIVERS[kind] : "noticed"
  const anywhere = yield* Effect.flatMap(Members, ({ ofAddress }) => ofAddress(target))
  const here = anywhere.filter(({ workspace_id }) => workspace_id === workspaceId)
  const refusal = (isAllowed: boolean, reason: MailRefusal): MailRefusal | undefined =>
    isAllowed ? undefined : reason
  switch (wanted) {
    case "noticed":
      return refusal(here.some(isNoticed), "not_noticed")
    case "noticed_or_departed":
      return refusal(here.some(isNoticed) || (yield* isTold(workspaceId, target, now)), "not_noticed")
    case "member":
      return refusal(
        here.some((member) => mayEnter(member, now)),
        "not_a_member"
      )
    case "anybody's_member":
      return refusal(
        anywhere.some((member) => mayEnter(member, now)),
        "not_a_member"
      )
  }
})
