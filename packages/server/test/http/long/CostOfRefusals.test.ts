/** What people and programs who may not send events can take from those that do: nothing. */
import { Api, permissionFor } from "@cairn/api"
import { Micros } from "@cairn/core/encoding"
import { DEFAULT_SCOPES, MemberRole, roleAllows, type Scope, scopesAllow } from "@cairn/core/workspace"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { browserWith, signedIn, signIn } from "../SignedIn.ts"
import { standing } from "../StandingClock.ts"
import { EVENT, makeKey, makeTenant, type Sent, send, sequence, testServer } from "../TestServer.ts"

const EVENTS = "/api/v1/events"

/** Every endpoint that needs a permission. */
const ENDPOINTS = Object.values(Api.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .flatMap(({ identifier, method, path }) => {
    const permission = permissionFor(identifier)
    return permission === null ? [] : [{ method, path: path.replace(/:\w+/g, "x"), permission }]
  })

type Caller = Pick<Sent, "key" | "headers">

/** A workspace of the smallest plan, and how much of the minute and of the month its program has left. */
const small = Effect.gen(function* () {
  const { workspace, key: admin } = yield* makeTenant({ plan: "free" })
  const { key } = yield* makeKey(workspace.id, ["ingest"])
  const left = Effect.gen(function* () {
    const { status, headers } = yield* send({ path: EVENTS, key, body: EVENT })
    assert.strictEqual(status, 202)
    const usage = yield* send({ path: "/api/v1/usage", key: admin })
    const { used } = usage.json<{ data: { events: { used: number } } }>().data.events
    return { requests: Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1]), used }
  })
  return { workspace, admin, left }
})

/** A server on a clock that stands, so that nothing refills. */
const withClock = <A, E, R>(test: (time: ReturnType<typeof manualClock>) => Effect.Effect<A, E, R>) => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
  return test(time).pipe(
    Effect.provide(testServer()),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

/** Sends a thousand requests to these endpoints in turn, which refuse all of them. */
const bother = Effect.fnUntraced(function* (caller: Caller, endpoints: typeof ENDPOINTS) {
  const statuses = yield* Effect.forEach(
    Array.from({ length: 1_000 }, (_, index) => endpoints[index % endpoints.length]),
    (endpoint) =>
      Effect.map(
        send({ method: endpoint?.method ?? "GET", path: endpoint?.path ?? "/", ...caller }),
        (one) => one.status
      ),
    { concurrency: 16 }
  )
  assert.sameMembers([...new Set(statuses)], [403, 429])
})

describe("Ingestion and its quota", () => {
  it.live("are left as they were by a thousand requests that a role may not make", () =>
    withClock(() =>
      Effect.gen(function* () {
        for (const role of MemberRole.literals) {
          const refused = ENDPOINTS.filter(({ permission }) => !roleAllows(role, permission))
          if (refused.length === 0) continue
          const { workspace, left } = yield* small
          const { headers } = yield* signedIn(workspace.id, role)
          const before = yield* left
          yield* bother({ headers }, refused)
          const after = yield* left
          assert.deepStrictEqual([before.requests - after.requests, after.used - before.used], [2, 1], role)
        }
      })
    )
  )

  it.live("are left as they were by a thousand requests for which a key lacks the scope", () =>
    withClock(() =>
      Effect.gen(function* () {
        const scopes: ReadonlyArray<Scope> = [...DEFAULT_SCOPES, "admin"]
        for (const scope of scopes) {
          const { workspace, left } = yield* small
          const { key } = yield* makeKey(workspace.id, [scope])
          const before = yield* left
          yield* bother(
            { key },
            ENDPOINTS.filter(({ permission }) => !scopesAllow([scope], permission))
          )
          const after = yield* left
          assert.deepStrictEqual([before.requests - after.requests, after.used - before.used], [2, 1], scope)
        }
      })
    )
  )

  it.live("are left as they were by what people read who change nothing", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { workspace, left } = yield* small
        const { headers } = yield* signedIn(workspace.id, "member")
        const before = yield* left
        const body = { ids: ["0190d5e0-0000-7000-8000-000000000000"] }
        for (let count = 0; count < 100; count++)
          assert.notInclude([403, 429], (yield* send({ path: `${EVENTS}/proofs`, headers, body })).status)
        const after = yield* left
        assert.deepStrictEqual([before.requests - after.requests, after.used - before.used], [2, 1])
      })
    )
  )

  it.live("are left as they were by any number of sign-ins and exports, and sign-ins have a limit", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { workspace, admin, left } = yield* small
        const before = yield* left
        for (const role of ["member", "auditor"] as const) {
          const { member } = yield* signedIn(workspace.id, role, { confirmed_at: null })
          const again = Effect.gen(function* () {
            const { secret } = yield* signIn(member)
            const { status } = yield* send({ path: EVENTS, headers: browserWith(secret, workspace.id) })
            return status
          })
          const statuses: Array<number> = []
          for (let count = 0; count < 30; count++) statuses.push(yield* again)
          assert.deepStrictEqual(statuses, [
            ...Array.from({ length: 10 }, () => 200),
            ...Array.from({ length: 20 }, () => 429)
          ])
          time.advance(Micros.MINUTE)
          assert.strictEqual(yield* again, 200)
        }
        const { headers } = yield* signedIn(workspace.id, "auditor")
        for (let count = 0; count < 3; count++)
          assert.strictEqual((yield* send({ path: "/api/v1/exports", headers, body: {} })).status, 202)
        yield* sequence
        const told = yield* send({ path: `${EVENTS}?action=cairn.session.started&limit=100`, key: admin })
        assert.strictEqual(told.json<{ pagination: { total: number } }>().pagination.total, 23)
        assert.strictEqual((yield* left).used - before.used, 1)
      })
    )
  )
})
