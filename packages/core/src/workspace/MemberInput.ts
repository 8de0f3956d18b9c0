/** The bodies that create and change a member. */
import { Schema } from "effect"
import { MemberRole } from "./Members.ts"

/** A new member. */
export const MemberInput = Schema.Struct({
  email: Schema.String.annotate({ description: "At most 254 characters; no two members share one" }),
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  role: Schema.optionalKey(Schema.NullOr(MemberRole)).annotate({ description: "`member` unless given" })
}).annotate({ identifier: "MemberInput" })
export type MemberInput = typeof MemberInput.Type

/** What to change of a member; omitted fields stay. */
export const MemberPatch = Schema.Struct({
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  role: Schema.optionalKey(MemberRole)
}).annotate({ identifier: "MemberPatch" })
export type MemberPatch = typeof MemberPatch.Type
