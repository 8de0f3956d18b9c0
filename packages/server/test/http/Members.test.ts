import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeKey, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const MEMBERS = "/api/v1/members"

interface Member {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly role: string
  readonly updated_at: string
}
interface Told {
  readonly action: string
  readonly metadata: Record<string, unknown>
}

const told = (key: string) =>
  Effect.gen(function* () {
    yield* sequence
    const listed = yield* send({ path: "/api/v1/events?action=cairn.*&limit=100", key })
    return listed.json<{ data: Array<Told> }>().data.toReversed()
  })

const create = (key: string, body: unknown) => send({ path: MEMBERS, key, body })
const patch = (key: string, id: string, body: unknown) =>
  send({ path: `${MEMBERS}/${id}`, method: "PATCH", key, body })

describe("/api/v1/members", () => {
  it.live("adds, shows, changes and removes a member, and tells the log each time", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const answer = yield* create(key, { email: "ada@example.com", name: "Ada" })
      assert.strictEqual(answer.status, 201)
      const { data: member } = answer.json<{ data: Member }>()
      assert.match(member.id, /^mem_/)
      assert.deepInclude(member, { email: "ada@example.com", name: "Ada", role: "member" })
      const path = `${MEMBERS}/${member.id}`
      assert.deepStrictEqual((yield* send({ path, key })).json(), { data: member })
      const changed = (yield* patch(key, member.id, { role: "admin", name: null })).json<{ data: Member }>()
        .data
      assert.deepStrictEqual(changed, {
        ...member,
        role: "admin",
        name: null,
        updated_at: changed.updated_at
      })
      yield* patch(key, member.id, { role: "admin" })
      assert.deepStrictEqual((yield* send({ path, method: "DELETE", key })).json(), { data: changed })
      assert.strictEqual((yield* send({ path, key })).status, 404)
      assert.deepStrictEqual(
        (yield* told(key)).map(({ action, metadata }) => [action, metadata]),
        [
          ["cairn.member.created", { email: "ada@example.com", name: "Ada", role: "member" }],
          [
            "cairn.member.updated",
            { changed: { name: { from: "Ada", to: null }, role: { from: "member", to: "admin" } } }
          ],
          ["cairn.member.deleted", { email: "ada@example.com", name: null, role: "admin" }]
        ]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("knows an address once, in whatever case", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const other = yield* makeTenant()
      assert.strictEqual((yield* create(key, { email: "ada@example.com" })).status, 201)
      const again = yield* create(key, { email: "ADA@Example.com" })
      assert.strictEqual(again.status, 409)
      assert.strictEqual(again.json().error, "conflict")
      assert.strictEqual((yield* create(other.key, { email: "ada@example.com" })).status, 201)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses what is wrong with 422 and its path", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{}, "email"],
        [{ email: "ada" }, "email"],
        [{ email: "ada@example.com, bob@example.com" }, "email"],
        [{ email: "ada@example.com\r\nBcc: bob@example.com" }, "email"],
        [{ email: "<ada@example.com>" }, "email"],
        [{ email: `${"x".repeat(251)}@a.b` }, "email"],
        [{ email: "ada@example.com", role: "boss" }, "role"],
        [{ email: "ada@example.com", name: "x".repeat(1025) }, "name"]
      ]
      for (const [body, path] of cases) {
        const answer = yield* create(key, body)
        assert.strictEqual(answer.status, 422, JSON.stringify(body))
        assert.match(String(answer.json().message), new RegExp(`^${path}:? `), JSON.stringify(body))
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are for keys with the scope admin, and each workspace sees its own", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const other = yield* makeTenant()
      const { id } = (yield* create(key, { email: "ada@example.com" })).json<{ data: Member }>().data
      const reader = yield* makeKey(workspace.id, ["read"])
      assert.strictEqual((yield* send({ path: MEMBERS, key: reader.key })).status, 403)
      assert.strictEqual((yield* send({ path: `${MEMBERS}/${id}`, key: other.key })).status, 404)
      assert.strictEqual((yield* patch(other.key, id, { role: "owner" })).status, 404)
      const listed = yield* send({ path: MEMBERS, key: other.key })
      assert.deepStrictEqual(listed.json<{ data: unknown }>().data, [])
    }).pipe(Effect.provide(testServer()))
  )
})
