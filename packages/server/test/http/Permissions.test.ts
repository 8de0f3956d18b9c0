import { Access, Api, permissionFor } from "@cairn/api"
import {
  DEFAULT_SCOPES,
  MemberRole,
  PERMISSIONS,
  permissionsOf,
  rolesWith,
  type Scope,
  scopesWithin
} from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { signedIn } from "./SignedIn.ts"
import { makeKey, makeTenant, send, testServer } from "./TestServer.ts"

const PREFIX = "/api/v1/"

/** Every endpoint of the contract under `/api/v1`. */
const ENDPOINTS = Object.values(Api.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .filter(({ path }) => path.startsWith(PREFIX))
  .map(({ identifier, method, path, annotations }) => ({
    name: identifier,
    method,
    path: path.replace(/:\w+/g, "x"),
    permission: permissionFor(identifier),
    access: Context.get(annotations, Access)
  }))

const ROLES = MemberRole.literals
const SCOPES: ReadonlyArray<Scope> = [...DEFAULT_SCOPES, "admin"]

/** Whether an answer says that the caller may not; another error means that the gate let it through. */
const isRefused = (response: { readonly status: number; readonly json: () => Record<string, unknown> }) =>
  response.status === 401 || (response.status === 403 && response.json().error === "insufficient_scope")

describe("Every endpoint", () => {
  it.live("lets through the roles that the table names, and no other", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      assert.isAtLeast(ENDPOINTS.length, 70)
      for (const role of ROLES) {
        const { headers } = yield* signedIn(workspace.id, role)
        for (const { name, method, path, permission, access } of ENDPOINTS) {
          if (name === "endMySessions") continue
          const response = yield* send({ method, path, headers })
          const allowed =
            access === "session" || (permission !== null && rolesWith(permission).includes(role))
          assert.strictEqual(!isRefused(response), allowed, `${role} ${method} ${path}: ${response.text}`)
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("lets through keys with the scope that the table names, and with no other", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      for (const scope of SCOPES) {
        const { key } = yield* makeKey(workspace.id, [scope])
        for (const { method, path, permission } of ENDPOINTS) {
          const response = yield* send({ method, path, key })
          const allowed = permission !== null && PERMISSIONS[permission].scope === scope
          assert.strictEqual(!isRefused(response), allowed, `${scope} ${method} ${path}: ${response.text}`)
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("lets through viewer tokens where it says so, and nobody without anything", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const made = yield* send({ path: `${PREFIX}viewer-token`, key, body: { export: true } })
      const { token } = made.json<{ token: string }>()
      for (const { method, path, access } of ENDPOINTS) {
        const response = yield* send({ method, path, key: token })
        assert.strictEqual(!isRefused(response), access === "key_or_viewer", `${method} ${path}`)
        assert.strictEqual((yield* send({ method, path })).status, 401, `${method} ${path}`)
      }
    }).pipe(Effect.provide(testServer()))
  )
})

describe("The permission model", () => {
  it("gives each role what the ones below it have, but for what auditors alone may besides", () => {
    const [owner, admin, developer, auditor, member] = ROLES.map(permissionsOf)
    assert.sameMembers(owner as Array<string>, Object.keys(PERMISSIONS))
    assert.deepStrictEqual(
      owner?.filter((one) => !admin?.includes(one)),
      ["owners:write"]
    )
    for (const [more, less] of [
      [admin, developer],
      [developer, auditor],
      [auditor, member]
    ])
      assert.includeMembers([...(more ?? [])], [...(less ?? [])])
  })

  it("lets auditors and members change nothing", () => {
    for (const role of ["auditor", "member"] as const) {
      const changes = permissionsOf(role).filter((one) => !/:(?:read|verify)$/.test(one))
      assert.deepStrictEqual(changes, role === "auditor" ? ["exports:create"] : [])
    }
  })

  it("lets nobody make a key that may do more than its maker", () => {
    for (const role of ROLES) {
      const mine = permissionsOf(role)
      for (const scope of scopesWithin(role, SCOPES)) {
        for (const [name, line] of Object.entries(PERMISSIONS)) {
          if (line.scope === scope) assert.include(mine, name, `${role} ${scope}`)
        }
      }
    }
    assert.deepStrictEqual(scopesWithin("admin", SCOPES), DEFAULT_SCOPES)
    assert.deepStrictEqual(scopesWithin("owner", SCOPES), SCOPES)
  })
})
