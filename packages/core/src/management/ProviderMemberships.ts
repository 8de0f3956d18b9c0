/**
 * Memberships by what the identity provider says of a person: who has a role by its groups or address is a
 * member with it, and no longer once it is lost. What people have decided themselves stays as it is.
 */
import { Context, Data, Effect, Layer, Option } from "effect"
import type { InvalidInput } from "../event/InvalidInput.ts"
import { ManagedWorkspaces, WorkspaceNotFound } from "../workspace/ManagedWorkspace.ts"
import { getsNotices, type Member, Members } from "../workspace/Members.ts"
import type { MemberRole } from "../workspace/Permissions.ts"
import { IDENTITY_PROVIDER } from "./ManagementEvent.ts"
import { MemberManagement } from "./MemberManagement.ts"

/** A role that somebody has in a workspace by what the provider says. */
export interface GivenRole {
  readonly workspaceId: string
  readonly role: MemberRole
}

/** Who signs in. */
export interface ProviderPerson {
  readonly address: string
  readonly name: string | null
}

const loadServices = Effect.gen(function* () {
  return {
    members: yield* Members,
    workspaces: yield* ManagedWorkspaces,
    management: yield* MemberManagement
  }
})
type Services = Effect.Success<typeof loadServices>

/** A member whom people have given an end does not become one without. */
class EndStays extends Data.TaggedError("EndStays") {
  override readonly message = "the membership has an end, which people have set; owners and admins have none"
}

/** What the log of one workspace refuses must not keep somebody out of the others. */
const logged = <A, E extends InvalidInput | { readonly message: string }>(
  workspaceId: string,
  effect: Effect.Effect<A, E>
): Effect.Effect<void> =>
  Effect.catch(Effect.asVoid(effect), (error) =>
    Effect.logWarning("What the identity provider says of a person was not applied").pipe(
      Effect.annotateLogs({ workspaceId, reason: error.message })
    )
  )

/** Makes a membership what the provider says; undefined where it gives none any more. */
const applyOne = Effect.fnUntraced(function* (
  { management, workspaces }: Services,
  person: ProviderPerson,
  member: Member | undefined,
  given: GivenRole | undefined
) {
  if (member === undefined) {
    if (given === undefined) return
    const { address: email, name } = person
    const { role, workspaceId } = given
    if (Option.isNone(yield* workspaces.get(workspaceId)))
      return yield* logged(workspaceId, new WorkspaceNotFound({ workspaceId }))
    const input = { email, name, role, managedBy: "oidc" as const }
    return yield* logged(workspaceId, management.create(IDENTITY_PROVIDER, workspaceId, input))
  }
  const { workspace_id, id, managed_by, role } = member
  if (managed_by === null) return
  if (given === undefined)
    return yield* logged(workspace_id, management.remove(IDENTITY_PROVIDER, workspace_id, id))
  if (given.role === role) return
  // Owners and admins have no end; one that people have set is not lifted by another role.
  if (member.expires_at !== null && getsNotices(given)) return yield* logged(workspace_id, new EndStays())
  const change = { role: given.role, managedBy: "oidc" as const }
  return yield* logged(workspace_id, management.change(IDENTITY_PROVIDER, workspace_id, id, change))
})

const apply = Effect.fn("ProviderMemberships.apply")(function* (
  services: Services,
  person: ProviderPerson,
  given: ReadonlyArray<GivenRole>
) {
  const existing = yield* services.members.ofAddress(person.address)
  const workspaceIds = new Set([
    ...given.map(({ workspaceId }) => workspaceId),
    ...existing.map(({ workspace_id }) => workspace_id)
  ])
  for (const workspaceId of workspaceIds) {
    yield* applyOne(
      services,
      person,
      existing.find(({ workspace_id }) => workspace_id === workspaceId),
      given.find((one) => one.workspaceId === workspaceId)
    )
  }
})

const make = Effect.map(loadServices, (services) => ({
  /**
   * Makes the memberships of a person what the provider says. A change that cannot be made, such as the
   * removal of the last owner, is logged and left.
   */
  apply: (person: ProviderPerson, given: ReadonlyArray<GivenRole>) => apply(services, person, given)
}))

/** The use case of applying what the provider says. */
export class ProviderMemberships extends Context.Service<ProviderMemberships, Effect.Success<typeof make>>()(
  "@cairn/core/ProviderMemberships"
) {
  static readonly layer = Layer.effect(ProviderMemberships, make)
}
