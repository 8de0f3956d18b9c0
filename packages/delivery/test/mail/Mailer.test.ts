import type { Socket } from "node:net"
import type { Alert } from "@cairn/core/consumer"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SMTPServerOptions } from "smtp-server"
import { type Mail, Mailer, type SmtpOptions } from "../../src/mail/Mailer.ts"
import {
  alertNotice,
  chainBrokenNotice,
  streamDownNotice,
  webhookDisabledNotice
} from "../../src/mail/Notices.ts"
import { authority, certificate } from "../peers/Certificates.ts"
import { startMailServer, startStutteringServer } from "../peers/MailServer.ts"

const mail: Mail = {
  to: "owner@example.com",
  subject: "A rule fired: día 😀",
  text: "Plain día\n",
  html: "<p>Rich día</p>"
}

const alert: Alert = {
  id: "alt_1",
  rule_id: "rul_1",
  rule_name: "Night watch",
  rule_type: "off_hours",
  event_id: "event-1",
  reason: "ada performed user.login on Saturday",
  triggered_at: "2024-05-01T12:00:00.000000Z"
}

/** Sends one mail by a mailer with these options. */
const send = (options: SmtpOptions, one: Mail = mail) =>
  Effect.gen(function* () {
    const mailer = yield* Mailer
    yield* mailer.send(one)
  }).pipe(Effect.provide(Mailer.layer(options)))

const from = "Cairn <cairn@example.com>"

/** What arrives at a server, which asks for nothing by default. */
const arrive = (one: Mail, options: SMTPServerOptions = {}) =>
  Effect.gen(function* () {
    const { port, delivered } = yield* startMailServer({ disabledCommands: ["STARTTLS"], ...options })
    yield* send({ url: `smtp://127.0.0.1:${port}`, from, timeout: 3_000 }, one)
    const [first] = delivered
    assert.lengthOf(delivered, 1)
    return first ?? assert.fail("nothing arrived")
  })

const withPassword: SMTPServerOptions = {
  ...certificate(["localhost", "127.0.0.1"]),
  authOptional: false,
  onAuth: ({ username, password }, _, done) =>
    username === "cairn@example.com" && password === "p@ss:word"
      ? done(null, { user: username })
      : done(new Error("no such user"))
}
const credentials = "cairn%40example.com:p%40ss%3Aword"

describe("Mailer", () => {
  it.live("delivers text and HTML to the one recipient", () =>
    Effect.gen(function* () {
      const { recipients, mail: arrived } = yield* arrive(mail)
      assert.deepStrictEqual(recipients, ["owner@example.com"])
      assert.strictEqual(arrived.subject, mail.subject)
      assert.strictEqual(arrived.text?.trim(), "Plain día")
      assert.strictEqual(arrived.html?.trim(), "<p>Rich día</p>")
      assert.deepInclude(arrived.from, { name: "Cairn", address: "cairn@example.com" })
    })
  )

  it.live("logs in after STARTTLS", () =>
    Effect.gen(function* () {
      const { port, delivered } = yield* startMailServer(withPassword)
      const url = `smtp://${credentials}@localhost:${port}`
      yield* send({ url, from, authorities: [authority] })
      assert.include(delivered[0], { secure: true, user: "cairn@example.com" })
    })
  )

  it.live("logs in over TLS from the first byte", () =>
    Effect.gen(function* () {
      const { port, delivered } = yield* startMailServer({ ...withPassword, secure: true })
      const url = `smtps://${credentials}@localhost:${port}`
      yield* send({ url, from, authorities: [authority] })
      assert.include(delivered[0], { secure: true, user: "cairn@example.com" })
    })
  )

  it.live("does not give its password to a server without TLS", () =>
    Effect.gen(function* () {
      let asked = 0
      const { port, delivered } = yield* startMailServer({
        authOptional: false,
        allowInsecureAuth: true,
        disabledCommands: ["STARTTLS"],
        onAuth: (_, __, done) => {
          asked++
          done(null, { user: "anyone" })
        }
      })
      yield* Effect.flip(send({ url: `smtp://${credentials}@127.0.0.1:${port}`, from, timeout: 2_000 }))
      assert.strictEqual(asked, 0)
      assert.lengthOf(delivered, 0)
    })
  )

  it.live("does not trust a server whose certificate it does not know", () =>
    Effect.gen(function* () {
      const { port, delivered } = yield* startMailServer(withPassword)
      yield* Effect.flip(send({ url: `smtp://${credentials}@localhost:${port}`, from, timeout: 2_000 }))
      assert.lengthOf(delivered, 0)
    })
  )

  it.live("tells a refusal for good from one that may pass", () =>
    Effect.gen(function* () {
      for (const [code, permanent] of [
        [550, true],
        [451, false]
      ] as const) {
        const refuse: SMTPServerOptions = {
          onRcptTo: (_, __, done) => done(Object.assign(new Error("not now"), { responseCode: code }))
        }
        const error = yield* Effect.flip(arrive(mail, refuse))
        assert.include(error, { _tag: "MailFailed", permanent, answered: true })
        assert.include(error.reason, "not now")
      }
    })
  )

  it.live.each([
    ["goes on answering that it will answer", (socket: Socket) => socket.write("250-wait\r\n")],
    ["says nothing", () => {}]
  ] as const)("gives up a mail, and the connection, when the server %s", ([, stutter]) =>
    Effect.gen(function* () {
      const { port, connections, closed } = yield* startStutteringServer(stutter)
      const url = `smtp://127.0.0.1:${port}`
      const error = yield* Effect.flip(send({ url, from, limit: 500 }))
      assert.include(error, { permanent: false, answered: false })
      assert.include(error.reason, "within 500 ms")
      // As if the server had been told to end.
      yield* Effect.timeoutOption(send({ url, from }), 500)
      yield* Effect.sleep(20).pipe(Effect.repeat({ until: () => closed.size === 2 }))
      assert.strictEqual(connections.size, 2)
    }).pipe(Effect.scoped)
  )

  it.live("fails in time, and not for good, when nobody listens", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(startMailServer())
      const error = yield* Effect.flip(send({ url: `smtp://127.0.0.1:${port}`, from }))
      assert.include(error, { _tag: "MailFailed", permanent: false, answered: false })
    })
  )

  it.live("tells nobody its password when it fails", () =>
    Effect.gen(function* () {
      const { port } = yield* startMailServer({
        ...withPassword,
        onAuth: (_, __, done) => done(new Error("no"))
      })
      const url = `smtp://${credentials}@localhost:${port}`
      const error = yield* Effect.flip(send({ url, from, authorities: [authority] }))
      assert.strictEqual(error.permanent, true)
      assert.notInclude(JSON.stringify(error) + error.message, "p@ss")
    })
  )
})

const INJECTION =
  "Night\r\nBcc: thief@example.com\r\nX-Evil: 1\r\n\r\n<script>alert(1)</script>\u2028Subject: other"

describe("a mail about an alert", () => {
  it.live("names the rule, the reason and where to look", () =>
    Effect.gen(function* () {
      const { mail: arrived } = yield* arrive({ to: "owner@example.com", ...alertNotice("Acme", alert) })
      assert.strictEqual(arrived.subject, "[Cairn] Night watch: ada performed user.login on Saturday")
      for (const part of [
        "Night watch",
        alert.reason,
        "Acme",
        alert.event_id,
        alert.id,
        alert.triggered_at
      ]) {
        assert.include(arrived.text, part)
        assert.include(arrived.html, part)
      }
    })
  )

  it.live("gains no header, recipient or markup from what a rule or an actor is called", () =>
    Effect.gen(function* () {
      const ordinary = yield* arrive({ to: "owner@example.com", ...alertNotice("Acme", alert) })
      const hostile = { ...alert, rule_name: INJECTION, reason: INJECTION, event_id: INJECTION }
      const { recipients, mail: arrived } = yield* arrive({
        to: "owner@example.com",
        ...alertNotice(INJECTION, hostile)
      })
      assert.deepStrictEqual(recipients, ["owner@example.com"])
      assert.deepStrictEqual(
        arrived.headers.map(({ key }) => key),
        ordinary.mail.headers.map(({ key }) => key)
      )
      assert.isUndefined(arrived.bcc)
      assert.notMatch(arrived.subject ?? "", /[\r\n\u2028]/)
      assert.notInclude(arrived.html, "<script>")
      assert.include(arrived.html, "&lt;script&gt;")
      assert.notMatch(arrived.text ?? "", /^X-Evil: 1$/m)
    })
  )

  it("shows what an action or a name holds to turn the line round, or to hide in it", () => {
    const sly = "ada performed \u202edetelped.tnuocca\u200b\u0007\u2066 once"
    const notice = alertNotice("Ac\u200bme", { ...alert, rule_name: `Night\u202e ${sly}`, reason: sly })
    for (const text of [notice.subject, notice.text, notice.html]) {
      for (const hidden of ["\u0007", "\u200b", "\u202e", "\u2066"]) assert.notInclude(text, hidden)
      assert.include(text, "\ufffddetelped.tnuocca\ufffd")
    }
  })

  it.live.each([
    "owner@example.com\r\nRCPT TO:<thief@example.com>",
    "owner@example.com, thief@example.com",
    "owner@example.com> NOTIFY=NEVER"
  ])("reaches nobody else whatever the address holds: %j", (to) =>
    Effect.gen(function* () {
      const { port, delivered } = yield* startMailServer({ disabledCommands: ["STARTTLS"] })
      yield* Effect.exit(send({ url: `smtp://127.0.0.1:${port}`, from, timeout: 2_000 }, { ...mail, to }))
      for (const { recipients } of delivered) assert.notInclude(recipients, "thief@example.com")
    })
  )
})

describe("the other mails", () => {
  it.each([
    [
      "a webhook whose receiver is gone",
      webhookDisabledNotice("Acme", { id: "whk_1", url: "https://a.example/" }, "gone", "410"),
      "410 Gone"
    ],
    [
      "a webhook that fails",
      webhookDisabledNotice("Acme", { id: "whk_1", url: "https://a.example/" }, "failing", "timeout"),
      "five days"
    ],
    [
      "a log stream",
      streamDownNotice("Acme", { id: "str_1", name: "SIEM" }, "2024-05-01T12:00:00Z", "refused"),
      "nothing is lost"
    ],
    [
      "a broken chain",
      chainBrokenNotice("Acme", {
        valid: false,
        events_checked: 3,
        breaks: [{ event_id: "event-1", type: "hash_mismatch", expected_hash: "a", actual_hash: "b" }]
      }),
      "event-1 (hash_mismatch)"
    ]
  ])("say, of %s, what happened in both bodies", (_, { subject, text, html }, part) => {
    assert.match(subject, /^\[Cairn\] /)
    assert.include(text, part)
    assert.include(html, part)
  })
})
