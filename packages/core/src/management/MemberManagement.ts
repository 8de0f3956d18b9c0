/** Adding, changing and removing members. */

import { Context, Effect, Layer, Option, Result } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { MAX_NAME } from "../event/EventInput.ts"
import { InvalidInput } from "../event/InvalidInput.ts"
import { textFault } from "../event/TextFault.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { emailFault, type MemberInput, type MemberPatch } from "../workspace/MemberInput.ts"
import { type Member, Members, withNewEmail } from "../workspace/Members.ts"
import { withDeparted } from "../workspace/RetentionWindow.ts"
import { makeCreationTime } from "./CreationTime.ts"
import { difference } from "./Difference.ts"
import { ManagementEvents, type Manager, onceKey } from "./ManagementEvent.ts"
import { NotFound } from "./NotFound.ts"
import { createRecorded, inTurn, makeTurns } from "./RecordedCreation.ts"

const checkEmail = (email: string) => {
  const reason = emailFault(email)
  return reason === undefined ? Effect.void : Effect.fail(new InvalidInput({ path: "email", reason }))
}

const checkName = (name: string | null | undefined) => {
  const reason = typeof name === "string" ? textFault(name, { least: 0, most: MAX_NAME }) : undefined
  return reason === undefined ? Effect.void : Effect.fail(new InvalidInput({ path: "name", reason }))
}

const resource = ({ id, name }: Member) => ({ type: "member", id, name })
const told = ({ email, name, role }: Member) => ({ email, name, role })

/** Settings for managing members. */
export interface MemberManagementOptions {
  /** How long a shortened retention is held: members who leave before it takes effect are notified too. */
  readonly retentionDelay: Micros.Micros
}

/** The roles that get mail. */
const isRecipient = ({ role }: Pick<Member, "role">): boolean => role !== "member"

/** What the use cases need. */
const loadServices = Effect.fnUntraced(function* ({ retentionDelay }: MemberManagementOptions) {
  const members = yield* Members
  const workspaces = yield* ManagedWorkspaces
  const events = yield* ManagementEvents
  const random = yield* Randomness
  const now = makeCreationTime()
  const turns = makeTurns()
  return { members, workspaces, events, random, now, turns, retentionDelay }
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
  Effect.fnUntraced(function* ({ workspace_id, email }: Member) {
    if (services.retentionDelay === 0) return
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
  Effect.fn("MemberManagement.create")(function* (
    by: Manager,
    workspaceId: string,
    { email, name, role }: MemberInput
  ) {
    yield* checkEmail(email)
    yield* checkName(name)
    const admit = withNewEmail(email)
    const at = yield* services.now
    const member: Member = {
      id: `mem_${uuid(services.random)}`,
      workspace_id: workspaceId,
      email,
      name: name ?? null,
      role: role ?? "member",
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

const change = (services: Services) =>
  Effect.fn("MemberManagement.change")(function* (
    by: Manager,
    workspaceId: string,
    id: string,
    { name, role }: MemberPatch
  ) {
    yield* checkName(name)
    const before = yield* find(services)(workspaceId, id)
    const merged = (member: Member): Member => ({
      ...member,
      name: name === undefined ? member.name : name,
      role: role ?? member.role
    })
    const changed = difference(told(before), told(merged(before)))
    if (Object.keys(changed).length === 0) return before
    if (isRecipient(before) && !isRecipient(merged(before))) yield* remember(services)(before)
    yield* services.events.record(by, {
      workspaceId,
      action: "cairn.member.updated",
      resource: resource(before),
      metadata: { changed }
    })
    const updated_at = yield* services.now
    const after = yield* services.members.modify(workspaceId, id, (current) =>
      Result.succeed({ ...merged(current), updated_at })
    )
    return Option.isSome(after) ? after.value : yield* new NotFound({ what: "member", id })
  }, inTurn(services))

const remove = (services: Services) =>
  Effect.fn("MemberManagement.remove")(function* (by: Manager, workspaceId: string, id: string) {
    const member = yield* find(services)(workspaceId, id)
    if (isRecipient(member)) yield* remember(services)(member)
    yield* services.events.record(by, {
      workspaceId,
      action: "cairn.member.deleted",
      resource: resource(member),
      metadata: told(member),
      idempotencyKey: onceKey("cairn.member.deleted", id)
    })
    yield* services.members.remove(workspaceId, id)
    return member
  }, inTurn(services))

const make = (options: MemberManagementOptions) =>
  Effect.map(loadServices(options), (services) => ({
    find: find(services),
    create: create(services),
    change: change(services),
    remove: remove(services)
  }))

/** The use cases. Each checks its input, records the change in the workspace's log, and makes it. */
export class MemberManagement extends Context.Service<
  MemberManagement,
  Effect.Success<ReturnType<typeof make>>
>()("@cairn/core/MemberManagement") {
  static readonly layer = (options: MemberManagementOptions) => Layer.effect(MemberManagement, make(options))
}
