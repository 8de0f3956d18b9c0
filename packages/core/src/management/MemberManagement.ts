/** Adding, changing and removing members. */

import { Context, Effect, Layer, Option, Result } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { MAX_NAME } from "../event/EventInput.ts"
import { InvalidInput } from "../event/InvalidInput.ts"
import { nameFault } from "../event/TextFault.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { Sessions } from "../people/Sessions.ts"
import { SignInLinks } from "../people/SignInLinks.ts"
import { type ApiKey, ApiKeys } from "../workspace/ApiKey.ts"
import { liftedRestriction } from "../workspace/LiftedRestriction.ts"
import { ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { type MemberInput, type MemberPatch, newEmailFault } from "../workspace/MemberInput.ts"
import { getsNotices, type Member, Members, withNewEmail } from "../workspace/Members.ts"
import type { MemberRole } from "../workspace/Permissions.ts"
import { withDeparted } from "../workspace/RetentionWindow.ts"
import { makeCreationTime } from "./CreationTime.ts"
import { difference } from "./Difference.ts"
import { endWithin, readExpiry } from "./Expiry.ts"
import { ManagementEvents, type Manager, onceKey } from "./ManagementEvent.ts"
import { NotFound } from "./NotFound.ts"
import { admitChange, admitNew, checkOutlasts, checkOwners } from "./Owners.ts"
import { changeRecorded, createRecorded, inTurn, makeTurns, recordRefusal } from "./RecordedCreation.ts"

const checkEmail = (email: string) => {
  const reason = newEmailFault(email)
  return reason === undefined ? Effect.void : Effect.fail(new InvalidInput({ path: "email", reason }))
}

const checkName = (name: string | null | undefined) => {
  const reason = typeof name === "string" ? nameFault(name, { least: 0, most: MAX_NAME }) : undefined
  return reason === undefined ? Effect.void : Effect.fail(new InvalidInput({ path: "name", reason }))
}

/** Owners and admins have no end, so that none of them misses a notice. */
const checkEnd = (role: MemberRole, expiresAt: Micros.Micros | null) =>
  getsNotices({ role }) && expiresAt !== null
    ? Effect.fail(
        new InvalidInput({ path: "expires_at", reason: "is for developers, auditors and members only" })
      )
    : Effect.void

const resource = ({ id, name }: Member) => ({ type: "member", id, name })
const told = ({ email, name, role, expires_at }: Member) => ({
  email,
  name,
  role,
  ...(expires_at === null ? {} : { expires_at: Micros.format(expires_at) })
})

/** Settings for managing members. */
export interface MemberManagementOptions {
  /** How long a shortened retention is held: members who leave before it takes effect are notified too. */
  readonly retentionDelay: Micros.Micros
}

/** What is known of a new member beside what people may say. */
export interface NewMember extends MemberInput {
  /** Whether somebody vouches that the person reads the address's mail. */
  readonly isConfirmed?: boolean
  readonly managedBy?: Member["managed_by"]
}

/** What is changed of a member beside what people may change. */
export interface MemberChange extends MemberPatch {
  readonly isConfirmed?: true
  /** Who decides on the role from now on; the one who changes it unless given. */
  readonly managedBy?: Member["managed_by"]
}

/** What the use cases need. */
const loadServices = Effect.fnUntraced(function* ({ retentionDelay }: MemberManagementOptions) {
  const members = yield* Members
  const sessions = yield* Sessions
  const links = yield* SignInLinks
  const keys = yield* ApiKeys
  const workspaces = yield* ManagedWorkspaces
  const events = yield* ManagementEvents
  const random = yield* Randomness
  const now = makeCreationTime()
  const turns = makeTurns()
  return { members, sessions, links, keys, workspaces, events, random, now, turns, retentionDelay }
})
type Services = Effect.Success<ReturnType<typeof loadServices>>

const find = (services: Services) =>
  Effect.fnUntraced(function* (workspaceId: string, id: string) {
    const found = yield* services.members.get(workspaceId, id)
    return Option.isSome(found) ? found.value : yield* new NotFound({ what: "member", id })
  })

/**
 * Records, before it happens, that somebody will no longer get mail: a shorter retention must not follow
 * without that person being notified.
 */
const remember = (services: Services) =>
  Effect.fnUntraced(function* ({ workspace_id, email, confirmed_at }: Member) {
    if (services.retentionDelay === 0 || confirmed_at === null) return
    const at = yield* Micros.now
    yield* services.workspaces.modify(
      workspace_id,
      ({ retention }) =>
        Result.map(withDeparted(retention, { email, left_at: at }, services.retentionDelay), (after) => ({
          retention: after
        })),
      at
    )
  })

const create = (services: Services) =>
  Effect.fn("MemberManagement.create")(function* (by: Manager, workspaceId: string, input: NewMember) {
    const { email, name, role = "member", isConfirmed = false, managedBy = null } = input
    yield* checkEmail(email)
    yield* checkName(name)
    yield* checkOwners(by, role ?? "member")
    const at = yield* services.now
    const asked = yield* readExpiry(input.expires_at, at)
    yield* checkEnd(role ?? "member", asked)
    const expiresAt = getsNotices({ role: role ?? "member" }) ? null : yield* endWithin(by, asked)
    yield* checkOutlasts(by, undefined, { role: role ?? "member", expires_at: expiresAt })
    const isRoom = withNewEmail(email, by.mayExceed === true && role === "owner")
    const isAllowed = admitNew(by, role ?? "member", at)
    const admit = (existing: ReadonlyArray<Member>) =>
      Result.flatMap(isAllowed(existing), () => isRoom(existing))
    const member: Member = {
      id: `mem_${uuid(services.random)}`,
      workspace_id: workspaceId,
      email,
      name: name ?? null,
      role: role ?? "member",
      confirmed_at: isConfirmed ? at : null,
      signed_in_at: null,
      expires_at: expiresAt,
      sessions_from: null,
      managed_by: managedBy,
      created_at: at,
      updated_at: at
    }
    const change = {
      workspaceId,
      action: "cairn.member.created",
      resource: resource(member),
      metadata: told(member)
    }
    yield* createRecorded(services, by, change, { things: services.members, item: member, admit })
    return member
  })

/** Ends the sessions that a member has for its workspace: the later ones are seen by the member's row. */
const endSessions = ({ sessions }: Services, { workspace_id, id }: Member, at: Micros.Micros) =>
  sessions.leaveAll(workspace_id, id, at)

/** The keys of a workspace that a member has made, and those that these keys have made, newest first. */
const madeBy = (keys: ReadonlyArray<ApiKey>, { id }: Member): ReadonlyArray<ApiKey> => {
  const makers = new Set([id])
  return keys.toReversed().filter((key) => {
    if (key.created_by === null || !makers.has(key.created_by)) return false
    makers.add(key.id)
    return true
  })
}

/** The keys of a member that would outlast its access; none of one whose access has no end. */
const outlasting = Effect.fnUntraced(function* ({ keys }: Services, member: Member) {
  const { expires_at: end, workspace_id } = member
  if (end === null) return []
  return madeBy(yield* keys.list(workspace_id), member)
    .filter(({ revoked_at, expires_at }) => revoked_at === null && (expires_at === null || expires_at > end))
    .map(({ id }) => id)
})

/** Has the keys of a member end by when its access does. A key made meanwhile sees the new end itself. */
const endKeys = Effect.fnUntraced(function* (services: Services, member: Member) {
  const ids = yield* outlasting(services, member)
  if (member.expires_at === null || ids.length === 0) return
  yield* services.keys.shorten(member.workspace_id, ids, member.expires_at, yield* Micros.now)
})

const change = (services: Services) =>
  Effect.fn("MemberManagement.change")(function* (
    by: Manager,
    workspaceId: string,
    id: string,
    patch: MemberChange
  ) {
    const { name, role, isConfirmed } = patch
    yield* checkName(name)
    const before = yield* find(services)(workspaceId, id)
    const lifted = liftedRestriction({ ...patch }, ["expires_at"], before, "give a later time")
    if (lifted !== null && !getsNotices({ role: role ?? before.role })) return yield* lifted
    const at = yield* services.now
    const end = patch.expires_at === undefined ? undefined : yield* readExpiry(patch.expires_at, at)
    const merged = (member: Member): Member => {
      const next = role ?? member.role
      const endless = getsNotices({ role: next }) && end === undefined
      return {
        ...member,
        name: name === undefined ? member.name : name,
        role: next,
        expires_at: endless ? null : end === undefined ? member.expires_at : end,
        confirmed_at: member.confirmed_at ?? (isConfirmed === true ? at : null),
        // What is somebody's own decision is not the provider's any more.
        managed_by: role === undefined ? member.managed_by : (patch.managedBy ?? null),
        sessions_from: next === member.role ? member.sessions_from : at
      }
    }
    const shown = (member: Member) => ({
      ...told(member),
      confirmed: member.confirmed_at !== null,
      managed_by: member.managed_by
    })
    const after = merged(before)
    const changed = difference(shown(before), shown(after))
    if (Object.keys(changed).length === 0) {
      // A crash may have come between the change and this.
      yield* endKeys(services, before)
      return before
    }
    const admit = admitChange(by, { permission: "members:write", at })
    const others = (yield* services.members.list(workspaceId)).filter((one) => one.id !== id)
    yield* checkEnd(after.role, after.expires_at)
    yield* checkOutlasts(by, before, after)
    yield* Effect.fromResult(admit(others, before, after))
    if (getsNotices(before) && !getsNotices(after)) yield* remember(services)(before)
    const ending = yield* outlasting(services, after)
    const record = {
      workspaceId,
      action: "cairn.member.updated",
      resource: resource(before),
      metadata: { changed, ...(ending.length === 0 ? {} : { keys_that_end: ending }) }
    }
    const updated_at = yield* services.now
    const modify = services.members.modify(
      workspaceId,
      id,
      (current) => Result.succeed({ ...merged(current), updated_at }),
      admit
    )
    const modified = yield* changeRecorded(services, by, record, "member", modify)
    yield* endKeys(services, modified)
    if (after.role !== before.role) yield* endSessions(services, modified, updated_at)
    return modified
  }, inTurn(services))

const remove = (services: Services) =>
  Effect.fn("MemberManagement.remove")(function* (by: Manager, workspaceId: string, id: string) {
    const { members, links, events } = services
    const member = yield* find(services)(workspaceId, id)
    const admit = admitChange(by, { permission: "members:write", at: yield* services.now })
    const others = (yield* members.list(workspaceId)).filter((one) => one.id !== id)
    yield* Effect.fromResult(admit(others, member, undefined))
    if (getsNotices(member)) yield* remember(services)(member)
    const record = {
      workspaceId,
      action: "cairn.member.deleted",
      resource: resource(member),
      metadata: told(member)
    }
    // With its last change, so that a removal after a refused one is recorded again.
    const once = onceKey(record.action, `${id} ${member.updated_at}`, by)
    yield* events.record(by, { ...record, idempotencyKey: once })
    const refused = Effect.flatMap(services.now, (updated_at) =>
      members.modify(workspaceId, id, (current) => Result.succeed({ ...current, updated_at }))
    )
    // First, so that a crash leaves nothing that a later membership of the address would bring back.
    const at = yield* services.now
    yield* links.revoke(member.email, workspaceId, at)
    yield* endSessions(services, member, at)
    yield* members.remove(workspaceId, id, admit).pipe(
      recordRefusal(services, by, record),
      Effect.tapError(({ _tag }) => (_tag === "StorageUnavailable" ? Effect.void : refused))
    )
    return member
  }, inTurn(services))

/** Ends what a member has begun so far: sessions that the workspace has seen, and those that it has not. */
const endAllSessions = (services: Services) =>
  Effect.fn("MemberManagement.endSessions")(function* (by: Manager, workspaceId: string, id: string) {
    const member = yield* find(services)(workspaceId, id)
    yield* checkOwners(by, member.role)
    const record = {
      workspaceId,
      action: "cairn.session.ended",
      resource: resource(member),
      metadata: { sessions: "all" }
    }
    const at = yield* services.now
    const modify = services.members.modify(
      workspaceId,
      id,
      (current) => Result.succeed({ ...current, sessions_from: at, updated_at: at }),
      admitChange(by, { permission: "sessions:end", at })
    )
    const changed = yield* changeRecorded(services, by, record, "member", modify)
    yield* endSessions(services, member, at)
    return changed
  }, inTurn(services))

const make = (options: MemberManagementOptions) =>
  Effect.map(loadServices(options), (services) => ({
    find: find(services),
    create: create(services),
    change: change(services),
    remove: remove(services),
    endSessions: endAllSessions(services)
  }))

/** The use cases. Each checks its input, records the change in the workspace's log, and makes it. */
export class MemberManagement extends Context.Service<
  MemberManagement,
  Effect.Success<ReturnType<typeof make>>
>()("@cairn/core/MemberManagement") {
  static readonly layer = (options: MemberManagementOptions) => Layer.effect(MemberManagement, make(options))
}
