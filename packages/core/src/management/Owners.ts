/** Owners are changed by owners alone, and nobody becomes one by another's hand. */
import { Effect } from "effect"
import type { MemberRole } from "../workspace/Permissions.ts"
import { type Manager, NotAllowed } from "./ManagementEvent.ts"

/** Fails for a change that has to do with an owner, by somebody who is below owners. */
export const checkOwners = (
  { isBelowOwners }: Manager,
  ...roles: ReadonlyArray<MemberRole>
): Effect.Effect<void, NotAllowed> =>
  isBelowOwners === true && roles.includes("owner")
    ? Effect.fail(new NotAllowed({ reason: "Only an owner makes, changes, invites and removes owners" }))
    : Effect.void
