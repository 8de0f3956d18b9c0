/** What somebody makes that gives access: it may do no more than its maker, and ends no later. */
import { Micros } from "@cairn/core/encoding"
import { ExportMaker } from "@cairn/core/export"
import { ApiKeyManagement } from "@cairn/core/management"
import {
  type ApiKey,
  ApiKeys,
  DEFAULT_SCOPES,
  ManagedWorkspaces,
  type Member,
  Members,
  type Scope,
  VIEWER_TTL
} from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { memberIdentity } from "../../src/http/gate/Identity.ts"
import { WorkspaceDirectory } from "../../src/http/gate/WorkspaceDirectory.ts"
import { makeMember, signedIn } from "./SignedIn.ts"
import { makeKey, makeTenant, type Sent, send, sequence, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"
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

describe("An end that is brought forward", () => {
  it.live("is the end of the keys that were made before, also of those that these have made", () =>
    Effect.gen(function* () {
      const { workspace, key: full } = yield* makeTenant()
      yield* signedIn(workspace.id, "owner")
      const owner = yield* signedIn(workspace.id, "owner")
      const create = (as: Caller, body: object) =>
        Effect.map(send({ path: KEYS, ...as, body }), (made) => {
          assert.strictEqual(made.status, 201, made.text)
          return made.json<{ data: { id: string; key: string; expires_at: string | null } }>().data
        })
      const own = yield* create({ headers: owner.headers }, { scopes: ["admin", "read"] })
      const child = yield* create({ key: own.key }, { scopes: ["read"] })
      const sooner = Micros.format((yield* Micros.now) + Micros.SECOND)
      const short = yield* create({ headers: owner.headers }, { expires_at: sooner })
      const foreign = yield* create({ key: full }, {})
      const uses = (key: string) => Effect.map(send({ path: EVENTS, key }), ({ status }) => status)
      for (const { key } of [own, child]) assert.notStrictEqual(yield* uses(key), 401)
      const end = (yield* Micros.now) + 2 * Micros.SECOND
      const expires_at = Micros.format(end)
      const change = send({
        method: "PATCH",
        path: `${MEMBERS}/${owner.member.id}`,
        key: full,
        body: { role: "developer", expires_at }
      })
      const changed = yield* change
      assert.strictEqual(changed.status, 200, changed.text)
      const endOf = (id: string) =>
        Effect.map(send({ path: `${KEYS}/${id}`, key: full }), (shown) => shown.json<Data>().data.expires_at)
      for (const { id } of [own, child]) assert.strictEqual(yield* endOf(id), expires_at)
      assert.strictEqual(yield* endOf(short.id), sooner)
      assert.isNull(yield* endOf(foreign.id))
      yield* sequence
      const told = yield* send({ path: `${EVENTS}?action=cairn.member.updated&limit=1`, key: full })
      const [event] = told.json<{ data: ReadonlyArray<{ metadata: Record<string, unknown> }> }>().data
      assert.sameMembers(event?.metadata.keys_that_end as Array<string>, [own.id, child.id])
      for (const { key } of [own, child]) {
        while ((yield* uses(key)) !== 401) {
          assert.isBelow(yield* Micros.now, end + 5 * Micros.SECOND)
          yield* Effect.sleep("50 millis")
        }
        assert.isAtLeast(yield* Micros.now, end)
      }
      assert.strictEqual(yield* uses(foreign.key), 200)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("holds for a key that is made at that moment", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const member = yield* makeMember(workspace.id, "developer")
      const end = (yield* Micros.now) + 90 * Micros.SECOND
      const { modify } = yield* Members
      yield* modify(workspace.id, member.id, (now) => Result.succeed({ ...now, expires_at: end }))
      const { create } = yield* ApiKeyManagement
      const { stored } = yield* create(
        { ...memberIdentity(member), address: null },
        { workspaceId: workspace.id, name: null, scopes: ["read"], expiresAt: null }
      )
      assert.strictEqual(stored.expires_at, end)
      const kept = Option.getOrThrow(yield* (yield* ApiKeys).get(workspace.id, stored.id))
      assert.strictEqual(kept.expires_at, end)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("The link of an export", () => {
  interface Holders {
    readonly member: Member
    readonly stored: ApiKey
  }

  const modified = ({ workspace_id, id }: Member, change: Partial<Member>) =>
    Effect.flatMap(Members, ({ modify }) =>
      modify(workspace_id, id, (now) => Result.succeed({ ...now, ...change }))
    )

  /** What ends the access of who has asked for the link. */
  const ENDS = {
    "a member who is removed": Effect.fnUntraced(function* ({ member }: Holders) {
      yield* (yield* Members).remove(member.workspace_id, member.id)
    }, Effect.orDie),
    "a member who is lowered": Effect.fnUntraced(function* ({ member }: Holders) {
      yield* modified(member, { role: "member" })
    }, Effect.orDie),
    "a member whose end has come": Effect.fnUntraced(function* ({ member }: Holders) {
      yield* modified(member, { expires_at: yield* Micros.now })
    }, Effect.orDie),
    "a key that is revoked": Effect.fnUntraced(function* ({ member, stored }: Holders) {
      yield* (yield* ApiKeys).revoke(member.workspace_id, stored.id, yield* Micros.now)
    }, Effect.orDie),
    "a key whose end has come": Effect.fnUntraced(function* ({ member, stored }: Holders) {
      const now = yield* Micros.now
      yield* (yield* ApiKeys).shorten(member.workspace_id, [stored.id], now, now)
    }, Effect.orDie)
  }

  /** An export, a member and a key that may download it, and the links that they are shown. */
  const exported = Effect.gen(function* () {
    const { workspace, key: full } = yield* makeTenant()
    const { member, headers } = yield* signedIn(workspace.id, "auditor")
    const { key, stored } = yield* makeKey(workspace.id, ["export"])
    const made = yield* send({ path: "/api/v1/exports", key: full, body: {} })
    const { id } = made.json<{ data: { id: string } }>().data
    const { advance } = yield* ExportMaker
    while (yield* Effect.orDie(advance));
    const target = (address: string) => new URL(address).pathname + new URL(address).search
    const follow = (path: string) => send({ path })
    /** The links of who asks: the one that is shown, and the file's addresses by it and by a download. */
    const linksOf = Effect.fnUntraced(function* (as: Caller) {
      const shown = yield* send({ path: `/api/v1/exports/${id}`, ...as })
      const listed = yield* send({ path: "/api/v1/exports", ...as })
      const { download_url } = shown.json<{ data: { download_url: string } }>().data
      assert.include(listed.text, JSON.stringify(download_url).slice(1, -1))
      const link = target(download_url)
      const locations = [yield* follow(link), yield* send({ path: `/api/v1/exports/${id}/download`, ...as })]
      const links = [link, ...locations.map(({ headers: { location } }) => target(String(location)))]
      for (const path of links) assert.include([200, 302], (yield* follow(path)).status, path)
      return links
    })
    return { workspace, id, member, headers, key, stored, full, follow, linksOf }
  })

  for (const [name, end] of Object.entries(ENDS)) {
    it.live(`leads nowhere any more for ${name}, and goes on for others`, () =>
      Effect.gen(function* () {
        const { member, headers, key, stored, full, follow, linksOf } = yield* exported
        const isKey = name.startsWith("a key")
        const ended = yield* linksOf(isKey ? { key } : { headers })
        const others = yield* linksOf({ key: full })
        yield* end({ member, stored })
        for (const path of ended) {
          const refused = yield* follow(path)
          assert.strictEqual(refused.status, 403, `${path}: ${refused.text}`)
          // For whom it was made is part of what is signed.
          const nameless = yield* follow(path.replace(/&for=[^&]*/, ""))
          assert.strictEqual(nameless.status, 401, nameless.text)
        }
        for (const path of others) assert.include([200, 302], (yield* follow(path)).status, path)
      }).pipe(Effect.provide(testServer()))
    )
  }

  it.live("names for how long it is good, which is the end of who asks", () =>
    Effect.gen(function* () {
      const { workspace, id } = yield* exported
      const end = (yield* Micros.now) + 90 * Micros.SECOND
      const { headers } = yield* signedIn(workspace.id, "auditor", { expires_at: end })
      const { key } = yield* makeKey(workspace.id, ["export"], { expires_at: end })
      for (const as of [{ headers }, { key }]) {
        const shown = yield* send({ path: `/api/v1/exports/${id}`, ...as })
        const { download_url } = shown.json<{ data: { download_url: string } }>().data
        const expires = Number(new URL(download_url).searchParams.get("expires"))
        assert.strictEqual(expires, Math.floor(end / Micros.SECOND))
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("leads nowhere from outside the allowlist", () =>
    Effect.gen(function* () {
      const { workspace, headers, follow, linksOf } = yield* exported
      const links = yield* linksOf({ headers })
      const set = (ip_allowlist: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          yield* (yield* ManagedWorkspaces).update(workspace.id, { ip_allowlist }, yield* Micros.now)
          ;(yield* WorkspaceDirectory).forget(workspace.id)
        })
      yield* set(["192.0.2.0/24"])
      for (const path of links) {
        const refused = yield* follow(path)
        assert.deepStrictEqual([refused.status, refused.json().error], [403, "ip_not_allowed"], path)
      }
      yield* set(["127.0.0.1/32"])
      for (const path of links) assert.include([200, 302], (yield* follow(path)).status, path)
    }).pipe(Effect.provide(testServer()))
  )
})
