import { Micros } from "@cairn/core/encoding"
import { SecretBox } from "@cairn/core/hashing"
import { decodeMailNotice, Outbox } from "@cairn/core/outbound"
import { SignIn } from "@cairn/core/people"
import { Members } from "@cairn/core/workspace"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Option, Result } from "effect"
import { layerSecrets } from "../../src/secret/SecretKeys.ts"
import { Browser, pathOf } from "./Browser.ts"
import { makeMember, signedIn } from "./SignedIn.ts"
import { standing } from "./StandingClock.ts"
import { makeTenant, makeWorkspace, SECRET_KEY, send, testServer } from "./TestServer.ts"

/** The mails that wait for an address, the newest last, each with the path of its link. */
const mailsTo = (address: string) =>
  Effect.gen(function* () {
    const outbox = yield* Outbox
    const box = yield* SecretBox
    const now = yield* Micros.now
    const receivers = yield* outbox.receivers("mail", now + Micros.SECOND)
    const shares = receivers
      .filter(({ target }) => target === address)
      .map(({ workspaceId, target }) => ({ workspaceId, target, limit: 100 }))
    const claimed = yield* outbox.claim({
      channel: "mail",
      shares,
      now: now + Micros.SECOND,
      until: now,
      claim: "test"
    })
    return yield* Effect.forEach(claimed, ({ id, payload, workspaceId }) =>
      Effect.map(decodeMailNotice(payload), (notice) => {
        assert.isTrue(notice.kind === "sign_in" || notice.kind === "invitation")
        if (notice.kind !== "sign_in" && notice.kind !== "invitation") throw new Error(notice.kind)
        return {
          notice,
          workspaceId,
          payload,
          path: pathOf(Result.getOrThrow(box.open(notice.sealed, id)))
        }
      })
    )
  }).pipe(Effect.provide(layerSecrets([SECRET_KEY])))

/** Waits for what goes on behind an answer. */
const eventually = <A, E, R>(effect: Effect.Effect<ReadonlyArray<A>, E, R>, count = 1) =>
  Effect.gen(function* () {
    for (let tries = 0; tries < 200; tries++) {
      const found = yield* effect
      if (found.length >= count) return found
      yield* Effect.sleep("10 millis")
    }
    return yield* effect
  })

/** The secret that a link's page has in its form. */
const tokenIn = (page: string): string => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ""

const withMail = { mail: true }

describe("Signing in by a link in a mail", () => {
  it.live("takes asking, opening and pressing the button, in one browser", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "admin", { confirmed_at: null })
      const browser = new Browser()
      const asked = yield* browser.submit("/sign-in/email", { email: ada.email.toUpperCase() })
      assert.strictEqual(asked.status, 200)
      assert.include(asked.text, ada.email.toUpperCase())
      const [mail] = yield* eventually(mailsTo(ada.email))
      assert.strictEqual(mail?.notice.kind, "sign_in")
      const opened = yield* browser.open(mail?.path ?? "")
      assert.strictEqual(opened.status, 200)
      assert.include(opened.text, ada.email)
      const token = tokenIn(opened.text)
      assert.match(token, /^[A-Za-z0-9_-]{43}$/)
      assert.notInclude(mail?.payload, token)
      // Opening it as often as one likes signs nobody in.
      assert.strictEqual((yield* new Browser().open(mail?.path ?? "")).status, 200)
      assert.isFalse(browser.cookies.has("cairn"))
      const done = yield* browser.submit("/sign-in/link", { token })
      assert.strictEqual(done.status, 303)
      assert.strictEqual(done.headers.location, "/")
      assert.isTrue(browser.cookies.has("cairn"))
      assert.deepStrictEqual([...browser.cookies.keys()], ["cairn"])
      const session = done.headers["set-cookie"]?.find((line) => line.startsWith("cairn="))
      assert.match(String(session), /HttpOnly/)
      assert.match(String(session), /SameSite=Lax/)
      assert.notMatch(String(session), /Secure/)
      const account = yield* browser.open("/account")
      assert.include(account.text, ada.email)
      const [member] = yield* (yield* Members).list(workspace.id)
      assert.isNumber(member?.confirmed_at)
      const console = yield* browser.open("/")
      assert.strictEqual(console.status, 200)
      assert.include(console.text, "/console/")
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("says who is signed out by it, where the browser is somebody else's", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "admin")
      const grace = yield* signedIn(workspace.id, "developer")
      const browser = new Browser()
      browser.cookies.set("cairn", grace.secret)
      const textOf = Effect.fnUntraced(function* (email: string) {
        yield* new Browser().submit("/sign-in/email", { email })
        const [mail] = yield* eventually(mailsTo(email))
        return (yield* browser.open(mail?.path ?? "")).text
      })
      const said = "is signed in in this browser, and will be signed out"
      const text = yield* textOf(ada.email)
      assert.include(text, said)
      assert.include(text, grace.member.email)
      assert.notInclude(yield* textOf(grace.member.email), said)
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("answers alike for addresses that are known and unknown, and mails only the known one", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "member", { email: "known@example.com" })
      const gone = yield* Micros.now
      yield* makeMember(workspace.id, "auditor", { email: "gone@example.com", expires_at: gone })
      const ask = (email: string) => new Browser().submit("/sign-in/email", { email })
      const known = yield* ask("known@example.com")
      const texts = [known.text.replaceAll("known@", "@")]
      for (const name of ["unknown", "gone", "nobody"]) {
        const answer = yield* ask(`${name}@example.com`)
        assert.strictEqual(answer.status, known.status)
        texts.push(answer.text.replaceAll(`${name}@`, "@"))
        assert.deepStrictEqual(Object.keys(answer.headers), Object.keys(known.headers))
      }
      assert.strictEqual(new Set(texts).size, 1)
      yield* eventually(mailsTo("known@example.com"))
      const receivers = yield* (yield* Outbox).receivers("mail", (yield* Micros.now) + Micros.SECOND)
      assert.deepStrictEqual(
        receivers.map(({ target }) => target),
        ["known@example.com"]
      )
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("makes a link at a time of its own, which tells nobody that an address is known", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const addresses = ["one@example.com", "two@example.com", "three@example.com"]
      for (const email of addresses) {
        yield* makeMember(workspace.id, "member", { email })
        yield* new Browser().submit("/sign-in/email", { email })
      }
      yield* Effect.sleep("50 millis")
      const waiting = yield* Effect.forEach(addresses, mailsTo)
      assert.isBelow(waiting.filter(({ length }) => length > 0).length, addresses.length)
    }).pipe(Effect.provide(testServer({ ...withMail, config: { linkDelay: 60_000 } })))
  )

  it.live("sends the mail to the address as it is known, never to one that only looks like it", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "member", { email: "kate@example.com" })
      yield* new Browser().submit("/sign-in/email", { email: "\u{212A}ate@example.com" })
      yield* new Browser().submit("/sign-in/email", { email: "KATE@EXAMPLE.com" })
      yield* eventually(mailsTo("kate@example.com"))
      const receivers = yield* (yield* Outbox).receivers("mail", (yield* Micros.now) + Micros.SECOND)
      assert.deepStrictEqual(
        receivers.map(({ target }) => target),
        ["kate@example.com"]
      )
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("mails one address three links within a quarter of an hour, and one network twenty a minute", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "member", { email: "ada@example.com" })
      const statuses: Array<number> = []
      for (let index = 0; index < 25; index++) {
        const answer = yield* new Browser().submit("/sign-in/email", { email: "ada@example.com" })
        statuses.push(answer.status)
        if (answer.status === 429) assert.isString(answer.headers["retry-after"])
      }
      assert.strictEqual(statuses.filter((status) => status === 200).length, 20)
      assert.lengthOf(yield* eventually(mailsTo("ada@example.com"), 3), 3)
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("works once, also if its button is pressed by many at once", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      const made = Option.getOrThrow(yield* (yield* SignIn).operatorLink(ada.email))
      const path = `/sign-in/link?token=${made.secret}`
      const browsers = Array.from({ length: 8 }, () => new Browser())
      for (const browser of browsers) yield* browser.open(path)
      const answers = yield* Effect.forEach(
        browsers,
        (browser) => browser.submit("/sign-in/link", { token: made.secret }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 303).length, 1)
      assert.strictEqual(answers.filter(({ status }) => status === 410).length, 7)
      assert.strictEqual((yield* new Browser().open(path)).status, 410)
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("needs the browser that opened it, and a page of the service", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      const made = Option.getOrThrow(yield* (yield* SignIn).operatorLink(ada.email))
      const other = Option.getOrThrow(yield* (yield* SignIn).operatorLink(ada.email))
      const path = `/sign-in/link?token=${made.secret}`
      // A scanner that presses buttons without keeping cookies, and one that kept those of another link.
      const scanner = new Browser()
      assert.strictEqual((yield* scanner.submit("/sign-in/link", { token: made.secret })).status, 403)
      yield* scanner.open(`/sign-in/link?token=${other.secret}`)
      assert.strictEqual((yield* scanner.submit("/sign-in/link", { token: made.secret })).status, 403)
      const browser = new Browser()
      yield* browser.open(path)
      for (const headers of [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "none" }
      ]) {
        const foreign = yield* browser.submit("/sign-in/link", { token: made.secret }, headers)
        assert.strictEqual(foreign.status, 403)
      }
      assert.isFalse(browser.cookies.has("cairn"))
      assert.strictEqual((yield* browser.submit("/sign-in/link", { token: made.secret })).status, 303)
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("is refused for links that nobody made, and for one whose member is gone", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      for (const token of ["", "x", "A".repeat(43), "%00", "\u{1F600}"]) {
        const answer = yield* new Browser().open(`/sign-in/link?token=${encodeURIComponent(token)}`)
        assert.include([400, 404], answer.status, token)
      }
      const made = Option.getOrThrow(yield* (yield* SignIn).operatorLink(ada.email))
      const browser = new Browser()
      yield* browser.open(`/sign-in/link?token=${made.secret}`)
      yield* send({ method: "DELETE", path: `/api/v1/members/${ada.id}`, key })
      assert.strictEqual((yield* browser.submit("/sign-in/link", { token: made.secret })).status, 403)
      assert.isFalse(browser.cookies.has("cairn"))
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("begins a new session, whatever cookie the browser had, and ends the one before", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      const browser = new Browser()
      const signIn = Effect.gen(function* () {
        const { secret } = Option.getOrThrow(yield* (yield* SignIn).operatorLink(ada.email))
        yield* browser.open(`/sign-in/link?token=${secret}`)
        yield* browser.submit("/sign-in/link", { token: secret })
        return browser.cookies.get("cairn") ?? ""
      })
      // Planted by somebody who hopes that it becomes the person's.
      browser.cookies.set("cairn", "A".repeat(43))
      const first = yield* signIn
      assert.notStrictEqual(first, "A".repeat(43))
      const second = yield* signIn
      assert.notStrictEqual(second, first)
      const me = (secret: string) => send({ path: "/api/v1/me", headers: { cookie: `cairn=${secret}` } })
      assert.strictEqual((yield* me(first)).status, 401)
      assert.strictEqual((yield* me(second)).status, 200)
      assert.strictEqual((yield* me("A".repeat(43))).status, 401)
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("leads to a page of the service, whatever it was asked for with", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      const landing = Effect.fnUntraced(function* (wanted: string) {
        const made = yield* (yield* SignIn).requestLink(ada.email, wanted)
        if (Option.isNone(made)) return "no link"
        const { secret } = made.value
        const browser = new Browser()
        yield* browser.open(`/sign-in/link?token=${secret}`)
        return (yield* browser.submit("/sign-in/link", { token: secret })).headers.location
      })
      assert.strictEqual(yield* landing("/alerts?x=1#y"), "/alerts?x=1#y")
      assert.strictEqual(yield* landing("//evil.example"), "/")
      assert.strictEqual(yield* landing("/\\evil.example"), "/")
    }).pipe(Effect.provide(testServer(withMail)))
  )
})

describe("The time of a link", () => {
  it.live("is a quarter of an hour, and a week for an invitation", () => {
    const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
    return Effect.gen(function* () {
      const workspace = yield* makeWorkspace()
      const ada = yield* makeMember(workspace.id, "member")
      const use = yield* SignIn
      const mailed = Option.getOrThrow(yield* use.requestLink(ada.email, null))
      const operators = Option.getOrThrow(yield* use.operatorLink(ada.email))
      const invited = Option.getOrThrow(yield* use.inviteLink(ada))
      const status = (secret: string) =>
        Effect.map(new Browser().open(`/sign-in/link?token=${secret}`), (answer) => answer.status)
      time.advance(15 * Micros.MINUTE - 1)
      for (const { secret } of [mailed, operators, invited]) assert.strictEqual(yield* status(secret), 200)
      time.advance(1)
      for (const { secret } of [mailed, operators]) assert.strictEqual(yield* status(secret), 410)
      time.advance(7 * Micros.DAY - 15 * Micros.MINUTE - 1)
      assert.strictEqual(yield* status(invited.secret), 200)
      time.advance(1)
      assert.strictEqual(yield* status(invited.secret), 410)
    }).pipe(Effect.provide(testServer(withMail)), Effect.provideService(Clock.Clock, standing(time.clock)))
  })
})

describe("An invitation", () => {
  it.live("is mailed to a new member, says to what, and leads into the workspace", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const created = yield* send({
        path: "/api/v1/members",
        key,
        body: { email: "ada@example.com", role: "auditor", expires_at: "2999-01-01" }
      })
      assert.strictEqual(created.status, 422, "beyond what is exact")
      const made = yield* send({
        path: "/api/v1/members",
        key,
        body: { email: "ada@example.com", role: "auditor", expires_at: "2200-01-01" }
      })
      assert.strictEqual(made.status, 201)
      const [mail] = yield* mailsTo("ada@example.com")
      assert.deepInclude(mail?.notice, { kind: "invitation", workspace: workspace.name, role: "auditor" })
      assert.strictEqual(mail?.workspaceId, workspace.id)
      const browser = new Browser()
      const page = yield* browser.open(mail?.path ?? "")
      assert.include(page.text, workspace.name)
      yield* browser.submit("/sign-in/link", { token: tokenIn(page.text) })
      const [member] = yield* (yield* Members).list(workspace.id)
      assert.isNumber(member?.confirmed_at)
      const listed = yield* send({ path: "/api/v1/deliveries", key })
      const [delivery] = listed.json<{ data: ReadonlyArray<{ id: string }> }>().data
      const shown = yield* send({ path: `/api/v1/deliveries/${delivery?.id}`, key })
      assert.strictEqual(shown.json<{ data: { payload: string } }>().data.payload, '{"kind":"invitation"}')
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("is sent again, a few times, and not where the service sends no mail", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const made = yield* send({ path: "/api/v1/members", key, body: { email: "ada@example.com" } })
      const { id } = made.json<{ data: { id: string } }>().data
      const statuses = yield* Effect.forEach(Array.from({ length: 6 }), () =>
        Effect.map(
          send({ method: "POST", path: `/api/v1/members/${id}/invite`, key }),
          ({ status }) => status
        )
      )
      assert.deepStrictEqual(statuses, [202, 202, 202, 202, 409, 409])
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("is not sent where the service sends no mail, and says how else", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const made = yield* send({ path: "/api/v1/members", key, body: { email: "ada@example.com" } })
      const { id } = made.json<{ data: { id: string } }>().data
      const again = yield* send({ method: "POST", path: `/api/v1/members/${id}/invite`, key })
      assert.strictEqual(again.status, 409)
      assert.match(String(again.json().message), /cairn member sign-in-link/)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("The pages to sign in", () => {
  it.live("say over http from elsewhere that they need https, and sign nobody in there", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      const { secret } = Option.getOrThrow(yield* (yield* SignIn).operatorLink(ada.email))
      const elsewhere = { host: "audit.example.com" }
      for (const path of ["/", "/sign-in", `/sign-in/link?token=${secret}`, "/account"]) {
        const answer = yield* new Browser().open(path, elsewhere)
        assert.strictEqual(answer.status, 403, path)
        assert.include(answer.text, "CAIRN_BASE_URL=https://audit.example.com")
        assert.isUndefined(answer.headers["set-cookie"])
      }
      const posted = yield* new Browser().submit("/sign-in/link", { token: secret }, elsewhere)
      assert.strictEqual(posted.status, 403)
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("set cookies for this host and https alone where the service is reached by https", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      const { secret } = Option.getOrThrow(yield* (yield* SignIn).operatorLink(ada.email))
      const browser = new Browser()
      const host = { host: "audit.example.com" }
      yield* browser.open(`/sign-in/link?token=${secret}`, host)
      const done = yield* browser.submit("/sign-in/link", { token: secret }, host)
      assert.strictEqual(done.status, 303)
      const cookies = done.headers["set-cookie"] ?? []
      assert.lengthOf(cookies, 2)
      for (const cookie of cookies) {
        assert.match(cookie, /^__Host-cairn/)
        for (const attribute of [/; Secure/, /; HttpOnly/, /; Path=\/(;|$)/, /; SameSite=Lax/])
          assert.match(cookie, attribute)
        assert.notMatch(cookie, /Domain/i)
      }
    }).pipe(Effect.provide(testServer({ ...withMail, config: { baseUrl: "https://audit.example.com" } })))
  )

  it.live("are under a policy without scripts, in no frame, and kept by nobody", () =>
    Effect.gen(function* () {
      for (const path of ["/sign-in", "/sign-in?why=signed_out", "/sign-in/link?token=x"]) {
        const { headers, text } = yield* new Browser().open(path)
        assert.match(String(headers["content-security-policy"]), /^default-src 'none'; style-src 'self'/)
        assert.match(String(headers["content-security-policy"]), /frame-ancestors 'none'/)
        assert.strictEqual(headers["cache-control"], "no-store")
        assert.notMatch(text, /<script|javascript:|\son[a-z]+=/i)
        const [, sheet = ""] = /rel="stylesheet" href="([^"]+)"/.exec(text) ?? []
        assert.strictEqual((yield* send({ path: sheet })).headers["content-type"], "text/css; charset=utf-8")
      }
      assert.strictEqual((yield* send({ method: "DELETE", path: "/sign-in" })).status, 405)
      assert.strictEqual((yield* send({ method: "PUT", path: "/sign-out" })).status, 405)
    }).pipe(Effect.provide(testServer(withMail)))
  )

  it.live("speak the browser's language", () =>
    Effect.gen(function* () {
      for (const [accept, lang] of [
        ["de-AT,de;q=0.9,en;q=0.5", "de"],
        ["ja", "ja"],
        ["fr", "en"]
      ] as const) {
        const { text } = yield* new Browser().open("/sign-in", { "accept-language": accept })
        assert.include(text, `<html lang="${lang}">`)
      }
    }).pipe(Effect.provide(testServer(withMail)))
  )
})

describe("The account's page", () => {
  it.live("ends one's own sessions, and signs out: the cookie that was stolen is of no use then", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      const arrive = Effect.gen(function* () {
        const browser = new Browser()
        const { secret } = Option.getOrThrow(yield* (yield* SignIn).operatorLink(ada.email))
        yield* browser.open(`/sign-in/link?token=${secret}`)
        yield* browser.submit("/sign-in/link", { token: secret })
        return browser
      })
      const first = yield* arrive
      const second = yield* arrive
      const third = yield* arrive
      const page = (yield* first.open("/account")).text
      const ids = [...page.matchAll(/name="session" value="(ses_[^"]+)"/g)].map(([, id = ""]) => id)
      assert.lengthOf(ids, 3)
      const status = (browser: Browser) =>
        Effect.map(send({ path: "/api/v1/me", headers: browser.headers() }), (answer) => answer.status)
      // The page lists its own session first.
      const foreign = { "sec-fetch-site": "cross-site" }
      const session = ids[1] ?? ""
      assert.strictEqual((yield* first.submit("/account/sessions/end", { session }, foreign)).status, 403)
      assert.strictEqual((yield* first.submit("/account/sessions/end-others", {}, foreign)).status, 403)
      assert.strictEqual((yield* first.submit("/sign-out", {}, foreign)).status, 403)
      const ended = yield* first.submit("/account/sessions/end", { session })
      assert.strictEqual(ended.headers.location, "/account?done=session_ended")
      assert.deepStrictEqual([yield* status(second), yield* status(third)].sort(), [200, 401])
      yield* first.submit("/account/sessions/end-others", {})
      assert.deepStrictEqual(
        [yield* status(first), yield* status(second), yield* status(third)],
        [200, 401, 401]
      )
      const stolen = first.headers()
      const out = yield* first.submit("/sign-out", {})
      assert.strictEqual(out.status, 200)
      assert.isFalse(first.cookies.has("cairn"))
      assert.strictEqual((yield* send({ path: "/api/v1/me", headers: stolen })).status, 401)
      const again = yield* first.open("/account")
      assert.strictEqual(again.headers.location, "/sign-in?why=sign_in_first&return=/account")
      const old = yield* send({ path: "/account", headers: stolen })
      assert.strictEqual(old.headers.location, "/sign-in?why=session_ended&return=/account")
    }).pipe(Effect.provide(testServer(withMail)))
  )
})
