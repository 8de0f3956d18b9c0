/** Port: links that sign somebody in, each once. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/**
 * What a link is for: `mail` was requested by somebody who knows the address, `invitation` goes to a new
 * member, `operator` was made by the `cairn` command, and `setup` by a server that has no owner yet. A
 * `setup` link is for nobody's address: see `SETUP_ADDRESS`.
 */
export const SignInLinkKind = Schema.Literals(["mail", "invitation", "operator", "setup"])
export type SignInLinkKind = typeof SignInLinkKind.Type

/** What stands in place of an address in a link of the kind `setup`. Every address has an at sign. */
export const SETUP_ADDRESS = "set-up"

/** A link as stored. */
export const SignInLink = Schema.Struct({
  /** SHA-256, as hexadecimal text, of the link's 256 random bits, which are stored nowhere. */
  secret_hash: Schema.String,
  kind: SignInLinkKind,
  /** Whom it signs in. */
  address: Schema.String,
  /** The workspace that it leads to; null for the person's own choice. */
  workspace_id: Schema.NullOr(Schema.String),
  /** The path that it leads to; null for the first page. */
  return_to: Schema.NullOr(Schema.String),
  /** Microseconds since the epoch, like the others. */
  created_at: Schema.Number,
  expires_at: Schema.Number,
  spent_at: Schema.NullOr(Schema.Number)
})
export type SignInLink = typeof SignInLink.Type

/** How many links are made in a time. */
export interface LinkLimit {
  /** Of one kind, for one address (by `addressKey`) and one workspace or none. */
  readonly most: number
  /** Of one kind, for one workspace; as many as one likes where the link is for none. */
  readonly mostOfWorkspace: number
  /** Those that were created from this time on count. */
  readonly since: Micros
}

/**
 * Contract:
 *
 * - When a call returns, its result is durable.
 * - `create` stores the link unless as many as the limit says were created before, also if several processes
 *   create them at once; it returns whether it did.
 * - `spend` returns a link that was not spent and has not expired at `at`, once: of any number of callers, in
 *   any process, one gets it.
 */
interface SignInLinksShape {
  readonly create: (link: SignInLink, limit: LinkLimit) => Effect.Effect<boolean, StorageUnavailable>
  readonly find: (secretHash: string) => Effect.Effect<Option.Option<SignInLink>, StorageUnavailable>
  readonly spend: (
    secretHash: string,
    at: Micros
  ) => Effect.Effect<Option.Option<SignInLink>, StorageUnavailable>
  /** Makes invalid the links of an address that are not spent, of one workspace or of all. */
  readonly revoke: (
    address: string,
    workspaceId: string | null,
    at: Micros
  ) => Effect.Effect<void, StorageUnavailable>
  /** Removes links that expired before this time; returns how many. */
  readonly prune: (before: Micros) => Effect.Effect<number, StorageUnavailable>
}

/** The links. */
export class SignInLinks extends Context.Service<SignInLinks, SignInLinksShape>()(
  "@cairn/core/SignInLinks"
) {}
