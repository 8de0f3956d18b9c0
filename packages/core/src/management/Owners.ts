/** Owners are changed by owners alone, and nobody becomes one by another's hand. */
import { Effect, Result } from "effect"
import type { LastOwner, Member } from "../workspace/Members.ts"
import { withOwnerLeft } from "../workspace/Members.ts"
import type { MemberRole } from "../workspace/Permissions.ts"
import { type Manager, NotAllowed } from "./ManagementEvent.ts"

const mayChange = (
  { isBelowOwners }: Manager,
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

/**
 * For `modify` and `remove` of members: the same, by what the member is at that moment, which somebody may
 * have made an owner since; and an owner is left.
 */
export const admitChange =
  (by: Manager) =>
  (
    others: ReadonlyArray<Member>,
    before: Member,
    after: Member | undefined
  ): Result.Result<void, NotAllowed | LastOwner> =>
    Result.flatMap(mayChange(by, before.role, after?.role), () => withOwnerLeft(others, before, after))
