/** The API keys that a member has made, and which of them are to go with the member's role. */
import type { Schemas } from "../../data/Schemas.ts"
import { type Scope, scopesToGive, stateOf } from "../keys/Purposes.ts"
import { CAPABILITIES, may, type RoleName } from "./Roles.ts"

/** What is looked at of a key. */
type KeyFields = Pick<Schemas["ApiKey"], "id" | "created_by" | "scopes" | "revoked_at" | "expires_at">

/** The keys that work at a time and that a member has made, also by a key that the member had made. */
export const keysMadeBy = <Key extends KeyFields>(
  memberId: string,
  keys: ReadonlyArray<Key>,
  now: number
): ReadonlyArray<Key> => {
  const makers = new Set([memberId])
  for (let before = 0; before < makers.size; ) {
    before = makers.size
    for (const { id, created_by } of keys) if (created_by !== null && makers.has(created_by)) makers.add(id)
  }
  return keys.filter((key) => {
    const state = stateOf(key, now)
    return makers.has(key.id) && (state === "active" || state === "ending")
  })
}

/** The scopes that a role may give. */
const scopesOfRole = (role: RoleName): ReadonlyArray<Scope> =>
  scopesToGive(
    CAPABILITIES.flatMap((capability) => (may(role, capability) ? [...capability.permissions] : []))
  )

/**
 * Whether a key may do more than a role. For who is removed, whether it may do anything but send events:
 * programs may use such a key long after.
 */
export const mayDoMore = ({ scopes }: Pick<KeyFields, "scopes">, role: RoleName | undefined): boolean => {
  const kept: ReadonlyArray<Scope> = role === undefined ? ["ingest"] : scopesOfRole(role)
  return scopes.some((scope) => !kept.includes(scope))
}
