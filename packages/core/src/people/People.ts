/** Port: the people who have signed in, of all workspaces. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** A person: who controls a mail address, whatever workspaces the address is a member of. */
export const Person = Schema.Struct({
  /** `per_` and a UUID. */
  id: Schema.String,
  /** The address, as it was first proven. */
  address: Schema.String,
  /** Microseconds since the epoch. */
  created_at: Schema.Number
})
export type Person = typeof Person.Type

/**
 * An account at an identity provider (OpenID Connect Core section 2: `iss` and `sub` together are unique).
 */
export interface ProviderAccount {
  readonly issuer: string
  readonly subject: string
}

/**
 * The account cannot be this person's, who has another one at the issuer. A mail address that was given to
 * somebody else looks like this.
 */
export class AccountConflict extends Schema.TaggedError<AccountConflict>()("AccountConflict", {
  personId: Schema.String
}) {}

/**
 * Contract:
 *
 * - When a call returns, its result is durable.
 * - Addresses are compared by `addressKey`. No two people have one address, also if two processes store them
 *   at once: `ensure` returns the one that was stored.
 * - A person has at most one account at an issuer, and an account one person. `bind` makes the account this
 *   person's, also if it was another's until then, and does nothing if they belong together already.
 * - `forget` removes the person with its accounts and sessions; its memberships stay.
 */
interface PeopleShape {
  readonly get: (id: string) => Effect.Effect<Option.Option<Person>, StorageUnavailable>
  readonly ofAddress: (address: string) => Effect.Effect<Option.Option<Person>, StorageUnavailable>
  readonly ofAccount: (account: ProviderAccount) => Effect.Effect<Option.Option<Person>, StorageUnavailable>
  readonly ensure: (person: Person) => Effect.Effect<Person, StorageUnavailable>
  readonly bind: (
    personId: string,
    account: ProviderAccount,
    at: Micros
  ) => Effect.Effect<void, AccountConflict | StorageUnavailable>
  /** Whether there was one. */
  readonly forget: (id: string) => Effect.Effect<boolean, StorageUnavailable>
}

/** The people. */
export class People extends Context.Service<People, PeopleShape>()("@cairn/core/People") {}
