/** Port: the people of each workspace. */
import { Context, Result, Schema } from "effect"
import { type CollectionFull, type WorkspaceCollection, withinLimit } from "./WorkspaceCollection.ts"

/** The role of a member; mail is sent to owners and admins. */
export const MemberRole = Schema.Literals(["owner", "admin", "member"])
export type MemberRole = typeof MemberRole.Type

/** A member as stored. */
export const Member = Schema.Struct({
  /** `mem_` and a UUID. */
  id: Schema.String,
  workspace_id: Schema.String,
  email: Schema.String,
  name: Schema.NullOr(Schema.String),
  role: MemberRole,
  /** Microseconds since the epoch, like the next. */
  created_at: Schema.Number,
  updated_at: Schema.Number
})
export type Member = typeof Member.Type

/** The workspace already has a member with this address, ignoring letter case. */
export class MemberExists extends Schema.TaggedError<MemberExists>()("MemberExists", {
  email: Schema.String
}) {}

/** Most members of a workspace. */
export const MAX_MEMBERS = 200

const withinMembers = withinLimit("members", MAX_MEMBERS, "remove one to make room")

/** Allows an address that no member has, while there are fewer than {@link MAX_MEMBERS}. For `create`. */
export const withNewEmail =
  (email: string) =>
  (existing: ReadonlyArray<Member>): Result.Result<void, MemberExists | CollectionFull> =>
    existing.some((member) => member.email.toLowerCase() === email.toLowerCase())
      ? Result.fail(new MemberExists({ email }))
      : withinMembers(existing)

/** The addresses that are notified: those of owners and admins. */
export const noticeAddresses = (members: ReadonlyArray<Member>): ReadonlyArray<string> =>
  members.filter(({ role }) => role !== "member").map(({ email }) => email)

/** The members. */
export class Members extends Context.Service<Members, WorkspaceCollection<Member>>()("@cairn/core/Members") {}
