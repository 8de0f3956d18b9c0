import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Resolve } from "../../src/outbound/HostResolver.ts"
import { makeOutboundGuard } from "../../src/outbound/OutboundGuard.ts"
import { openOutboundHttp } from "../../src/outbound/OutboundHttp.ts"
import { internal, loopback } from "../peers/Guards.ts"
import { startWebServer, status } from "../peers/WebServer.ts"

/** Gives one answer after the other, the last for ever, as a name server does that means to deceive. */
const inTurn = (
  ...answers: ReadonlyArray<ReadonlyArray<string>>
): Resolve & { readonly asked: () => number } => {
  let asked = 0
  const resolve: Resolve = (_, done) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? []
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    )
  }
  return Object.assign(resolve, { asked: () => asked })
}

/** What comes of calling `url` through a guard. */
const call = (url: string, options: Parameters<typeof makeOutboundGuard>[0]) =>
  Effect.scoped(
    Effect.gen(function* () {
      const http = yield* openOutboundHttp(makeOutboundGuard(options))
      return yield* http.send({ method: "POST", url, headers: {}, body: "{}", timeout: 5_000, keep: 100 })
    })
  )

describe("OutboundGuard", () => {
  it.live("lets a name through that resolves to an allowed address", () =>
    Effect.gen(function* () {
      const { port, received } = yield* startWebServer(status(204))
      const answer = yield* call(`http://hooks.example:${port}/`, internal)
      assert.strictEqual(answer.status, 204)
      assert.strictEqual(received[0]?.headers.host, `hooks.example:${port}`)
    })
  )

  it.live.each([
    ["a private address", ["10.0.0.1"]],
    ["loopback", ["127.0.0.1"]],
    ["loopback in IPv6", ["::1"]],
    ["IPv4-mapped loopback", ["::ffff:127.0.0.1"]],
    ["the metadata address", ["169.254.169.254"]],
    ["several, none of them public", ["192.168.0.1", "fd00::1"]]
  ] as const)("refuses a name that resolves to %s", ([, addresses]) =>
    Effect.gen(function* () {
      const options = { allow: [], http: true, resolve: inTurn(addresses) }
      const error = yield* Effect.flip(call("http://hooks.example/", options))
      assert.include(error, { _tag: "OutboundRefused", reason: "not_found", host: "hooks.example" })
    })
  )

  it.live("dials only the public one of a name's addresses", () =>
    Effect.gen(function* () {
      const dialled = yield* Effect.callback<unknown>((resume) => {
        const resolve = inTurn(["10.0.0.1", "1.1.1.1", "::1"])
        const { lookup } = makeOutboundGuard({ allow: [], http: true, resolve })
        lookup("hooks.example", { all: true }, (_, addresses) => resume(Effect.succeed(addresses)))
      })
      assert.deepStrictEqual(dialled, [{ address: "1.1.1.1", family: 4 }])
    })
  )

  it.live("asks once, so a name that changes its address after it was checked gains nothing", () =>
    Effect.gen(function* () {
      const { port, received } = yield* startWebServer(status(204))
      // Documentation's address stands for a public one; nothing listens there, and nothing is sent to it.
      const resolve = inTurn(["127.0.0.1"], ["10.0.0.1"])
      yield* call(`http://hooks.example:${port}/`, { ...internal, resolve })
      assert.strictEqual(resolve.asked(), 1)
      assert.lengthOf(received, 1)
      const error = yield* Effect.flip(call(`http://hooks.example:${port}/`, { ...internal, resolve }))
      assert.strictEqual(error._tag, "OutboundRefused")
      assert.lengthOf(received, 1)
    })
  )

  it.live.each([
    "http://127.0.0.1",
    "http://2130706433",
    "http://0x7f.1",
    "http://0177.0.0.1",
    "http://[::ffff:127.0.0.1]"
  ])("refuses %s although a server listens there", (url) =>
    Effect.gen(function* () {
      const { port, received, connections } = yield* startWebServer(status(204))
      const error = yield* Effect.flip(call(`${url}:${port}/`, { allow: [], http: true }))
      assert.strictEqual(error._tag, "OutboundRefused")
      assert.lengthOf(received, 0)
      assert.strictEqual(connections(), 0)
    })
  )

  it.live("drops a socket that ended up where it must not, before a byte is sent", () =>
    Effect.gen(function* () {
      const { port, received } = yield* startWebServer(status(204))
      const { watch } = makeOutboundGuard({ allow: [], http: true })
      const error = yield* Effect.callback<Error>((resume) => {
        const socket = connect(port, "127.0.0.1")
        watch(socket)
        socket.on("error", (error) => resume(Effect.succeed(error)))
        socket.end("POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
      })
      assert.include<object>(error, { _tag: "OutboundRefused", reason: "not_public" })
      assert.lengthOf(received, 0)
    })
  )

  it.live("says the same of a name that does not resolve and of one that leads to a forbidden address", () =>
    Effect.gen(function* () {
      const unknown: Resolve = (_, done) =>
        done(Object.assign(new Error("not found"), { code: "ENOTFOUND" }), [])
      const silent: Resolve = (_, done) => done(Object.assign(new Error("timeout"), { code: "ETIMEOUT" }), [])
      const forbidden: Resolve = (_, done) => done(null, [{ address: "10.0.0.5", family: 4 }])
      for (const resolve of [unknown, silent, forbidden]) {
        const error = yield* Effect.flip(call("http://hooks.example/", { allow: [], http: true, resolve }))
        assert.strictEqual(
          error.message,
          "hooks.example: has no public address that could be found; if it has another, the operator of Cairn can allow it with CAIRN_OUTBOUND_ALLOW"
        )
      }
    })
  )

  it.live("fails for a header that cannot be sent, without telling its value", () =>
    Effect.gen(function* () {
      const { port } = yield* startWebServer(status(204))
      const error = yield* Effect.scoped(
        Effect.flatMap(openOutboundHttp(makeOutboundGuard({ allow: loopback, http: true })), ({ send }) =>
          Effect.flip(
            send({
              method: "POST",
              url: `http://127.0.0.1:${port}/`,
              headers: { authorization: "Bearer \u20ac" },
              body: "",
              timeout: 5_000,
              keep: 1
            })
          )
        )
      )
      assert.strictEqual(error._tag, "OutboundFailed")
      assert.match(error.message, /authorization/)
      assert.notInclude(error.message, "\u20ac")
    })
  )
})
