import { MemberManagement } from "@cairn/core/management"
import { Members } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import { memberIdentity } from "../../src/http/gate/Identity.ts"
import { makeMember, signedIn } from "./SignedIn.ts"
import { makeTenant, send, sequence, testServer } from "./TestServer.ts"

const MEMBERS = "/api/v1/members"

const actions = (key: string) =>
  Effect.gen(function* () {
    yield* sequence
    const listed = yield* send({ path: "/api/v1/events?action=cairn.member.*&limit=100", key })
    return listed.json<{ data: ReadonlyArray<{ action: string }> }>().data.map(({ action }) => action)
  })

describe("The last owner of a workspace", () => {
  it.live("is neither removed nor lowered, by whom it may be", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const owner = yield* signedIn(workspace.id, "owner")
      const path = `${MEMBERS}/${owner.member.id}`
      for (const caller of [{ key }, { headers: owner.headers }]) {
        for (const request of [
          { method: "DELETE", path },
          { method: "PATCH", path, body: { role: "admin" } }
        ]) {
          const response = yield* send({ ...request, ...caller })
          assert.strictEqual(response.status, 409, response.text)
          assert.match(String(response.json().message), /last owner/)
        }
      }
      assert.deepStrictEqual(yield* actions(key), [])
      assert.strictEqual((yield* send({ method: "PATCH", path, key, body: { name: "Ada" } })).status, 200)
      // An owner who never signed in could not take over.
      yield* makeMember(workspace.id, "owner", { signed_in_at: null })
      assert.strictEqual((yield* send({ method: "DELETE", path, key })).status, 409)
      yield* makeMember(workspace.id, "owner")
      assert.strictEqual((yield* send({ method: "DELETE", path, key })).status, 200)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("stays when all of them are removed at once, and the log says who was not", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const owners = yield* Effect.forEach(Array.from({ length: 5 }), () => makeMember(workspace.id, "owner"))
      const answers = yield* Effect.forEach(
        owners,
        ({ id }, index) =>
          send(
            index % 2 === 0
              ? { method: "DELETE", path: `${MEMBERS}/${id}`, key }
              : { method: "PATCH", path: `${MEMBERS}/${id}`, key, body: { role: "member" } }
          ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 409).length, 1)
      const left = yield* (yield* Members).list(workspace.id)
      assert.strictEqual(left.filter(({ role }) => role === "owner").length, 1)
      const told = yield* actions(key)
      const refused = told.filter((action) => action.endsWith("_refused")).length
      assert.strictEqual(told.length - 2 * refused, 4)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("An admin", () => {
  it.live("has nothing to do with owners: makes, changes, invites, signs out and removes none", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const { headers } = yield* signedIn(workspace.id, "admin")
      const owner = yield* signedIn(workspace.id, "owner")
      yield* makeMember(workspace.id, "owner")
      // So that it is listed.
      assert.strictEqual((yield* send({ path: "/api/v1/usage", headers: owner.headers })).status, 200)
      const path = `${MEMBERS}/${owner.member.id}`
      const colleague = yield* makeMember(workspace.id, "member")
      for (const request of [
        { method: "POST", path: MEMBERS, body: { email: "eve@example.com", role: "owner" } },
        { method: "PATCH", path, body: { name: "Eve" } },
        { method: "PATCH", path, body: { role: "member" } },
        { method: "PATCH", path: `${MEMBERS}/${colleague.id}`, body: { role: "owner" } },
        { method: "POST", path: `${path}/invite` },
        { method: "DELETE", path: `${path}/sessions` },
        { method: "DELETE", path: `/api/v1/sessions/${owner.session.id}` },
        { method: "DELETE", path }
      ]) {
        const response = yield* send({ ...request, headers })
        assert.strictEqual(response.status, 403, `${request.method} ${request.path}: ${response.text}`)
        assert.match(String(response.json().message), /^Only an owner/)
      }
      assert.deepStrictEqual(yield* actions(key), [])
      const raised = yield* send({
        method: "PATCH",
        path: `${MEMBERS}/${colleague.id}`,
        headers,
        body: { role: "admin" }
      })
      assert.strictEqual(raised.status, 200)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A change of members", () => {
  /** Owners as a gate has admitted them, and who is lowered since. */
  const admitted = Effect.gen(function* () {
    const { workspace } = yield* makeTenant()
    const { modify } = yield* Members
    yield* makeMember(workspace.id, "owner")
    const colleague = yield* makeMember(workspace.id, "member")
    const by = Effect.map(makeMember(workspace.id, "owner"), (member) => ({
      ...memberIdentity(member),
      address: null
    }))
    const lower = (id: string) =>
      modify(workspace.id, id, (member) => Result.succeed({ ...member, role: "developer" as const }))
    return { workspace, colleague, by, lower }
  })

  const refusal = <A, E extends { readonly _tag: string }, R>(change: Effect.Effect<A, E, R>) =>
    Effect.map(Effect.flip(change), ({ _tag }) => _tag)

  it.live(
    "is refused to who may make none any more when it is made, whatever the request was let in as",
    () =>
      Effect.gen(function* () {
        const { workspace, colleague, by, lower } = yield* admitted
        const management = yield* MemberManagement
        const members = yield* Members
        const lowered = yield* by
        const removed = yield* by
        yield* lower(lowered.id)
        yield* members.remove(workspace.id, removed.id)
        const before = yield* members.list(workspace.id)
        for (const manager of [lowered, removed]) {
          const input = { email: "eve@example.com", role: "owner" as const }
          const refusals = [
            yield* refusal(management.create(manager, workspace.id, input)),
            yield* refusal(management.change(manager, workspace.id, lowered.id, { role: "owner" })),
            yield* refusal(management.change(manager, workspace.id, colleague.id, { role: "owner" })),
            yield* refusal(management.remove(manager, workspace.id, colleague.id)),
            yield* refusal(management.endSessions(manager, workspace.id, colleague.id))
          ]
          assert.deepStrictEqual([...new Set(refusals)], ["NotAllowed"])
        }
        assert.deepStrictEqual(yield* members.list(workspace.id), before)
      }).pipe(Effect.provide(testServer()))
  )

  it.live("takes one of two owners who lower each other at once", () =>
    Effect.gen(function* () {
      const { workspace, by } = yield* admitted
      const { change } = yield* MemberManagement
      const [one, two] = [yield* by, yield* by]
      const outcomes = yield* Effect.all(
        [
          Effect.exit(change(one, workspace.id, two.id, { role: "member" })),
          Effect.exit(change(two, workspace.id, one.id, { role: "member" }))
        ],
        { concurrency: "unbounded" }
      )
      assert.lengthOf(outcomes.filter(Exit.isSuccess), 1)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A key that a person makes", () => {
  it.live("may do no more than the person, and is recorded as made by the person", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const create = (headers: Record<string, string>, scopes?: ReadonlyArray<string>) =>
        send({ path: "/api/v1/api-keys", headers, body: scopes === undefined ? {} : { scopes } })
      for (const role of ["admin", "developer"] as const) {
        const { headers, member } = yield* signedIn(workspace.id, role, { name: "Grace" })
        const refused = yield* create(headers, ["read", "admin"])
        assert.strictEqual(refused.status, 403, refused.text)
        assert.match(
          String(refused.json().message),
          /^scopes: a key with admin may do what your role may not/
        )
        const made = yield* create(headers)
        assert.strictEqual(made.status, 201)
        const { id } = made.json<{ data: { id: string } }>().data
        yield* sequence
        const told = yield* send({ path: "/api/v1/events?action=cairn.api_key.created&limit=1", key })
        const [event] = told.json<{ data: ReadonlyArray<{ actor: object; resource: object }> }>().data
        assert.deepStrictEqual(event?.actor, { id: member.id, name: "Grace", type: "member" })
        assert.deepInclude(event?.resource, { id })
      }
      const owner = yield* signedIn(workspace.id, "owner")
      assert.strictEqual((yield* create(owner.headers, ["admin"])).status, 201)
    }).pipe(Effect.provide(testServer()))
  )
})
