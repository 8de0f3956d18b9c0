/** The people of a workspace. */
import type { MemberView } from "@cairn/api"
import { Micros } from "@cairn/core/encoding"
import { decodeStrictly, InvalidInput, unlessInvalid } from "@cairn/core/event"
import { MemberInvitations, MemberManagement } from "@cairn/core/management"
import { type Member, MemberInput, MemberPatch, Members } from "@cairn/core/workspace"
import { Effect } from "effect"
import type { Endpoint } from "../gate/Endpoint.ts"
import { createdAnswer, jsonAnswer } from "../plumbing/Answer.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { collectionPage, decodeBody, manager } from "./ManagementRequest.ts"

const decodeInput = decodeStrictly(MemberInput)
const decodeChange = decodeStrictly(MemberPatch)

/** A change of a member: the address is known, but another one is another member. */
const decodePatch = (body: unknown) => {
  if (typeof body !== "object" || body === null || !("email" in body)) return decodeChange(body)
  const { email: _, ...rest } = body
  return unlessInvalid(
    decodeChange(rest),
    new InvalidInput({ path: "email", reason: "cannot be changed; add another member" })
  )
}

const moment = (micros: Micros.Micros | null) => (micros === null ? null : Micros.format(micros))

const memberView = (member: Member): MemberView => ({
  id: member.id,
  email: member.email,
  name: member.name,
  role: member.role,
  confirmed_at: moment(member.confirmed_at),
  signed_in_at: moment(member.signed_in_at),
  expires_at: moment(member.expires_at),
  managed_by: member.managed_by,
  created_at: Micros.format(member.created_at),
  updated_at: Micros.format(member.updated_at)
})

/** The endpoints, by their names in the contract. */
export const makeMemberEndpoints = Effect.gen(function* () {
  const members = yield* Members
  const management = yield* MemberManagement
  const invitations = yield* MemberInvitations

  const listMembers: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const page = yield* readQuery(query, (parameters) => ({
      before: parameters.cursor(),
      limit: parameters.limit()
    }))
    return jsonAnswer(collectionPage(yield* members.list(identity.workspaceId), page, memberView))
  }, asApiError)

  const createMember: Endpoint = Effect.fnUntraced(function* (request) {
    const input = yield* decodeBody(request, decodeInput)
    const by = manager(request)
    const member = yield* management.create(by, request.identity.workspaceId, input)
    // The member is there, whatever becomes of the mail; it can be sent again.
    yield* invitations
      .welcome(by, member)
      .pipe(
        Effect.catch((error) => Effect.logWarning(`No invitation was sent to ${member.id}: ${error.message}`))
      )
    return createdAnswer(memberView(member))
  }, asApiError)

  const getMember: Endpoint = Effect.fnUntraced(function* ({ id, identity }) {
    return jsonAnswer({ data: memberView(yield* management.find(identity.workspaceId, id)) })
  }, asApiError)

  const updateMember: Endpoint = Effect.fnUntraced(function* (request) {
    const patch = yield* decodeBody(request, decodePatch)
    const { workspaceId } = request.identity
    return jsonAnswer({
      data: memberView(yield* management.change(manager(request), workspaceId, request.id, patch))
    })
  }, asApiError)

  const deleteMember: Endpoint = Effect.fnUntraced(function* (request) {
    const member = yield* management.remove(manager(request), request.identity.workspaceId, request.id)
    return jsonAnswer({ data: memberView(member) })
  }, asApiError)

  const inviteMember: Endpoint = Effect.fnUntraced(function* (request) {
    const member = yield* invitations.again(manager(request), request.identity.workspaceId, request.id)
    return jsonAnswer({ data: memberView(member) }, 202)
  }, asApiError)

  return { listMembers, createMember, getMember, updateMember, deleteMember, inviteMember }
})
