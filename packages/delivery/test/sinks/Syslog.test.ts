import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { makeOutboundGuard } from "../../src/outbound/OutboundGuard.ts"
import { decodeDestination } from "../../src/sinks/Sinks.ts"
import { type Certificate, certificate } from "../peers/Certificates.ts"
import { startSyslogServer } from "../peers/SyslogServer.ts"
import { records } from "./Records.ts"
import { environment, openSink, type Peer, sinkContract } from "./SinkContract.ts"

const peer = (withCertificate?: Certificate) =>
  Effect.gen(function* () {
    const { port, messages, state } = yield* startSyslogServer(withCertificate)
    const made: Peer = {
      config: { type: "syslog", host: "syslog.example", port, tls: withCertificate !== undefined },
      // JSON comes in ASCII; what it says is what was sent.
      arrived: async () =>
        messages.map(({ text }) => (text.startsWith("{") ? JSON.stringify(JSON.parse(text)) : text)),
      fail: () => {
        state.behaviour = "reset"
      },
      repair: () => {
        state.behaviour = "read"
      }
    }
    return made
  })

const reach = {
  dials: true,
  waits: false,
  said: { taken: /^null the receiver closed the connection/, refused: /ECONNRESET|reset|closed/ }
}
sinkContract("syslog over TCP", reach, peer())
sinkContract("syslog over TLS", reach, peer(certificate(["syslog.example"])))

/** What a receiver makes of some records. */
const received = (config: Record<string, unknown>, format: "cairn" | "cef" = "cairn") =>
  Effect.gen(function* () {
    const { port, messages, state } = yield* startSyslogServer()
    const base = { type: "syslog", host: "127.0.0.1", port, tls: false }
    const sink = yield* openSink({ ...base, ...config }, environment(format))
    yield* sink.send(records(1, 15, format))
    return { messages, state, sink }
  })

describe("syslog", () => {
  it.live("tells facility, severity, time, sender and event in RFC 5424's fields", () =>
    Effect.gen(function* () {
      const { messages } = yield* received({})
      assert.lengthOf(messages, 15)
      const { text, ...fields } = messages[1] ?? assert.fail("nothing arrived")
      assert.strictEqual(JSON.parse(text).id, "event-2")
      assert.deepStrictEqual(fields, {
        facility: 13,
        severity: 6,
        timestamp: "2024-05-01T12:59:32.000000Z",
        hostname: "cairn",
        appName: "cairn",
        procId: "-",
        msgId: "audit",
        data: {
          "cairn@32473": {
            id: "event-2",
            sequence: "2",
            workspace: "wsp_1",
            action: "document.viewed",
            actor: "user-2",
            tenant: "acme"
          }
        }
      })
    })
  )

  it.live("carries quotes, backslashes and brackets in structured data, and no line break", () =>
    Effect.gen(function* () {
      const { messages } = yield* received({})
      const data = messages[14]?.data["cairn@32473"]
      assert.strictEqual(data?.actor, records(15, 15)[0]?.event.actor.id.replace(/\p{Cc}/gu, " "))
      assert.include(data?.action, '\\ = "quotes" ] [bracket')
    })
  )

  it.live("sends JSON as ASCII, and marks other text that is more", () =>
    Effect.gen(function* () {
      const { messages } = yield* received({})
      assert.match(messages[2]?.text ?? "", /^[ -~]+$/)
      assert.deepStrictEqual(JSON.parse(messages[2]?.text ?? ""), JSON.parse(records(3, 3)[0]?.text ?? ""))
      // The receiver refuses UTF-8 without a byte order mark.
      const { messages: lines } = yield* received({}, "cef")
      assert.include(lines[2]?.text, "día 😀")
    })
  )

  it.live("says who it is as configured", () =>
    Effect.gen(function* () {
      const { messages } = yield* received({ facility: 4, hostname: "audit-1", app_name: "acme" })
      assert.include(messages[0], { facility: 4, hostname: "audit-1", appName: "acme" })
    })
  )

  it.live("opens a connection for each batch, whose end is the acknowledgement", () =>
    Effect.gen(function* () {
      const { state, sink, messages } = yield* received({})
      yield* sink.send(records(16, 16))
      assert.strictEqual(state.connections, 2)
      assert.lengthOf(messages, 16)
    })
  )

  it.live("does not trust a receiver whose certificate is for another host", () =>
    Effect.gen(function* () {
      const { port, messages } = yield* startSyslogServer(certificate(["other.example"]))
      const sink = yield* openSink({ type: "syslog", host: "syslog.example", port }, environment("cairn"))
      yield* Effect.flip(sink.send(records(1, 1)))
      assert.lengthOf(messages, 0)
    })
  )

  it.live("believes a receiver that keeps its side open, after a while", () =>
    Effect.gen(function* () {
      const { port, messages, state } = yield* startSyslogServer()
      state.behaviour = "keep_open"
      const config = { type: "syslog", host: "127.0.0.1", port, tls: false }
      const sink = yield* openSink(config, environment("cairn", { timeout: 3_000 }))
      yield* sink.send(records(1, 3))
      assert.lengthOf(messages, 3)
    })
  )

  it.live("does not wait for ever for a receiver that does not begin to speak TLS", () =>
    Effect.gen(function* () {
      const { port } = yield* startSyslogServer()
      const config = { type: "syslog", host: "127.0.0.1", port }
      const sink = yield* openSink(config, environment("cairn", { timeout: 200 }))
      const error = yield* Effect.flip(sink.send(records(1, 1)))
      assert.strictEqual(error.reason, "no connection within 200 ms")
    })
  )

  it.live("fails when nobody listens", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(startSyslogServer())
      const config = { type: "syslog", host: "127.0.0.1", port, tls: false }
      const sink = yield* openSink(config, environment("cairn"))
      const error = yield* Effect.flip(sink.send(records(1, 1)))
      assert.include(error.reason, "ECONNREFUSED")
    })
  )

  it.live.each(["127.0.0.1", "127.1", "localhost"])("does not speak to %s unless that is allowed", (host) =>
    Effect.gen(function* () {
      const { port, state } = yield* startSyslogServer()
      const guard = makeOutboundGuard({ allow: [], http: false })
      const config = { type: "syslog", host, port, tls: false }
      const sink = yield* openSink(config, environment("cairn", { guard }))
      const error = yield* Effect.flip(sink.send(records(1, 1)))
      assert.include(error.reason, "public address")
      assert.strictEqual(state.connections, 0)
    })
  )

  it.each([
    [{ host: "" }, "destination.host: must have 1 to 255 characters"],
    [{ port: 0 }, "destination.port: must be an integer between 1 and 65535"],
    [{ facility: 24 }, "destination.facility: must be an integer between 0 and 23"],
    [{ hostname: "a b" }, "destination.hostname: must be 1 to 255 printable ASCII characters"]
  ])("refuses %j", (config, message) => {
    const result = decodeDestination({ type: "syslog", host: "a.example", ...config })
    assert.strictEqual(Result.isFailure(result) ? result.failure.message : "", message)
  })
})
