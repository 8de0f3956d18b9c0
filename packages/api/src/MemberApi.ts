/** The endpoints for a workspace's members. */

import { FieldSchemas as Field } from "@cairn/core/encoding"
import { Page } from "@cairn/core/log"
import { MemberInput, MemberPatch, MemberRole } from "@cairn/core/workspace"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { BODY_ERRORS, CONFLICT, INVALID_PARAMETER, NOT_FOUND, VALIDATION_FAILED } from "./ErrorBody.ts"
import { describeLimit, PAGE_BOUNDS, pageParameters } from "./Parameters.ts"

/** A member. */
export const MemberView = Schema.Struct({
  id: Field.prefixedId("mem", "The member's id: `mem_` and a UUID"),
  email: Field.text("The person's address"),
  name: Field.nullable(Schema.String, "What the person is called; null for nothing"),
  role: MemberRole.annotate({
    description: "What the person may do; owners and admins get mail once the address is confirmed"
  }),
  confirmed_at: Field.nullable(
    Field.timestamp(),
    "When the person first showed to read the address's mail; null until then"
  ),
  signed_in_at: Field.nullable(
    Field.timestamp(),
    "When the person first came into the workspace with a session; null until then. The last owner who has stays one"
  ),
  expires_at: Field.nullable(Field.timestamp(), "When the person's access ends; null for never"),
  managed_by: Schema.NullOr(Schema.Literal("oidc")).annotate({
    description: "`oidc` if the identity provider decides on role and membership; null if people do"
  }),
  created_at: Field.timestamp("When it was added"),
  updated_at: Field.timestamp("When it was last changed")
}).annotate({ identifier: "Member", description: "A person of the workspace" })
export type MemberView = typeof MemberView.Type

const data = <S extends Schema.Top>(schema: S) => Schema.Struct({ data: schema })
const memberId = { id: Schema.String.annotate({ description: "The member's id, `mem_…`" }) }

const listMembers = HttpApiEndpoint.get("listMembers", "/api/v1/members", {
  query: pageParameters,
  success: Page(MemberView).annotate({ description: "A page of members" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({ summary: "List members, newest first", transform: describeLimit(PAGE_BOUNDS) })
)

const createMember = HttpApiEndpoint.post("createMember", "/api/v1/members", {
  payload: MemberInput,
  success: data(MemberView).annotate({ description: "The member" }).pipe(HttpApiSchema.status(201)),
  error: [...BODY_ERRORS, VALIDATION_FAILED, CONFLICT]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Add a member",
    description:
      "If the service sends mail, the person is sent an invitation: a link that signs in once, within seven days. By an identity provider the " +
      "person signs in without one. Owners and admins are written to when an alert is raised, once their address is confirmed by a sign-in. " +
      "Only an owner or a key makes owners. A workspace has at most 200 members."
  })
)

const getMember = HttpApiEndpoint.get("getMember", "/api/v1/members/:id", {
  params: memberId,
  success: data(MemberView).annotate({ description: "The member" }),
  error: NOT_FOUND
}).annotateMerge(OpenApi.annotations({ summary: "Get one member" }))

const updateMember = HttpApiEndpoint.patch("updateMember", "/api/v1/members/:id", {
  params: memberId,
  payload: MemberPatch,
  success: data(MemberView).annotate({ description: "The member as it is now" }),
  error: [...BODY_ERRORS, VALIDATION_FAILED, NOT_FOUND, CONFLICT]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Change a member's name, role or end of access",
    description:
      "Another address is another member. With another role the member's sessions end for the workspace: the person signs in again. The last " +
      "owner stays one (`409`)."
  })
)

const deleteMember = HttpApiEndpoint.delete("deleteMember", "/api/v1/members/:id", {
  params: memberId,
  success: data(MemberView).annotate({ description: "The member that was" }),
  error: [NOT_FOUND, CONFLICT]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Remove a member",
    description: "The person's sessions end for the workspace at once. The last owner stays (`409`)."
  })
)

const inviteMember = HttpApiEndpoint.post("inviteMember", "/api/v1/members/:id/invite", {
  params: memberId,
  success: data(MemberView)
    .annotate({ description: "The member, whose invitation is on its way" })
    .pipe(HttpApiSchema.status(202)),
  error: [NOT_FOUND, CONFLICT]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Send an invitation again",
    description:
      "A new link, good for seven days and once. `409` where the service sends no mail, or an address was invited five times within an hour."
  })
)

/** Members. */
export class MemberApi extends HttpApiGroup.make("members")
  .add(listMembers, createMember, getMember, updateMember, deleteMember, inviteMember)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Members", description: "The people of the workspace" })) {}
