import { parseNetwork } from "@cairn/core/encoding"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { EVENT, makeTenant, send, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"
const networks = (...texts: ReadonlyArray<string>) =>
  texts.map(parseNetwork).filter((network) => network !== undefined)
const behindProxy = testServer({
  config: { trustedProxies: networks("127.0.0.1", "10.0.0.0/8", "2001:db8:ffff::/48") }
})

/**
 * The status of a read by a client that the proxies say is at `forwarded`. Events of that client are let in
 * as its reads are.
 */
const from = Effect.fnUntraced(function* (key: string, forwarded?: string) {
  const headers: Record<string, string> = forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
  const { status } = yield* send({ path: EVENTS, key, headers })
  const ingested = yield* send({ path: EVENTS, key, headers, body: EVENT })
  assert.strictEqual(ingested.status, status === 200 ? 202 : status)
  return status
})

describe("An IP allowlist", () => {
  it.live("admits addresses within its networks and answers 403 ip_not_allowed to others", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant({
        ip_allowlist: [
          "203.0.113.0/24",
          "198.51.100.7",
          "2001:db8:1::/48",
          "2001:db8:2::1",
          "::ffff:192.0.2.0/120"
        ]
      })
      const allowed = [
        "203.0.113.0",
        "203.0.113.255",
        "198.51.100.7",
        "2001:db8:1:2:3::4",
        "2001:DB8:2:0:0:0:0:1",
        // IPv4-mapped, on either side.
        "::ffff:203.0.113.9",
        "::ffff:cb00:7109",
        "192.0.2.55"
      ]
      for (const address of allowed) assert.strictEqual(yield* from(key, address), 200, address)
      const refused = [
        "203.0.114.0",
        "198.51.100.8",
        "2001:db8:2::2",
        "192.0.3.1",
        "::1",
        "::ffff:198.51.100.8"
      ]
      for (const address of refused) assert.strictEqual(yield* from(key, address), 403, address)
      const response = yield* send({ path: EVENTS, key, headers: { "x-forwarded-for": "8.8.8.8" } })
      assert.deepStrictEqual(response.json(), {
        error: "ip_not_allowed",
        message: "The workspace's keys may not be used from 8.8.8.8"
      })
    }).pipe(Effect.provide(behindProxy))
  )

  it.live("that is empty admits everyone", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const address of ["8.8.8.8", "2001:db8::1"]) assert.strictEqual(yield* from(key, address), 200)
    }).pipe(Effect.provide(behindProxy))
  )

  it.live("does not tell whether a wrong key's workspace has one", () =>
    Effect.gen(function* () {
      yield* makeTenant({ ip_allowlist: ["203.0.113.0/24"] })
      assert.strictEqual(yield* from("cairn_wrong", "8.8.8.8"), 401)
    }).pipe(Effect.provide(behindProxy))
  )

  it.effect("holds from the next request on where it is changed, and within a second elsewhere", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      assert.strictEqual(yield* from(key), 200)
      const changed = yield* send({
        path: "/api/v1/workspace",
        method: "PATCH",
        key,
        body: { ip_allowlist: ["203.0.113.0/24"] }
      })
      assert.strictEqual(changed.status, 200)
      assert.strictEqual(yield* from(key), 403)
      assert.strictEqual(yield* from(key, "203.0.113.5"), 200)
      // As another process would.
      yield* Effect.flatMap(ManagedWorkspaces, (workspaces) =>
        workspaces.update(workspace.id, { ip_allowlist: [] }, 0)
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* from(key), 200)
    }).pipe(Effect.provide(behindProxy))
  )
})

describe("X-Forwarded-For", () => {
  const only = (address: string) => makeTenant({ ip_allowlist: [address] })

  it.live("is believed only from a trusted proxy", () =>
    Effect.gen(function* () {
      const { key } = yield* only("203.0.113.1")
      assert.strictEqual(yield* from(key, "203.0.113.1"), 403)
      const { key: local } = yield* only("127.0.0.1")
      assert.strictEqual(yield* from(local, "203.0.113.1"), 200)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("gives the right-most address that is no trusted proxy", () =>
    Effect.gen(function* () {
      const { key } = yield* only("203.0.113.1")
      const admitted = [
        "203.0.113.1",
        "  203.0.113.1  ",
        "6.6.6.6, 203.0.113.1",
        "203.0.113.1, 10.1.2.3",
        "6.6.6.6,203.0.113.1,10.1.2.3,2001:db8:ffff::1",
        "203.0.113.1:51234",
        "rubbish, 203.0.113.1"
      ]
      for (const header of admitted) assert.strictEqual(yield* from(key, header), 200, header)
      const refused = [
        "203.0.113.1, 6.6.6.6",
        "203.0.113.1, rubbish",
        "203.0.113.1,",
        "",
        "203.0.113.1, 10.1.2.3, unknown"
      ]
      for (const header of refused) assert.strictEqual(yield* from(key, header), 403, header)
    }).pipe(Effect.provide(behindProxy))
  )

  it.live("with nothing but trusted proxies gives the left-most of them", () =>
    Effect.gen(function* () {
      const { key } = yield* only("10.9.9.9")
      assert.strictEqual(yield* from(key, "10.9.9.9, 10.1.2.3"), 200)
      const { key: unforwarded } = yield* only("127.0.0.1")
      assert.strictEqual(yield* from(unforwarded), 200)
      assert.strictEqual(yield* from(unforwarded, "203.0.113.1"), 403)
    }).pipe(Effect.provide(behindProxy))
  )

  it.live("may name an IPv6 client, in brackets with its port too", () =>
    Effect.gen(function* () {
      const { key } = yield* only("2001:db8:1::7")
      for (const header of ["2001:db8:1::7", "[2001:db8:1::7]", "[2001:db8:1::7]:443"]) {
        assert.strictEqual(yield* from(key, header), 200, header)
      }
    }).pipe(Effect.provide(behindProxy))
  )
})
