/** Port: the people of each workspace. */
import { Context, type Effect, type Option, Predicate, Result, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { addressKey } from "./AddressKey.ts"
import { MemberRole } from "./Permissions.ts"
import { type CollectionFull, type WorkspaceCollection, withinLimit } from "./WorkspaceCollection.ts"

/** A member as stored. */
export const Member = Schema.Struct({
  /** `mem_` and a UUID. */
  id: Schema.String,
  workspace_id: Schema.String,
  email: Schema.String,
  name: Schema.NullOr(Schema.String),
  role: MemberRole,
  /**
   * When it was first seen that who reads the address's mail is meant; null until then. Nobody else gets mail
   * about the workspace.
   */
  confirmed_at: Schema.NullOr(Schema.Number),
  /** When it first entered the workspace with a session, by whichever way; null until then. */
  signed_in_at: Schema.NullOr(Schema.Number),
  /** From this time on the member has no access; null for no end, as for every owner and admin. */
  expires_at: Schema.NullOr(Schema.Number),
  /** Sessions that began before this time have no access; null for none. */
  sessions_from: Schema.NullOr(Schema.Number),
  /** `oidc` if the identity provider decides on role and membership; null if people do. */
  managed_by: Schema.NullOr(Schema.Literal("oidc")),
  /** Microseconds since the epoch, like the others. */
  created_at: Schema.Number,
  updated_at: Schema.Number
})
export type Member = typeof Member.Type

/**
 * A body that an earlier version stored, with what it lacks. Its members got mail without having been asked,
 * and still do. Who was confirmed counted as one who has signed in; who has, unconfirmed, is noted with the
 * next request.
 */
export const mendStoredMember = (body: unknown): unknown => {
  if (!Predicate.isObject(body)) return body
  const confirmed_at =
    "confirmed_at" in body ? body.confirmed_at : "created_at" in body ? body.created_at : null
  return {
    confirmed_at,
    signed_in_at: confirmed_at,
    expires_at: null,
    sessions_from: null,
    managed_by: null,
    ...body
  }
}

/** The workspace already has a member with this address, ignoring letter case. */
export class MemberExists extends Schema.TaggedError<MemberExists>()("MemberExists", {
  email: Schema.String
}) {
  /** Which field, and why. */
  override get message(): string {
    return "email: a member has this address already"
  }
}

/** The workspace would be left without an owner who can sign in. */
export class LastOwner extends Schema.TaggedError<LastOwner>()("LastOwner", {}) {
  /** What to do first. */
  override get message(): string {
    return "the last owner of a workspace stays one; make another owner first, who has to have signed in"
  }
}

/** Most members of a workspace. */
export const MAX_MEMBERS = 200

const withinMembers = withinLimit("members", MAX_MEMBERS, "remove one to make room")

/**
 * Allows an address that no member has, while there are fewer than `MAX_MEMBERS` or `mayExceed` says
 * that it does not matter. For `create`.
 */
export const withNewEmail =
  (email: string, mayExceed: boolean) =>
  (existing: ReadonlyArray<Member>): Result.Result<void, MemberExists | CollectionFull> =>
    existing.some((member) => member.email.toLowerCase() === email.toLowerCase())
      ? Result.fail(new MemberExists({ email }))
      : mayExceed
        ? Result.void
        : withinMembers(existing)

/**
 * Allows what leaves another owner: one who has signed in, if the one who goes had. For `modify` and
 * `remove`; `after` is undefined for a removal.
 */
export const withOwnerLeft = (
  others: ReadonlyArray<Member>,
  before: Member,
  after: Member | undefined
): Result.Result<void, LastOwner> => {
  if (before.role !== "owner" || after?.role === "owner") return Result.void
  const owners = others.filter(({ role }) => role === "owner")
  const left = before.signed_in_at === null ? owners : owners.filter((one) => one.signed_in_at !== null)
  return left.length > 0 ? Result.void : Result.fail(new LastOwner())
}

/** Whether a member's time is over at `now`. */
export const hasLeft = ({ expires_at }: Pick<Member, "expires_at">, now: Micros): boolean =>
  expires_at !== null && expires_at <= now

/**
 * Whether a person who has signed in by `method` enters a membership. If the identity provider decides, a
 * sign-in by mail does not: a person who has lost the account there may still read the address's mail.
 */
export const isEnteredBy = (
  { managed_by }: Pick<Member, "managed_by">,
  method: "mail" | "oidc" | "operator"
): boolean => managed_by === null || method !== "mail"

/** The roles that get mail about the workspace. Their membership has no end, so that none is missed. */
export const getsNotices = ({ role }: Pick<Member, "role">): boolean => role === "owner" || role === "admin"

/** Whether a member gets mail about the workspace: an owner or admin whose address is confirmed. */
export const isNoticed = (member: Pick<Member, "role" | "confirmed_at">): boolean =>
  getsNotices(member) && member.confirmed_at !== null

/** The addresses that are notified. */
export const noticeAddresses = (members: ReadonlyArray<Member>): ReadonlyArray<string> =>
  members.filter(isNoticed).map(({ email }) => email)

/**
 * Contract: as `WorkspaceCollection`; `ofAddress` and `firstOwner` see a member as soon as `create` has
 * returned.
 *
 * `createFirstOwner` is `create` of an owner if no workspace but the one named has one: of any number of
 * callers, in any process, one stores its own. While it looks nobody creates, modifies or removes a member
 * anywhere.
 */
interface MembersShape extends WorkspaceCollection<Member> {
  /**
   * The members of all workspaces with an address, which differs from theirs in the case of ASCII letters at
   * most; the oldest first. Costs an index look-up.
   */
  readonly ofAddress: (address: string) => Effect.Effect<ReadonlyArray<Member>, StorageUnavailable>
  /**
   * The oldest owner of all workspaces but the one with the id `beside`; none if no workspace has one. Looks
   * at every member.
   */
  readonly firstOwner: (beside: string | null) => Effect.Effect<Option.Option<Member>, StorageUnavailable>
  /** Whether it was stored; if `admit` fails, nothing was. */
  readonly createFirstOwner: <E = never>(
    owner: Member,
    beside: string | null,
    admit?: (existing: ReadonlyArray<Member>) => Result.Result<void, E>
  ) => Effect.Effect<boolean, E | StorageUnavailable>
}

/** Whether a member has an address, as `ofAddress` compares them. */
export const hasAddress = ({ email }: Pick<Member, "email">, address: string): boolean =>
  addressKey(email) === addressKey(address)

/** The members. */
export class Members extends Context.Service<Members, MembersShape>()("@cairn/core/Members") {}
