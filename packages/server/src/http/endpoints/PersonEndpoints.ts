/** The person who has signed in. */
import type { Membership, PersonEndpointName, SignedInPerson } from "@cairn/api"
import { Micros } from "@cairn/core/encoding"
import { NotFound } from "@cairn/core/management"
import { Sessions, SignIn } from "@cairn/core/people"
import { type Member, permissionsOf } from "@cairn/core/workspace"
import { Effect } from "effect"
import { addressOf, type PersonEndpoint, type PersonRequest } from "../gate/Endpoint.ts"
import { WorkspaceDirectory } from "../gate/WorkspaceDirectory.ts"
import { jsonAnswer } from "../plumbing/Answer.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { OpenIdConnect } from "../signin/OpenIdConnect.ts"
import { makeSessionRecords } from "../signin/SessionRecords.ts"
import { SignInMailer } from "../signin/SignInMailer.ts"
import { collectionPage } from "./ManagementRequest.ts"
import { ownSession } from "./SessionViews.ts"

/** The endpoints that the gate opens to sessions alone, by their names in the contract. */
export type PersonEndpoints = Readonly<Record<PersonEndpointName, PersonEndpoint>>

const moment = (micros: Micros.Micros | null) => (micros === null ? null : Micros.format(micros))

const membership = (member: Member, workspaceName: string): Membership => ({
  workspace: { id: member.workspace_id, name: workspaceName },
  member_id: member.id,
  name: member.name,
  role: member.role,
  expires_at: moment(member.expires_at),
  permissions: permissionsOf(member.role)
})

/** The endpoints, by their names in the contract. */
export const makePersonEndpoints = Effect.gen(function* () {
  const sessions = yield* Sessions
  const signIn = yield* SignIn
  const directory = yield* WorkspaceDirectory
  const provider = yield* OpenIdConnect
  const mailer = yield* SignInMailer
  const records = yield* makeSessionRecords

  const valid = Effect.fnUntraced(function* ({ person, now }: PersonRequest) {
    return (yield* sessions.ofPerson(person.id)).filter((session) => signIn.isValid(session, now))
  })

  const memberships = Effect.fnUntraced(function* ({ person, session }: PersonRequest) {
    const found: Array<Membership> = []
    for (const member of yield* signIn.membershipsOf(person.address, session.method)) {
      const profile = yield* directory.find(member.workspace_id)
      if (profile !== undefined) found.push(membership(member, profile.workspace.name))
    }
    return found
  })

  const getMe: PersonEndpoint = Effect.fnUntraced(function* (request) {
    const { person, session } = request
    const data: SignedInPerson = {
      id: person.id,
      email: person.address,
      session: ownSession(session.id)(session),
      sign_in: { mail: mailer.sends, provider: provider.name },
      memberships: yield* memberships(request)
    }
    return jsonAnswer({ data })
  }, asApiError)

  const listMySessions: PersonEndpoint = Effect.fnUntraced(function* (request) {
    const page = yield* readQuery(request.query, (parameters) => ({
      before: parameters.cursor(),
      limit: parameters.limit()
    }))
    return jsonAnswer(collectionPage(yield* valid(request), page, ownSession(request.session.id)))
  }, asApiError)

  const endMySession: PersonEndpoint = Effect.fnUntraced(function* (request) {
    const { id, person, session, now, address } = request
    const found = (yield* valid(request)).find((one) => one.id === id)
    if (found === undefined) return yield* new NotFound({ what: "session", id })
    yield* records.ended({ person, session: id, which: "one", reason: "chosen" }, addressOf(address))
    yield* sessions.end(person.id, id, now)
    return jsonAnswer({ data: ownSession(session.id)(found) })
  }, asApiError)

  const endMySessions: PersonEndpoint = Effect.fnUntraced(function* ({ query, person, session, address }) {
    const keep = yield* readQuery(query, (parameters) => parameters.choice("keep", ["current"]))
    const which = keep === undefined ? "all" : "others"
    yield* records.ended({ person, session: session.id, which, reason: "chosen" }, addressOf(address))
    const ended = yield* signIn.endAll(person.address, keep === undefined ? null : session.id)
    return jsonAnswer({ data: { ended } })
  }, asApiError)

  return { getMe, listMySessions, endMySession, endMySessions } satisfies PersonEndpoints
})
