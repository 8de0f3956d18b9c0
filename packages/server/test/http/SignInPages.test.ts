/** What the pages to sign in do in a browser that comes another way, or with what no page has sent. */
import { SignIn } from "@cairn/core/people"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option } from "effect"
import { breakableStorage, setBroken } from "./BreakableStorage.ts"
import { Browser } from "./Browser.ts"
import { makeMember } from "./SignedIn.ts"
import { storage } from "./Storage.ts"
import { makeTenant, send, testServer, testServerOver } from "./TestServer.ts"

const HTTPS = "https://audit.example.com"

const linkFor = (email: string) =>
  Effect.flatMap(SignIn, ({ operatorLink }) => Effect.map(operatorLink(email), Option.getOrThrow))

/** A browser that opens a link and presses its button; the last answer. */
const use = Effect.fnUntraced(function* (
  browser: Browser,
  token: string,
  headers: Record<string, string> = {}
) {
  yield* browser.open(`/sign-in/link?token=${token}`, headers)
  return yield* browser.submit("/sign-in/link", { token }, headers)
})

describe("A browser", () => {
  it.live("may have several links open at once", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      const browser = new Browser()
      const links = [yield* linkFor(ada.email), yield* linkFor(ada.email), yield* linkFor(ada.email)]
      for (const { secret } of links) yield* browser.open(`/sign-in/link?token=${secret}`)
      for (const { secret } of links)
        assert.strictEqual((yield* browser.submit("/sign-in/link", { token: secret })).status, 303)
      assert.deepStrictEqual([...browser.cookies.keys()], ["cairn"])
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is on this machine only if no proxy says that it passes a request on", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      for (const [name, value] of [
        ["x-forwarded-for", "192.0.2.1"],
        ["x-forwarded-proto", "https"],
        ["x-forwarded-host", "audit.example.com"],
        ["forwarded", "for=192.0.2.1"],
        ["via", "1.1 proxy"],
        ["x-forwarded-port", "443"],
        ["x-real-ip", "203.0.113.9"],
        ["cf-connecting-ip", "203.0.113.9"],
        ["true-client-ip", "203.0.113.9"],
        // A proxy that says nothing: the browser does.
        ["origin", "https://audit.example.com"]
      ] as const) {
        const { secret } = yield* linkFor(ada.email)
        const browser = new Browser()
        const done = yield* use(browser, secret, { host: "localhost:8787", [name]: value })
        assert.strictEqual(done.status, 403, name)
        assert.include(done.text, "CAIRN_BASE_URL", name)
        assert.strictEqual(browser.cookies.size, 0, name)
        const local = new Browser()
        yield* use(local, secret)
        const asked = yield* send({ path: "/api/v1/me", headers: local.headers({ [name]: value }) })
        assert.strictEqual(asked.status, 401, name)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live(
    "that came over http to a service with https is led there, and gets no cookie that would not come back",
    () =>
      Effect.gen(function* () {
        const { workspace } = yield* makeTenant()
        const ada = yield* makeMember(workspace.id, "member")
        const { secret } = yield* linkFor(ada.email)
        const path = `/sign-in/link?token=${secret}`
        const plain = yield* send({ path, headers: { host: "10.0.0.5:8787" } })
        assert.strictEqual(plain.status, 403)
        assert.include(plain.text, `href="${HTTPS}/sign-in"`)
        assert.notInclude(plain.text, "CAIRN_BASE_URL")
        assert.isUndefined(plain.headers["set-cookie"])
        const form = yield* send({
          method: "POST",
          path: "/sign-in/link",
          headers: {
            host: "audit.example.com",
            origin: "http://audit.example.com",
            "content-type": "application/x-www-form-urlencoded"
          },
          body: `token=${secret}`
        })
        assert.include(form.text, `href="${HTTPS}/sign-in"`)
        // A proxy with TLS may pass on another name; the browser says then that it is the page's own.
        const browser = new Browser()
        assert.strictEqual((yield* use(browser, secret, { host: "cairn:8787" })).status, 303)
      }).pipe(Effect.provide(testServer({ config: { baseUrl: HTTPS } })))
  )

  it.live("gets a page, whatever it asks the pages with", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      const browser = new Browser()
      yield* use(browser, (yield* linkFor(ada.email)).secret)
      for (const [path, leads] of [
        ["/sign-in/email", "/sign-in"],
        ["/sign-out", "/sign-in"],
        ["/account/sessions/end", "/account"],
        ["/account/sessions/end-others", "/account"],
        ["/sign-in?why=unheard_of", "/sign-in"],
        ["/sign-in?return=a&return=b", "/sign-in"],
        ["/sign-in/link?token=%ff", "/sign-in/link"],
        ["/account?done=everything", "/account"]
      ] as const) {
        const answer = yield* browser.open(path)
        assert.strictEqual(answer.status, 303, path)
        assert.strictEqual(answer.headers.location, leads, path)
      }
      const twice = yield* send({
        method: "POST",
        path: "/account/sessions/end",
        headers: browser.headers({ "content-type": "application/x-www-form-urlencoded" }),
        body: "session=a&session=b"
      })
      assert.strictEqual(twice.headers.location, "/account")
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is led to pages alone once it has signed in", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      const landing = Effect.fnUntraced(function* (wanted: string) {
        const made = yield* (yield* SignIn).requestLink(ada.email, wanted)
        return (yield* use(new Browser(), Option.getOrThrow(made).secret)).headers.location
      })
      assert.strictEqual(yield* landing("/filesystem"), "/filesystem")
      for (const wanted of ["/files/exports/exp_1?signature=x", "/x/../sign-out"])
        assert.strictEqual(yield* landing(wanted), "/", wanted)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("Signing out", () => {
  it.live("takes the cookie from the browser, also where the store does not answer", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const ada = yield* makeMember(workspace.id, "member")
      const browser = new Browser()
      yield* use(browser, (yield* linkFor(ada.email)).secret)
      yield* setBroken(true)
      const out = yield* browser.submit("/sign-out", {})
      yield* setBroken(false)
      assert.strictEqual(out.status, 503)
      assert.include(out.text, "<!doctype html>")
      assert.isFalse(browser.cookies.has("cairn"))
    }).pipe(Effect.provide(testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())))))
  )
})

describe("A service behind a proxy that it does not trust", () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))

  it.live("says so once", () =>
    Effect.gen(function* () {
      const said = () => lines.filter((line) => line.includes("CAIRN_TRUSTED_PROXIES")).length
      yield* send({ path: "/sign-in" })
      assert.strictEqual(said(), 0)
      for (let times = 0; times < 3; times++)
        yield* send({ path: "/sign-in", headers: { "x-forwarded-for": "192.0.2.1" } })
      assert.strictEqual(said(), 1)
    }).pipe(Effect.provide(testServer({ logger })))
  )
})
