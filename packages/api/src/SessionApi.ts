/** The endpoints for the sessions of a workspace's members. */
import { FieldSchemas as Field } from "@cairn/core/encoding"
import { Page } from "@cairn/core/log"
import { SignInMethod } from "@cairn/core/people"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { INVALID_PARAMETER, NOT_FOUND } from "./ErrorBody.ts"
import { describeLimit, PAGE_BOUNDS, pageParameters, textParameter } from "./Parameters.ts"

/** What every view of a session has. */
export const sessionFields = {
  id: Field.prefixedId("ses", "The session's id: `ses_` and a UUID"),
  method: SignInMethod.annotate({
    description:
      "How the person signed in: by a link in a mail, by the identity provider, or by a link of the operator"
  }),
  client_address: Field.nullable(Schema.String, "The address it began from; null for none"),
  user_agent: Field.nullable(Schema.String, "The browser, as it names itself; null if it does not"),
  created_at: Field.timestamp("When the person signed in"),
  expires_at: Field.timestamp("When it ends, however much it is used")
}

/** A session of a member. */
export const MemberSession = Schema.Struct({
  ...sessionFields,
  member_id: Field.prefixedId("mem", "Whose it is"),
  entered_at: Field.timestamp("When it was first used for this workspace")
}).annotate({ identifier: "MemberSession", description: "A session that was used for the workspace" })
export type MemberSession = typeof MemberSession.Type

const data = <S extends Schema.Top>(schema: S) => Schema.Struct({ data: schema })

const listSessions = HttpApiEndpoint.get("listSessions", "/api/v1/sessions", {
  query: { member_id: textParameter("Those of one member, `mem_…`"), ...pageParameters },
  success: Page(MemberSession).annotate({ description: "A page of sessions" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({
    summary: "List the sessions of members, newest first",
    description: "Those that are valid and were used for this workspace.",
    transform: describeLimit(PAGE_BOUNDS)
  })
)

const endSession = HttpApiEndpoint.delete("endSession", "/api/v1/sessions/:id", {
  params: { id: Schema.String.annotate({ description: "The session's id, `ses_…`" }) },
  success: data(MemberSession).annotate({ description: "The session that was" }),
  error: NOT_FOUND
}).annotateMerge(
  OpenApi.annotations({
    summary: "End a session for this workspace",
    description:
      "At once, on every server. For other workspaces of the same person it goes on: those are not yours."
  })
)

const endSessions = HttpApiEndpoint.delete("endSessions", "/api/v1/members/:id/sessions", {
  params: { id: Schema.String.annotate({ description: "The member's id, `mem_…`" }) },
  success: data(
    Schema.Struct({
      member_id: Field.prefixedId("mem", "Whose sessions ended"),
      ended: Field.count("How many had been used for this workspace")
    }).annotate({ identifier: "EndedSessions", description: "How many sessions ended" })
  ).annotate({ description: "How many sessions ended" }),
  error: NOT_FOUND
}).annotateMerge(
  OpenApi.annotations({
    summary: "End all sessions of a member for this workspace",
    description: "Also those that have not been used for it yet: the person signs in again."
  })
)

/** Sessions of members. */
export class SessionApi extends HttpApiGroup.make("sessions")
  .add(listSessions, endSession, endSessions)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Sessions", description: "Where members have signed in" })) {}
