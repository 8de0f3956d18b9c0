/** What somebody makes that gives access: it may do no more than its maker, and ends no later. */
import { Micros } from "@cairn/core/encoding"
import { DEFAULT_SCOPES, type Scope, VIEWER_TTL } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeMember, signedIn } from "./SignedIn.ts"
import { makeKey, makeTenant, type Sent, send, testServer } from "./TestServer.ts"

const KEYS = "/api/v1/api-keys"
const MEMBERS = "/api/v1/members"
const ALL: ReadonlyArray<Scope> = [...DEFAULT_SCOPES, "admin"]

type Caller = Pick<Sent, "key" | "headers">

/** Those whose access ends, in ninety seconds. */
const ending = Effect.gen(function* () {
  const { workspace, key: full } = yield* makeTenant()
  const end = (yield* Micros.now) + 90 * Micros.SECOND
  const { headers } = yield* signedIn(workspace.id, "developer", { expires_at: end })
  const { key } = yield* makeKey(workspace.id, ALL, { expires_at: end })
  const callers: ReadonlyArray<readonly [string, Caller]> = [
    ["a member", { headers }],
    ["a key", { key }]
  ]
  return { workspace, end, callers, key, full }
})

type Data = { readonly data: { readonly id: string; readonly expires_at: string | null } }

describe("What is made by somebody whose access ends", () => {
  it.live("ends by then: keys", () =>
    Effect.gen(function* () {
      const { end, callers } = yield* ending
      for (const [name, caller] of callers) {
        const create = (body: object) => send({ path: KEYS, ...caller, body })
        const made = yield* create({})
        assert.strictEqual(made.status, 201, `${name}: ${made.text}`)
        assert.strictEqual(made.json<Data>().data.expires_at, Micros.format(end), name)
        const later = yield* create({ expires_at: Micros.format(end + 1) })
        assert.strictEqual(later.status, 422, `${name}: ${later.text}`)
        const sooner = Micros.format(end - 1)
        assert.strictEqual((yield* create({ expires_at: sooner })).json<Data>().data.expires_at, sooner, name)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("ends by then: viewer tokens", () =>
    Effect.gen(function* () {
      const { end, callers } = yield* ending
      for (const [name, caller] of callers) {
        for (const path of ["/api/v1/viewer-token", "/api/v1/viewer-tokens"]) {
          const made = yield* send({ path, ...caller, body: { ttl: VIEWER_TTL.maximum } })
          assert.strictEqual(made.status, 200, `${name}: ${made.text}`)
          assert.isAtMost(made.json<{ expires_at: number }>().expires_at * Micros.SECOND, end, name)
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live(
    "ends by then: memberships, higher roles and later ends, of which owners and admins have none",
    () =>
      Effect.gen(function* () {
        const { workspace, end, key, full } = yield* ending
        const invite = (body: object) => send({ path: MEMBERS, key, body })
        const made = yield* invite({ email: "one@example.com", role: "auditor" })
        assert.strictEqual(made.status, 201, made.text)
        assert.strictEqual(made.json<Data>().data.expires_at, Micros.format(end))
        const late = Micros.format(end + 1)
        const refused = yield* invite({ email: "two@example.com", role: "auditor", expires_at: late })
        assert.strictEqual(refused.status, 422, refused.text)
        for (const role of ["owner", "admin"]) {
          const answer = yield* invite({ email: "three@example.com", role })
          assert.strictEqual(answer.status, 403, answer.text)
          assert.match(answer.text, /^.*Your own access ends at/)
        }
        const change = (id: string, body: object, as: Caller = { key }) =>
          send({ method: "PATCH", path: `${MEMBERS}/${id}`, ...as, body })
        const endless = yield* makeMember(workspace.id, "member")
        const { id } = made.json<Data>().data
        for (const [member, body] of [
          [endless.id, { role: "developer" }],
          [endless.id, { role: "owner" }],
          [id, { role: "admin" }],
          [id, { expires_at: late }]
        ] as const)
          assert.strictEqual((yield* change(member, body)).status, 403, JSON.stringify(body))
        // What takes access away, or gives it for no longer, is as for anybody.
        const owner = yield* makeMember(workspace.id, "owner")
        yield* makeMember(workspace.id, "owner")
        for (const [member, body] of [
          [owner.id, { role: "member" }],
          [endless.id, { name: "Ada" }],
          [id, { role: "developer" }],
          [id, { expires_at: Micros.format(end - 1) }]
        ] as const)
          assert.strictEqual((yield* change(member, body)).status, 200, JSON.stringify(body))
        assert.strictEqual((yield* change(endless.id, { role: "owner" }, { key: full })).status, 200)
      }).pipe(Effect.provide(testServer()))
  )
})

describe("A key that a key makes", () => {
  it.live("has no scope that its maker lacks", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      for (const own of [["admin"], ["admin", "read"], ["admin", "ingest", "viewer"], ALL] as const) {
        const { key } = yield* makeKey(workspace.id, own)
        const create = (scopes?: ReadonlyArray<Scope>) =>
          send({ path: KEYS, key, body: scopes === undefined ? {} : { scopes } })
        for (const scope of ALL) {
          const made = yield* create([scope])
          const isOwn = (own as ReadonlyArray<Scope>).includes(scope)
          assert.strictEqual(made.status, isOwn ? 201 : 403, `${own} gives ${scope}: ${made.text}`)
        }
        const withDefault = yield* create()
        assert.strictEqual(withDefault.status, own === ALL ? 201 : 403, withDefault.text)
        if (own !== ALL) assert.match(withDefault.text, /may do what your key may not; yours may give admin/)
      }
    }).pipe(Effect.provide(testServer()))
  )
})
