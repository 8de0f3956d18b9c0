/** Inviting members: a mail with a link, and its record in the log. */
import { Context, Data, Effect, Layer, Option } from "effect"
import { Randomness } from "../hashing/Randomness.ts"
import { SecretBox } from "../hashing/SecretBox.ts"
import { Outbox } from "../outbound/Outbox.ts"
import { signInMail } from "../outbound/SignInMail.ts"
import { SignIn } from "../people/SignIn.ts"
import { ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { isEnteredBy, type Member, Members } from "../workspace/Members.ts"
import { ManagementEvents, type Manager } from "./ManagementEvent.ts"
import { NotFound } from "./NotFound.ts"
import { checkOwners } from "./Owners.ts"

const REASONS = {
  no_mail: "the service sends no mail; its operator can make a link with cairn member sign-in-link",
  too_many:
    "the address was invited five times within an hour, or the workspace has sent fifty invitations; try again later",
  by_provider: "the member signs in at the identity provider, which decides on this membership"
} as const

/** No invitation is sent. */
export class NotInvited extends Data.TaggedError("NotInvited")<{
  /**
   * The service sends no mail; the workspace has invited the address five times within an hour, or fifty
   * times whomsoever; or the identity provider decides on the membership, which mail does not enter.
   */
  readonly reason: "no_mail" | "too_many" | "by_provider"
}> {
  override get message(): string {
    return REASONS[this.reason]
  }
}

/** Where invitations lead, and whether there are any. */
export interface InvitationOptions {
  /** Whether the service sends mail. */
  readonly mail: boolean
  /** Where people reach the service, without a slash at the end. */
  readonly baseUrl: string
}

const loadServices = Effect.fnUntraced(function* (options: InvitationOptions) {
  return {
    ...options,
    members: yield* Members,
    workspaces: yield* ManagedWorkspaces,
    events: yield* ManagementEvents,
    signIn: yield* SignIn,
    outbox: yield* Outbox,
    box: yield* SecretBox,
    random: yield* Randomness
  }
})
type Services = Effect.Success<ReturnType<typeof loadServices>>

const send = Effect.fnUntraced(function* (services: Services, by: Manager, member: Member, confirms = false) {
  const { mail, workspaces, events, signIn, outbox } = services
  if (!mail) return yield* new NotInvited({ reason: "no_mail" })
  if (!isEnteredBy(member, "mail")) return yield* new NotInvited({ reason: "by_provider" })
  const made = yield* signIn.inviteLink(member)
  if (Option.isNone(made)) return yield* new NotInvited({ reason: "too_many" })
  const { id, workspace_id, email, name, role } = member
  yield* events.record(by, {
    workspaceId: workspace_id,
    action: "cairn.member.invited",
    resource: { type: "member", id, name },
    metadata: { email, role }
  })
  const workspace = yield* workspaces.get(workspace_id)
  const invitation = {
    workspace: Option.match(workspace, { onNone: () => workspace_id, onSome: (known) => known.name }),
    role,
    invitedBy: by.type === "member" ? by.name : null,
    confirms
  }
  yield* outbox.put([signInMail(services, made.value, invitation)])
})

const welcome = Effect.fn("MemberInvitations.welcome")(function* (
  services: Services,
  by: Manager,
  member: Member
) {
  if (services.mail && member.confirmed_at === null) yield* send(services, by, member)
})

const confirm = Effect.fn("MemberInvitations.confirm")(function* (
  services: Services,
  by: Manager,
  member: Member
) {
  if (services.mail && member.confirmed_at === null) yield* send(services, by, member, true)
})

const again = Effect.fn("MemberInvitations.again")(function* (
  services: Services,
  by: Manager,
  workspaceId: string,
  id: string
) {
  const member = Option.getOrUndefined(yield* services.members.get(workspaceId, id))
  if (member === undefined) return yield* new NotFound({ what: "member", id })
  yield* checkOwners(by, member.role)
  yield* send(services, by, member)
  return member
})

const make = (options: InvitationOptions) =>
  Effect.map(loadServices(options), (services) => ({
    /** Sends the first invitation of a new member; nothing where the service sends no mail. */
    welcome: (by: Manager, member: Member) => welcome(services, by, member),
    /** Sends a new owner who is in already the mail that confirms the address; nothing without mail. */
    confirm: (by: Manager, member: Member) => confirm(services, by, member),
    /** Sends an invitation again. */
    again: (by: Manager, workspaceId: string, id: string) => again(services, by, workspaceId, id)
  }))

/** The use cases of inviting. */
export class MemberInvitations extends Context.Service<
  MemberInvitations,
  Effect.Success<ReturnType<typeof make>>
>()("@cairn/core/MemberInvitations") {
  static readonly layer = (options: InvitationOptions) => Layer.effect(MemberInvitations, make(options))
}
