/** The endpoints about the person who has signed in: for browsers with a session, of whatever workspace. */
import { FieldSchemas as Field } from "@cairn/core/encoding"
import { Page } from "@cairn/core/log"
import { MemberRole, PERMISSION_NAMES } from "@cairn/core/workspace"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Access, Authorization } from "./Authorization.ts"
import { INVALID_PARAMETER, NOT_FOUND } from "./ErrorBody.ts"
import { describeLimit, PAGE_BOUNDS, pageParameters } from "./Parameters.ts"
import { sessionFields } from "./SessionApi.ts"

/** A workspace that the person is a member of. */
export const Membership = Schema.Struct({
  workspace: Schema.Struct({
    id: Field.text("The workspace's id, for `X-Cairn-Workspace`"),
    name: Field.text("Its name")
  }).annotate({ description: "The workspace" }),
  member_id: Field.prefixedId("mem", "The person as a member of it"),
  name: Field.nullable(Schema.String, "What the person is called there; null for nothing"),
  role: MemberRole.annotate({ description: "The person's role" }),
  expires_at: Field.nullable(Field.timestamp(), "When the person's access ends; null for never"),
  permissions: Schema.Array(Schema.Literals(PERMISSION_NAMES)).annotate({
    description: "What the role may do"
  })
}).annotate({ identifier: "Membership", description: "A workspace that the person is a member of" })
export type Membership = typeof Membership.Type

/** A session of the person's own. */
export const OwnSession = Schema.Struct({
  ...sessionFields,
  last_used_at: Field.timestamp("When it was last used, to the minute"),
  current: Schema.Boolean.annotate({ description: "Whether it is the one that asks" })
}).annotate({ identifier: "OwnSession", description: "A session of the person's own" })
export type OwnSession = typeof OwnSession.Type

/** The ways to sign in that the service offers. */
const SignInWays = Schema.Struct({
  mail: Schema.Boolean.annotate({
    description: "Whether the service sends mail: links to sign in, and invitations of new members"
  }),
  provider: Field.nullable(Schema.String, "What people call the identity provider; null if there is none")
}).annotate({ identifier: "SignInWays", description: "The ways to sign in that the service offers" })
export type SignInWays = typeof SignInWays.Type

/** Who has signed in. */
export const SignedInPerson = Schema.Struct({
  id: Field.prefixedId("per", "The person's id: `per_` and a UUID"),
  email: Field.text("The person's address"),
  session: OwnSession,
  sign_in: SignInWays,
  memberships: Schema.Array(Membership).annotate({ description: "The oldest first" })
}).annotate({ identifier: "Person", description: "Who has signed in" })
export type SignedInPerson = typeof SignedInPerson.Type

const data = <S extends Schema.Top>(schema: S) => Schema.Struct({ data: schema })

const getMe = HttpApiEndpoint.get("getMe", "/api/v1/me", {
  success: data(SignedInPerson).annotate({ description: "The person, and what it may do where" })
}).annotateMerge(OpenApi.annotations({ summary: "Get who has signed in" }))

const listMySessions = HttpApiEndpoint.get("listMySessions", "/api/v1/me/sessions", {
  query: pageParameters,
  success: Page(OwnSession).annotate({ description: "A page of sessions" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({
    summary: "List one's own sessions, newest first",
    description: "Those that are valid.",
    transform: describeLimit(PAGE_BOUNDS)
  })
)

const endMySession = HttpApiEndpoint.delete("endMySession", "/api/v1/me/sessions/:id", {
  params: { id: Schema.String.annotate({ description: "The session's id, `ses_…`" }) },
  success: data(OwnSession).annotate({ description: "The session that was" }),
  error: NOT_FOUND
}).annotateMerge(
  OpenApi.annotations({ summary: "End one of one's own sessions", description: "At once, on every server." })
)

const endMySessions = HttpApiEndpoint.delete("endMySessions", "/api/v1/me/sessions", {
  query: {
    keep: Schema.optionalKey(
      Schema.Literal("current").annotate({ description: "`current`: all but the one that asks" })
    )
  },
  success: data(
    Schema.Struct({ ended: Field.count("How many ended") }).annotate({
      identifier: "EndedOwnSessions",
      description: "How many sessions ended"
    })
  ).annotate({ description: "How many sessions ended" }),
  error: INVALID_PARAMETER
}).annotateMerge(OpenApi.annotations({ summary: "End all of one's own sessions" }))

/** Who has signed in. */
export class PersonApi extends HttpApiGroup.make("me")
  .add(getMe, listMySessions, endMySession, endMySessions)
  .middleware(Authorization)
  .annotateEndpoints(Access, "session")
  .annotateMerge(
    OpenApi.annotations({
      title: "The person who has signed in",
      description: "For browsers in which a person has signed in; API keys are of no person"
    })
  ) {}
