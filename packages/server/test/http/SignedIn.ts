/** People for HTTP tests: members of a workspace, and the headers of a browser in which one has signed in. */
import { Micros } from "@cairn/core/encoding"
import { Randomness, Sha256, uuid } from "@cairn/core/hashing"
import { SignIn, type SignInLink, SignInLinks } from "@cairn/core/people"
import { type Member, type MemberRole, Members } from "@cairn/core/workspace"
import { Effect } from "effect"

/** Makes a member, whose address is confirmed. */
export const makeMember = Effect.fnUntraced(function* (
  workspaceId: string,
  role: MemberRole,
  settings: Partial<Member> = {}
) {
  const id = `mem_${uuid(yield* Randomness)}`
  const now = yield* Micros.now
  const member: Member = {
    id,
    workspace_id: workspaceId,
    email: `${role}-${id.slice(4, 12)}@example.com`,
    name: null,
    role,
    confirmed_at: now,
    signed_in_at: now,
    expires_at: null,
    sessions_from: null,
    managed_by: null,
    created_at: now,
    updated_at: now,
    ...settings
  }
  yield* Effect.orDie((yield* Members).create(member))
  return member
})

/** What a browser on the service's own page sends beside its cookie. */
const OWN_PAGE = { "sec-fetch-site": "same-origin" }

/** The headers of a browser with a session's secret, on a page of the service. */
export const browserWith = (secret: string, workspaceId: string): Record<string, string> => ({
  ...OWN_PAGE,
  cookie: `cairn=${secret}`,
  "x-cairn-workspace": workspaceId
})

/** A link of a member, as it is stored. */
export const makeLink = Effect.fnUntraced(function* (
  member: Pick<Member, "email">,
  fields: Partial<SignInLink> = {}
) {
  const secret = `link-${uuid(yield* Randomness)}`
  const now = yield* Micros.now
  yield* (yield* SignInLinks).create(
    {
      secret_hash: (yield* Sha256).hex(secret),
      kind: "mail",
      address: member.email,
      workspace_id: null,
      return_to: null,
      created_at: now,
      expires_at: now + Micros.MINUTE,
      spent_at: null,
      ...fields
    },
    { most: Number.MAX_SAFE_INTEGER, mostOfWorkspace: Number.MAX_SAFE_INTEGER, since: now }
  )
  return secret
})

/** Signs a member in by a link, and returns the session. */
export const signIn = Effect.fnUntraced(function* (member: Pick<Member, "email">) {
  const secret = yield* makeLink(member)
  return yield* (yield* SignIn).byLink(secret, { clientAddress: "127.0.0.1", userAgent: "test" })
})

/** A member with a role who has signed in, and what its browser sends. */
export const signedIn = Effect.fnUntraced(function* (
  workspaceId: string,
  role: MemberRole,
  settings: Partial<Member> = {}
) {
  const member = yield* makeMember(workspaceId, role, settings)
  const { secret, session, person } = yield* signIn(member)
  return { member, secret, session, person, headers: browserWith(secret, workspaceId) }
})
