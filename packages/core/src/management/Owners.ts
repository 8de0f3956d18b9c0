/**
 * Who may change members: a member whose role allows it at the moment of the change. Owners are changed by
 * owners alone, and nobody becomes one by another's hand.
 */
import { Effect, Result } from "effect"
import { format, type Micros } from "../encoding/Micros.ts"
import type { LastOwner, Member } from "../workspace/Members.ts"
import { hasLeft, withOwnerLeft } from "../workspace/Members.ts"
import { MemberRole, type Permission, roleAllows } from "../workspace/Permissions.ts"
import { type Manager, NotAllowed } from "./ManagementEvent.ts"

const mayChange = (
  { isBelowOwners }: Pick<Manager, "isBelowOwners">,
  ...roles: ReadonlyArray<MemberRole | undefined>
): Result.Result<void, NotAllowed> =>
  isBelowOwners === true && roles.includes("owner")
    ? Result.fail(new NotAllowed({ reason: "Only an owner makes, changes, invites and removes owners" }))
    : Result.void

/** Fails for a change that has to do with an owner, by somebody who is below owners. */
export const checkOwners = (
  by: Manager,
  ...roles: ReadonlyArray<MemberRole>
): Effect.Effect<void, NotAllowed> => Effect.fromResult(mayChange(by, ...roles))

/** What a change of members takes, and when it is made. */
interface Change {
  readonly permission: Permission
  readonly at: Micros
}

/**
 * The member who makes a change, as `members` has it now: a role that was lowered since the request was
 * admitted counts, and so does a membership that has ended. Programs and the operator are no members.
 */
const present = (
  by: Manager,
  members: ReadonlyArray<Member>,
  { permission, at }: Change
): Result.Result<Pick<Manager, "isBelowOwners">, NotAllowed> => {
  if (by.type !== "member") return Result.succeed(by)
  const own = members.find(({ id }) => id === by.id)
  return own !== undefined && !hasLeft(own, at) && roleAllows(own.role, permission)
    ? Result.succeed({ isBelowOwners: by.isBelowOwners === true || !roleAllows(own.role, "owners:write") })
    : Result.fail(new NotAllowed({ reason: `You may not do this any more: it takes ${permission}` }))
}

/** For `create` of members: fails unless who makes one may make one with this role at that moment. */
export const admitNew =
  (by: Manager, role: MemberRole, at: Micros) =>
  (existing: ReadonlyArray<Member>): Result.Result<void, NotAllowed> =>
    Result.flatMap(present(by, existing, { permission: "members:write", at }), (now) => mayChange(now, role))

/**
 * For `modify` and `remove` of members: the same, by what both are at that moment, which somebody may have
 * made owners since; and an owner is left.
 */
export const admitChange =
  (by: Manager, change: Change) =>
  (
    others: ReadonlyArray<Member>,
    before: Member,
    after: Member | undefined
  ): Result.Result<void, NotAllowed | LastOwner> =>
    present(by, [before, ...others], change).pipe(
      Result.flatMap((now) => mayChange(now, before.role, after?.role)),
      Result.flatMap(() => withOwnerLeft(others, before, after))
    )

/** Powers of roles: the first has most. */
const rank = (role: MemberRole): number => MemberRole.literals.indexOf(role)

const isLater = (one: Micros | null, other: Micros | null): boolean =>
  other !== null && (one === null || one > other)

/**
 * Fails where somebody whose own access ends gives a membership, a higher role or a later end that would
 * outlast it. `before` is undefined for a new member.
 */
export const checkOutlasts = (
  { until }: Pick<Manager, "until">,
  before: Pick<Member, "role" | "expires_at"> | undefined,
  after: Pick<Member, "role" | "expires_at">
): Effect.Effect<void, NotAllowed> => {
  const givesMore =
    before === undefined ||
    rank(after.role) < rank(before.role) ||
    isLater(after.expires_at, before.expires_at)
  if (until === undefined || !givesMore || !isLater(after.expires_at, until)) return Effect.void
  const reason = `Your own access ends at ${format(until)}, and what you give by then; owners and admins have no end`
  return Effect.fail(new NotAllowed({ reason }))
}
