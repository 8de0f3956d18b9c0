import { COMMAND_LINE, MemberManagement } from "@cairn/core/management"
import { type ApiKey, ApiKeys, type Member, Members } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeTenant, send, testServer } from "./TestServer.ts"

const stored = (workspace_id: string, index: number) => ({
  workspace_id,
  created_at: index,
  updated_at: index
})

const keyOf = (workspaceId: string, index: number, fields: Partial<ApiKey> = {}): ApiKey => ({
  ...stored(workspaceId, index),
  id: `key_${workspaceId}_${index}`,
  public_id: `${workspaceId}${index}`,
  name: null,
  scopes: ["read"],
  hash: "",
  last_used_at: null,
  expires_at: null,
  revoked_at: null,
  created_by: null,
  ...fields
})

const memberOf = (workspaceId: string, index: number): Member => ({
  ...stored(workspaceId, index),
  id: `mem_${workspaceId}_${index}`,
  email: `${index}@example.com`,
  name: null,
  role: "member",
  confirmed_at: null,
  signed_in_at: null,
  sessions_from: null,
  managed_by: null,
  expires_at: null
})

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

/** Five at once: those that find room, and the message for the others. */
const race = Effect.fnUntraced(function* (
  request: Parameters<typeof send>[0],
  bodies: ReadonlyArray<unknown>
) {
  const answers = yield* Effect.forEach(bodies, (body) => send({ ...request, body }), { concurrency: 5 })
  return {
    statuses: answers.map(({ status }) => status).toSorted(),
    messages: new Set(answers.flatMap(({ status, text }) => (status === 409 ? [text] : [])))
  }
})

const conflict = (message: string) => new Set([JSON.stringify({ error: "conflict", message })])

describe("the caps of a workspace", () => {
  it.live("are 200 members, whoever asks at once; what is beyond stays, and leaving makes room", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const members = yield* Members
      for (const index of range(0, 199)) yield* members.create(memberOf(workspace.id, index))
      const request = { path: "/api/v1/members", key }
      const bodies = range(0, 5).map((index) => ({ email: `new${index}@example.com` }))
      const { statuses, messages } = yield* race(request, bodies)
      assert.deepStrictEqual(statuses, [201, 409, 409, 409, 409])
      assert.deepStrictEqual(
        messages,
        conflict("a workspace has at most 200 members; remove one to make room")
      )
      yield* members.create(memberOf(workspace.id, 200))
      assert.lengthOf(yield* members.list(workspace.id), 201)
      for (const [index, status] of [
        [0, 409],
        [1, 201]
      ] as const) {
        const path = `/api/v1/members/${memberOf(workspace.id, index).id}`
        assert.strictEqual((yield* send({ method: "DELETE", path, key })).status, 200)
        const body = { email: `late${index}@example.com` }
        assert.strictEqual((yield* send({ ...request, body })).status, status)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("keep no operator from making an owner, whom nobody else could make", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const members = yield* Members
      for (const index of range(0, 200)) yield* members.create(memberOf(workspace.id, index))
      const { create } = yield* MemberManagement
      const add = (role: "owner" | "admin") =>
        create(COMMAND_LINE, workspace.id, { email: `${role}@example.com`, role })
      assert.strictEqual((yield* Effect.flip(add("admin")))._tag, "CollectionFull")
      assert.strictEqual((yield* add("owner")).role, "owner")
      const body = { email: "other@example.com", role: "owner" }
      assert.strictEqual((yield* send({ path: "/api/v1/members", key, body })).status, 409)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are 100 API keys, not counting those that are revoked or expired", () =>
    Effect.gen(function* () {
      // It has a key already: the one that asks.
      const { key, workspace } = yield* makeTenant()
      const keys = yield* ApiKeys
      for (const index of range(0, 98)) yield* keys.create(keyOf(workspace.id, index))
      yield* keys.create(keyOf(workspace.id, 98, { revoked_at: 1 }))
      yield* keys.create(keyOf(workspace.id, 99, { expires_at: 1 }))
      const request = { path: "/api/v1/api-keys", key }
      const { statuses, messages } = yield* race(request, [{}, {}, {}])
      assert.deepStrictEqual(statuses, [201, 409, 409])
      assert.deepStrictEqual(
        messages,
        conflict("a workspace has at most 100 API keys; revoke one to make room")
      )
      const path = `/api/v1/api-keys/${keyOf(workspace.id, 0).id}`
      assert.strictEqual((yield* send({ method: "DELETE", path, key })).status, 200)
      assert.strictEqual((yield* send({ ...request, body: {} })).status, 201)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are 10 viewer keys, which no leaked key waits for", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const request = { path: "/api/v1/workspace/viewer-key/rotate", key }
      const { statuses } = yield* race(
        request,
        range(0, 12).map(() => ({}))
      )
      assert.deepStrictEqual(statuses, [...range(0, 10).map(() => 200), 409, 409])
      const revoking = yield* send({ ...request, body: { revoke: true } })
      assert.strictEqual(revoking.status, 200)
      assert.strictEqual((yield* send({ ...request, body: {} })).status, 200)
    }).pipe(Effect.provide(testServer()))
  )
})
