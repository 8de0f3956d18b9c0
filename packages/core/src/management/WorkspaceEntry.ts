/** A person's session used for a workspace: which member it is, and whether the workspace takes it. */
import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { ClockGuard } from "../log/ClockGuard.ts"
import type { Person } from "../people/People.ts"
import { type Session, Sessions } from "../people/Sessions.ts"
import { SessionRefused } from "../people/SignIn.ts"
import { hasLeft, isEnteredBy, type Member, Members } from "../workspace/Members.ts"
import { ManagementEvents, type Manager, onceKey } from "./ManagementEvent.ts"
import { checkOwners } from "./Owners.ts"
import { memberManager } from "./SessionRecords.ts"

/** The person is no member of the workspace, or no longer, or not by this sign-in. */
export class NotAMember extends Schema.TaggedError<NotAMember>()("NotAMember", {
  workspaceId: Schema.String,
  /** Whether it is by signing in at the identity provider. */
  byProvider: Schema.Boolean
}) {}

/** A member that a session is for a workspace. */
export interface FoundMember {
  readonly member: Member
  /** Whether the workspace has seen the session before. */
  readonly hasEntered: boolean
}

/** A session and its person, as `SignIn.check` returns them. */
interface SignedIn {
  readonly session: Session
  readonly person: Person
}

/** Which session of which member is ended. */
interface EndedSession {
  readonly sessionId: string
  readonly memberId: string
}

const loadServices = Effect.gen(function* () {
  return {
    members: yield* Members,
    sessions: yield* Sessions,
    events: yield* ManagementEvents,
    clock: yield* ClockGuard
  }
})
type Services = Effect.Success<typeof loadServices>

const managerOf = (member: Member, { client_address }: Session): Manager =>
  memberManager(member, client_address)

/** Notes that the person reads the address's mail, the first time it is seen. */
const confirm = Effect.fnUntraced(function* (
  { members, events, clock }: Services,
  member: Member,
  session: Session
) {
  const { workspace_id, id, email, name } = member
  yield* events.record(managerOf(member, session), {
    workspaceId: workspace_id,
    action: "cairn.member.confirmed",
    resource: { type: "member", id, name },
    metadata: { email, method: session.method },
    idempotencyKey: onceKey("cairn.member.confirmed", id)
  })
  const at = yield* clock.reckoned
  const confirmed = yield* members.modify(workspace_id, id, (current) =>
    Result.succeed({ ...current, confirmed_at: current.confirmed_at ?? at, updated_at: at })
  )
  return Option.getOrElse(confirmed, () => member)
})

/** Notes that a member has come in, the first time. */
const noteSignIn = Effect.fnUntraced(function* ({ members, clock }: Services, member: Member) {
  if (member.signed_in_at !== null) return
  const at = yield* clock.reckoned
  yield* members.modify(member.workspace_id, member.id, (current) =>
    Result.succeed({ ...current, signed_in_at: current.signed_in_at ?? at })
  )
})

/** Records that a person has come in; whichever processes see the session first, once. */
const recordStart = ({ events }: Services, member: Member, session: Session) =>
  events.record(managerOf(member, session), {
    workspaceId: member.workspace_id,
    action: "cairn.session.started",
    resource: { type: "member", id: member.id, name: member.name },
    metadata: {
      session: session.id,
      method: session.method,
      signed_in_at: Micros.format(session.created_at)
    },
    idempotencyKey: onceKey("cairn.session.started", session.id)
  })

const ended = () => new SessionRefused({ reason: "ended" })

const find = Effect.fn("WorkspaceEntry.find")(function* (
  { members, sessions, clock }: Services,
  { session, person }: SignedIn,
  workspaceId: string
) {
  const found = yield* members.ofAddress(person.address)
  const member = found.find(({ workspace_id }) => workspace_id === workspaceId)
  if (member === undefined || hasLeft(member, yield* clock.reckoned))
    return yield* new NotAMember({ workspaceId, byProvider: false })
  if (!isEnteredBy(member, session.method)) return yield* new NotAMember({ workspaceId, byProvider: true })
  if (member.sessions_from !== null && session.created_at < member.sessions_from) return yield* ended()
  const entry = Option.getOrUndefined(yield* sessions.entry(session.id, workspaceId))
  if (entry !== undefined && entry.ended_at !== null) return yield* ended()
  return { member, hasEntered: entry !== undefined } satisfies FoundMember
})

const enter = Effect.fn("WorkspaceEntry.enter")(function* (
  services: Services,
  { session }: SignedIn,
  { member, hasEntered }: FoundMember
) {
  // Without a note: one who came in under an earlier version, or before a crash.
  if (hasEntered) return yield* noteSignIn(services, member)
  const { sessions, clock } = services
  // A link that the operator has handed over says nothing of the address.
  const isProven = session.method !== "operator"
  if (isProven && member.confirmed_at === null) yield* confirm(services, member, session)
  yield* recordStart(services, member, session)
  const entry = yield* sessions.enter({
    session_id: session.id,
    workspace_id: member.workspace_id,
    member_id: member.id,
    entered_at: yield* clock.reckoned,
    ended_at: null
  })
  if (entry.ended_at !== null) return yield* ended()
  yield* noteSignIn(services, member)
})

const endOne = Effect.fn("WorkspaceEntry.end")(function* (
  { members, sessions, events, clock }: Services,
  by: Manager,
  workspaceId: string,
  { sessionId, memberId }: EndedSession
) {
  const member = yield* members.get(workspaceId, memberId)
  if (Option.isSome(member)) yield* checkOwners(by, member.value.role)
  yield* events.record(by, {
    workspaceId,
    action: "cairn.session.ended",
    resource: { type: "member", id: memberId, name: null },
    metadata: { sessions: sessionId }
  })
  return yield* sessions.leave(workspaceId, sessionId, yield* clock.reckoned)
})

const make = Effect.map(loadServices, (services) => ({
  /** The member that a session is for a workspace. Costs two look-ups. */
  find: (signedIn: SignedIn, workspaceId: string) => find(services, signedIn, workspaceId),
  /**
   * Notes and records the first use of a session for a workspace, and that the address is confirmed if the
   * sign-in proved it. Costs nothing later.
   */
  enter: (signedIn: SignedIn, found: FoundMember) => enter(services, signedIn, found),
  /** Ends one session for the workspace, and records it; whether there was one. */
  end: (by: Manager, workspaceId: string, ended: EndedSession) => endOne(services, by, workspaceId, ended)
}))

/** The use cases of entering a workspace with a session. */
export class WorkspaceEntry extends Context.Service<WorkspaceEntry, Effect.Success<typeof make>>()(
  "@cairn/core/WorkspaceEntry"
) {
  static readonly layer = Layer.effect(WorkspaceEntry, make)
}
