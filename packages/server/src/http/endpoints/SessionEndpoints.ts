/** Where the members of a workspace have signed in. */
import { MAX_IDENTIFIER } from "@cairn/core/event"
import { MemberManagement, NotFound, WorkspaceEntry } from "@cairn/core/management"
import { type EnteredSession, Sessions, SignIn } from "@cairn/core/people"
import { Effect } from "effect"
import type { AuthorizedRequest, Endpoint } from "../gate/Endpoint.ts"
import { jsonAnswer } from "../plumbing/Answer.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { collectionPage, manager } from "./ManagementRequest.ts"
import { memberSession } from "./SessionViews.ts"

/** The same with its time of creation, which a page of a list ends at. */
const listed = (entered: EnteredSession) => ({ ...entered, created_at: entered.session.created_at })

/** The endpoints, by their names in the contract. */
export const makeSessionEndpoints = Effect.gen(function* () {
  const sessions = yield* Sessions
  const management = yield* MemberManagement
  const entry = yield* WorkspaceEntry
  const signIn = yield* SignIn

  const valid = Effect.fnUntraced(function* (
    { identity, now }: Pick<AuthorizedRequest, "identity" | "now">,
    memberId: string | null
  ) {
    const all = yield* sessions.inWorkspace(identity.workspaceId, memberId)
    return all.filter(({ session }) => signIn.isValid(session, now)).map(listed)
  })

  const listSessions: Endpoint = Effect.fnUntraced(function* (request) {
    const { memberId, ...page } = yield* readQuery(request.query, (parameters) => ({
      memberId: parameters.text("member_id", MAX_IDENTIFIER) ?? null,
      before: parameters.cursor(),
      limit: parameters.limit()
    }))
    return jsonAnswer(collectionPage(yield* valid(request, memberId), page, memberSession))
  }, asApiError)

  const endSession: Endpoint = Effect.fnUntraced(function* (request) {
    const { id, identity } = request
    const found = (yield* valid(request, null)).find(({ session }) => session.id === id)
    if (found === undefined) return yield* new NotFound({ what: "session", id })
    const memberId = found.entry.member_id
    yield* entry.end(manager(request), identity.workspaceId, { sessionId: id, memberId })
    return jsonAnswer({ data: memberSession(found) })
  }, asApiError)

  const endSessions: Endpoint = Effect.fnUntraced(function* (request) {
    const { id, identity } = request
    const before = yield* valid(request, id)
    yield* management.endSessions(manager(request), identity.workspaceId, id)
    return jsonAnswer({ data: { member_id: id, ended: before.length } })
  }, asApiError)

  return { listSessions, endSession, endSessions }
})
