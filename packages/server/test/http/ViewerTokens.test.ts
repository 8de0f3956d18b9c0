import { createHmac } from "node:crypto"
import { Access, Api, permissionFor } from "@cairn/api"
import { Micros } from "@cairn/core/encoding"
import { EventLog } from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect } from "effect"
import { VIEWER_REQUESTS_PER_MINUTE } from "../../src/http/gate/Gate.ts"
import { standing } from "./StandingClock.ts"
import { EVENT, makeKey, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const TOKEN = "/api/v1/viewer-token"
const EVENTS = "/api/v1/events"

/** A server on a clock of its own, which starts again with each test. */
const withClock = <A, E, R>(test: (time: ReturnType<typeof manualClock>) => Effect.Effect<A, E, R>) => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
  return test(time).pipe(
    Effect.provide(testServer()),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

const issue = Effect.fnUntraced(function* (key: string, body: unknown = {}) {
  const response = yield* send({ path: TOKEN, key, body })
  assert.strictEqual(response.status, 200, response.text)
  return response.json<{ token: string; expires_at: number }>()
})

/** Accepts and sequences events; gives their ids. */
const accept = Effect.fnUntraced(function* (key: string, events: ReadonlyArray<unknown>) {
  const response = yield* send({ path: `${EVENTS}/batch`, key, body: { events } })
  yield* sequence
  return response.json<{ events: ReadonlyArray<{ id: string }> }>().events.map(({ id }) => id)
})

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
/** The same text but for the last character's lowest bit: unused in a signature of 32 bytes. */
const twinOf = (text: string): string =>
  text.slice(0, -1) + ALPHABET.charAt(ALPHABET.indexOf(text.at(-1) ?? "") ^ 1)

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")
const decode = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? "", "base64url").toString())

describe("POST /api/v1/viewer-token", () => {
  it.live("answers a JWT with the claims that were asked for, and when it ends in Unix seconds", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { workspace, key } = yield* makeTenant()
        const { token, expires_at, ...rest } = yield* issue(key, { tenant_id: "acme", ttl: 60 })
        assert.deepStrictEqual(rest, { tenant_id: "acme", actor_id: null })
        const [header, payload] = token.split(".")
        assert.deepInclude(decode(header), { alg: "HS256" })
        const { jti, ...claims } = decode(payload)
        assert.isString(jti)
        const iat = Date.parse("2026-05-01T12:00:00Z") / 1_000
        assert.deepStrictEqual(claims, {
          iss: "cairn",
          aud: "cairn:viewer",
          sub: workspace.id,
          tenant_id: "acme",
          actor_id: null,
          iat,
          exp: iat + 60
        })
        assert.strictEqual(expires_at, iat + 60)
        assert.strictEqual((yield* issue(key)).expires_at, iat + 3_600)
      })
    )
  )

  it.live("is also at /viewer-tokens, where the token has two names", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        const response = yield* send({ path: `${TOKEN}s`, key, body: { actor_id: "ada" } })
        assert.strictEqual(response.status, 200)
        const answer = response.json()
        assert.deepStrictEqual(Object.keys(answer), [
          "viewer_token",
          "token",
          "expires_at",
          "tenant_id",
          "actor_id"
        ])
        assert.strictEqual(answer.viewer_token, answer.token)
      })
    )
  )

  it.live("refuses a lifetime out of bounds, and a restriction that would restrict nothing", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        for (const [body, field] of [
          [{ ttl: 59 }, "ttl"],
          [{ ttl: 86_401 }, "ttl"],
          [{ ttl: 60.5 }, "ttl"],
          [{ ttl: "60" }, "ttl"],
          [{ tenant_id: null }, "tenant_id"],
          [{ tenant_id: "" }, "tenant_id"],
          [{ actor_id: 7 }, "actor_id"],
          [{ actor_id: "a\u0000" }, "actor_id"]
        ] as const) {
          const response = yield* send({ path: TOKEN, key, body })
          assert.strictEqual(response.status, 422, JSON.stringify(body))
          assert.isTrue(response.json<{ message: string }>().message.startsWith(field))
        }
        yield* issue(key, { ttl: 86_400 })
      })
    )
  )

  it.live("needs the scope viewer", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { workspace } = yield* makeTenant()
        const { key } = yield* makeKey(workspace.id, ["read", "ingest", "export", "admin"])
        assert.strictEqual((yield* send({ path: TOKEN, key, body: {} })).status, 403)
      })
    )
  )
})

describe("A viewer token", () => {
  /** Events of two tenants and two actors, and a token for one of each. */
  const stage = Effect.fnUntraced(function* (scope: Record<string, string>) {
    const { key, workspace } = yield* makeTenant()
    const event = (tenant_id: string | undefined, actor_id: string) => ({
      ...EVENT,
      tenant_id,
      actor_id,
      resource: "document",
      resource_id: "doc_1",
      session_id: "ses_1",
      targets: [{ type: "folder", id: "f_1" }]
    })
    const ids = yield* accept(key, [
      event("acme", "ada"),
      event("acme", "bob"),
      event("other", "ada"),
      event("other", "bob"),
      event(undefined, "ada")
    ])
    const { token } = yield* issue(key, scope)
    return { key, workspace, ids, token }
  })

  /** Whatever might let one out of a scope. */
  const QUERIES = [
    "tenant_id=acme",
    "tenant_id=other",
    "tenant_id=nobody",
    "tenant_id=",
    "tenant_id=*",
    "tenant_id=acme&tenant_id=other",
    "tenant_id=other&tenant_id=acme",
    "%74enant_id=other",
    "tenant_id%5B%5D=other",
    "TENANT_ID=other",
    "tenant_id=%25",
    "tenant_id=acme%00",
    "tenant_id=null",
    "tenantId=other",
    "actor_id=ada",
    "actor_id=bob",
    "actor_id=ada&actor_id=bob",
    "actor_id=bob&actor_id=ada&tenant_id=other&tenant_id=acme&action=*.x&action=document.*",
    `tenant_id=acme&${"tenant_id=other&".repeat(19)}`,
    "category=x&category=y",
    "country=DE",
    "resource_name=x",
    "search=document&search=a",
    "actor_id=",
    "action=*",
    "action=document.*",
    "search=document",
    "search=",
    "search=%25",
    "search=acme",
    "search=%27%20OR%201%3D1%20--",
    "resource=document",
    "resource_id=doc_1",
    "session_id=ses_1",
    "target_type=folder",
    "target_id=f_1",
    "target_type=folder&target_id=f_1&search=document",
    "from=2000-01-01",
    "to=2100-01-01",
    "from=2000-01-01&to=2100-01-01&action=*&search=document",
    "workspace_id=wsp_1",
    "limit=100",
    "buckets=200"
  ]

  const idsOf = (text: string) =>
    (JSON.parse(text) as { data: ReadonlyArray<{ id: string }> }).data.map(({ id }) => id)

  it.live("lists, gets, proves and counts the events of its scope and no others, by any parameter", () =>
    withClock(() =>
      Effect.gen(function* () {
        for (const [scope, visible] of [
          [{ tenant_id: "acme" }, [0, 1]],
          [{ actor_id: "ada" }, [0, 2, 4]],
          [{ tenant_id: "other", actor_id: "bob" }, [3]],
          [{ tenant_id: "nobody" }, []]
        ] as const) {
          const { ids, token } = yield* stage(scope)
          const shown: ReadonlyArray<string> = visible.map((index) => ids[index] ?? "")
          const list = yield* send({ path: EVENTS, key: token })
          assert.strictEqual(list.status, 200, list.text)
          assert.deepStrictEqual(idsOf(list.text), shown.toReversed())
          assert.deepInclude(list.json().pagination as object, { total: shown.length })
          // Its own values are among several that are asked for, and the others are left out.
          const many = "tenant_id=acme&tenant_id=other&tenant_id=nobody&actor_id=bob&actor_id=ada"
          const own = yield* send({ path: `${EVENTS}?${many}`, key: token })
          const tenanted = shown.filter((id) => id !== ids[4])
          assert.deepStrictEqual(idsOf(own.text), tenanted.toReversed())
          for (const query of QUERIES) {
            const found = yield* send({ path: `${EVENTS}?${query}`, key: token })
            const counted = yield* send({ path: `${EVENTS}/histogram?${query}`, key: token })
            if (found.status === 400) {
              // The number of buckets is the histogram's alone.
              if (!query.startsWith("buckets=")) assert.strictEqual(counted.status, 400, query)
              continue
            }
            assert.isTrue(
              idsOf(found.text).every((id) => shown.includes(id)),
              query
            )
            const { pagination, data } = found.json<{
              pagination: { total: number }
              data: ReadonlyArray<unknown>
            }>()
            assert.strictEqual(pagination.total, data.length, query)
            const total = yield* send({ path: `${EVENTS}/count?${query}`, key: token })
            if (total.status === 200) assert.deepStrictEqual(total.json(), { data: { total: data.length } })
            else assert.match(query, /limit|cursor|buckets/)
            // Pages are the list's alone.
            if (counted.status === 400) {
              assert.match(query, /limit|cursor/)
              continue
            }
            const { buckets } = counted.json<{ data: { buckets: ReadonlyArray<{ count: number }> } }>().data
            assert.strictEqual(
              buckets.reduce((sum, { count }) => sum + count, 0),
              data.length,
              query
            )
          }
          for (const id of ids) {
            const status = shown.includes(id) ? 200 : 404
            assert.strictEqual((yield* send({ path: `${EVENTS}/${id}`, key: token })).status, status)
            assert.strictEqual((yield* send({ path: `${EVENTS}/${id}/proof`, key: token })).status, status)
            const other = yield* send({ path: `${EVENTS}/${id.toUpperCase()}`, key: token })
            assert.strictEqual(other.status, status)
            const asked = yield* send({ path: `${EVENTS}/${id}?tenant_id=other`, key: token })
            assert.strictEqual(asked.status, 400)
          }
          for (const spelled of [ids, ids.map((id) => id.toUpperCase()), [...ids, ...ids]]) {
            const proofs = yield* send({ path: `${EVENTS}/proofs`, key: token, body: { ids: spelled } })
            const proven = proofs.json<{ events: ReadonlyArray<{ header: { id: string } }> }>().events
            assert.deepStrictEqual(proven.map(({ header }) => header.id).toSorted(), shown.toSorted())
            for (const id of ids) {
              if (!shown.includes(id)) assert.notInclude(proofs.text.toLowerCase(), id)
            }
          }
        }
      })
    )
  )

  it.live("does not leave its scope by a cursor, whoever was given that", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key, ids, token } = yield* stage({ tenant_id: "acme" })
        const stranger = yield* stage({})
        for (const [owner, limit] of [
          [key, 1],
          [key, 2],
          [stranger.key, 1],
          [stranger.token, 1]
        ] as const) {
          const page = yield* send({ path: `${EVENTS}?limit=${limit}`, key: owner })
          const cursor = page.json<{ pagination: { next_cursor: string } }>().pagination.next_cursor
          const found = yield* send({ path: `${EVENTS}?cursor=${cursor}`, key: token })
          assert.deepStrictEqual(idsOf(found.text), [ids[1], ids[0]])
          assert.deepInclude(found.json().pagination as object, { total: 2 })
        }
        const walked: Array<string> = []
        for (let cursor = ""; ; ) {
          const page = yield* send({ path: `${EVENTS}?limit=1${cursor}`, key: token })
          walked.push(...idsOf(page.text))
          const { next_cursor } = page.json<{ pagination: { next_cursor: string | null } }>().pagination
          if (next_cursor === null) break
          cursor = `&cursor=${next_cursor}`
        }
        assert.deepStrictEqual(walked, [ids[1], ids[0]])
      })
    )
  )

  it.live("proves no event whose content was removed, for nobody can tell whose that was", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key, workspace, ids, token } = yield* stage({ tenant_id: "acme" })
        const [id = ""] = ids
        const log = yield* EventLog
        const [stored] = yield* log.entries(workspace.id, 1, 1)
        const { content = null, contentHash = null } = stored ?? {}
        if (content === null || contentHash === null) return assert.fail("there is no event")
        assert.strictEqual(stored?.id, id)
        const { remove } = yield* ContentRemoval
        yield* remove(workspace.id, [{ sequence: 1, id, content, contentHash }], null)
        // Whoever has a key of the workspace may see that there was one.
        const shown = yield* send({ path: `${EVENTS}/${id}/proof`, key })
        assert.isNull(shown.json().content)
        for (const path of [`${EVENTS}/${id}`, `${EVENTS}/${id}/proof`]) {
          assert.strictEqual((yield* send({ path, key: token })).status, 404, path)
        }
        const proofs = yield* send({ path: `${EVENTS}/proofs`, key: token, body: { ids } })
        assert.notInclude(proofs.text, id)
        const unrestricted = (yield* issue(key)).token
        assert.strictEqual((yield* send({ path: `${EVENTS}/${id}/proof`, key: unrestricted })).status, 404)
      })
    )
  )

  it.live("is nothing in another workspace, for any id or proof of its", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { token } = yield* stage({})
        const { ids } = yield* stage({})
        for (const id of ids) {
          for (const path of [`${EVENTS}/${id}`, `${EVENTS}/${id}/proof`]) {
            assert.strictEqual((yield* send({ path, key: token })).status, 404, path)
          }
        }
        const proofs = yield* send({ path: `${EVENTS}/proofs`, key: token, body: { ids } })
        assert.deepStrictEqual(proofs.json<{ events: ReadonlyArray<unknown> }>().events, [])
      })
    )
  )

  it.live("is 404 for an event outside its scope that still waits for its place", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        const { token } = yield* issue(key, { tenant_id: "acme" })
        const outcome = yield* send({ path: EVENTS, key, body: { ...EVENT, tenant_id: "other" } })
        const { id } = outcome.json<{ id: string }>()
        assert.strictEqual((yield* send({ path: `${EVENTS}/${id}`, key })).status, 200)
        assert.strictEqual((yield* send({ path: `${EVENTS}/${id}`, key: token })).status, 404)
      })
    )
  )

  it.live("is 403 at every other endpoint of the contract, whatever it could do there", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { token } = yield* stage({})
        const open: Array<string> = []
        for (const { endpoints } of Object.values(Api.groups)) {
          for (const { identifier, method, path, annotations } of Object.values(endpoints)) {
            if (permissionFor(identifier) === null) continue
            if (Context.get(annotations, Access) === "key_or_viewer") {
              open.push(identifier)
              continue
            }
            const body = method === "GET" || method === "DELETE" ? {} : { body: EVENT }
            const request = { path: path.replace(/:\w+/g, "x"), method, key: token, ...body }
            const response = yield* send(request)
            assert.strictEqual(response.status, 403, `${method} ${path}`)
            assert.strictEqual(response.json().error, "insufficient_scope")
          }
        }
        assert.deepStrictEqual(open.toSorted(), [
          "countEvents",
          "eventFacets",
          "eventHistogram",
          "eventProof",
          "eventProofs",
          "exportEvents",
          "getEvent",
          "getViewerSettings",
          "listEvents",
          "liveEvents"
        ])
      })
    )
  )

  it.live("is 401 once it has expired, and when it was altered or made by somebody else", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { token, workspace } = yield* stage({ tenant_id: "acme" })
        const other = yield* makeTenant()
        const [header = "", payload = "", signature = ""] = token.split(".")
        const claims = decode(payload)
        const signed = (head: string, body: string, key: string) =>
          `${head}.${body}.${createHmac("sha256", key).update(`${head}.${body}`).digest("base64url")}`
        const none = encode({ ...decode(header), alg: "none" })
        const { token: theirs } = yield* issue(other.key, {})
        const [theirHead = ""] = theirs.split(".")
        for (const wrong of [
          `${header}.${encode({ ...claims, tenant_id: null })}.${signature}`,
          `${none}.${payload}.`,
          `${none}.${payload}.${signature}`,
          signed(header, payload, ""),
          signed(header, payload, workspace.id),
          // The key of another workspace.
          `${theirHead}.${payload}.${signature}`,
          `${theirs.split(".").slice(0, 2).join(".")}.${signature}`,
          // Another spelling of the same bytes.
          twinOf(token),
          `${twinOf(header)}.${payload}.${signature}`,
          signed(`${header}=`, payload, ""),
          // Ids that a store would not take.
          ...["\0", "vky_\0", "\ud800", "x".repeat(1_000), ""].flatMap((id) => [
            `${encode({ ...decode(header), kid: id })}.${payload}.${signature}`,
            `${header}.${encode({ ...claims, sub: id })}.${signature}`
          ]),
          `${token}=`,
          `${token}.`,
          `${header}.${payload}`,
          ".."
        ]) {
          const response = yield* send({ path: EVENTS, key: wrong })
          assert.strictEqual(response.status, 401, wrong)
          assert.strictEqual(response.json().error, "unauthenticated")
          assert.isString(response.headers["www-authenticate"])
        }
        assert.strictEqual((yield* send({ path: EVENTS, key: token })).status, 200)
        time.advance(3_600 * Micros.SECOND)
        const late = yield* send({ path: EVENTS, key: token })
        assert.strictEqual(late.status, 401)
        assert.include(late.text, "expired")
      })
    )
  )

  it.live("has a rate limit of its own, and takes none of the workspace's", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ overrides: { requests_per_minute: 5 } })
        const { token } = yield* issue(key)
        const { token: second } = yield* issue(key)
        for (let count = 0; count < VIEWER_REQUESTS_PER_MINUTE; count++) {
          assert.strictEqual((yield* send({ path: EVENTS, key: token })).status, 200)
        }
        const limited = yield* send({ path: EVENTS, key: token })
        assert.strictEqual(limited.status, 429)
        assert.strictEqual(limited.headers["retry-after"], "1")
        assert.strictEqual((yield* send({ path: EVENTS, key: second })).status, 200)
        assert.strictEqual((yield* send({ path: EVENTS, key })).headers.ratelimit, '"default";r=2;t=12')
      })
    )
  )

  it.live("is not bound by the workspace's allowlist, and sees no further back than its retention", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ overrides: { retention_days: 1 } })
        const [old = ""] = yield* accept(key, [EVENT])
        const body = { ip_allowlist: ["203.0.113.0/24"] }
        time.advance(2 * Micros.DAY)
        const { token } = yield* issue(key)
        assert.strictEqual(
          (yield* send({ path: "/api/v1/workspace", method: "PATCH", key, body })).status,
          200
        )
        assert.strictEqual((yield* send({ path: EVENTS, key })).status, 403)
        const list = yield* send({ path: `${EVENTS}?action=${EVENT.action}`, key: token })
        assert.deepStrictEqual(idsOf(list.text), [])
        for (const path of [`${EVENTS}/${old}`, `${EVENTS}/${old}/proof`]) {
          assert.strictEqual((yield* send({ path, key: token })).status, 404, path)
        }
      })
    )
  )
})

describe("POST /api/v1/workspace/viewer-key/rotate", () => {
  const ROTATE = "/api/v1/workspace/viewer-key/rotate"

  it.live("signs with another key, and lets older tokens live as long as they would have", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        const { token: before } = yield* issue(key)
        const rotated = yield* send({ path: ROTATE, key, body: {} })
        assert.strictEqual(rotated.status, 200, rotated.text)
        const { id } = rotated.json<{ data: { id: string } }>().data
        const { token: after } = yield* issue(key)
        assert.strictEqual(decode(after.split(".")[0]).kid, id)
        assert.notStrictEqual(decode(before.split(".")[0]).kid, id)
        for (const token of [before, after]) {
          assert.strictEqual((yield* send({ path: EVENTS, key: token })).status, 200)
        }
      })
    )
  )

  it.live("ends older tokens at once with revoke, and is told in the log", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key, stored } = yield* makeTenant()
        const { token } = yield* issue(key)
        assert.strictEqual((yield* send({ path: EVENTS, key: token })).status, 200)
        yield* send({ path: ROTATE, key, body: { revoke: true } })
        assert.strictEqual((yield* send({ path: EVENTS, key: token })).status, 401)
        yield* sequence
        const told = yield* send({ path: `${EVENTS}?action=cairn.viewer_key.rotated`, key })
        const [event] = told.json<{
          data: ReadonlyArray<{ actor: { id: string }; metadata: unknown }>
        }>().data
        assert.strictEqual(event?.actor.id, stored.id)
        assert.deepStrictEqual(event?.metadata, { revoke: true })
      })
    )
  )

  it.live("needs the scope admin", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { workspace } = yield* makeTenant()
        const { key } = yield* makeKey(workspace.id)
        assert.strictEqual((yield* send({ path: ROTATE, key, body: {} })).status, 403)
      })
    )
  )
})
