/** Setting up a service that has no owner, by the link that its start writes to a file. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Micros } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import { Setup } from "@cairn/core/management"
import { People, Sessions, SignIn, SignInLinks } from "@cairn/core/people"
import { demoWorkspaceId, ManagedWorkspaces, Members } from "@cairn/core/workspace"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger, Option, References } from "effect"
import { breakableStorage, setBroken } from "./BreakableStorage.ts"
import { Browser } from "./Browser.ts"
import { makeMember } from "./SignedIn.ts"
import { standing } from "./StandingClock.ts"
import { storage } from "./Storage.ts"
import {
  makeKey,
  makeTenant,
  makeWorkspace,
  type Received,
  send,
  sequence,
  testServer,
  testServerOver
} from "./TestServer.ts"

/** A link, as a start makes it. */
const makeLink = Effect.flatMap(SignIn, ({ setupLink }) =>
  Effect.map(setupLink, (made) => Option.getOrThrow(made).secret)
)

const pathOf = (token: string) => `/set-up?token=${token}`

/** What a person enters. */
const ENTERED = { workspace_name: "Acme", email: "ada@example.com", name: "Ada" }

/** A browser that opens a link and sends its form; the last answer. */
const use = Effect.fnUntraced(function* (
  browser: Browser,
  token: string,
  fields: Record<string, string> = ENTERED,
  headers: Record<string, string> = {}
) {
  yield* browser.open(pathOf(token), headers)
  return yield* browser.submit("/set-up", { token, ...fields }, headers)
})

/** What there is of workspaces, and of members in all of them. */
const state = Effect.gen(function* () {
  const workspaces = yield* (yield* ManagedWorkspaces).list
  const members = yield* (yield* Members).all
  return { workspaces, members }
})

interface ReadEvent {
  readonly action: string
  readonly actor: { readonly id: string }
}

/** The events of a workspace's log, oldest first. */
const eventsOf = Effect.fnUntraced(function* (workspaceId: string) {
  yield* sequence
  const { key } = yield* makeKey(workspaceId)
  const answer = yield* send({ path: "/api/v1/events?limit=100", key })
  return answer.json<{ data: ReadonlyArray<ReadEvent> }>().data.toReversed()
})

const expectSetUp = (answer: Received) => {
  assert.strictEqual(answer.status, 303, answer.text)
  assert.strictEqual(answer.headers.location, "/")
}

describe("Setting up", () => {
  it.live("makes the first workspace and its owner, records both, and signs the owner in", () =>
    Effect.gen(function* () {
      const token = yield* makeLink
      const browser = new Browser()
      const opened = yield* browser.open(pathOf(token))
      assert.strictEqual(opened.status, 200)
      assert.include(opened.text, `name="token" value="${token}"`)
      // Opening it as often as one likes does nothing.
      yield* new Browser().open(pathOf(token))
      assert.deepStrictEqual(yield* state, { workspaces: [], members: [] })
      expectSetUp(yield* browser.submit("/set-up", { token, ...ENTERED, email: " Ada@example.com " }))
      assert.deepStrictEqual([...browser.cookies.keys()], ["cairn"])
      const { workspaces, members } = yield* state
      assert.deepStrictEqual(
        workspaces.map(({ name, plan }) => ({ name, plan })),
        [{ name: "Acme", plan: "enterprise" }]
      )
      const [owner] = members
      assert.lengthOf(members, 1)
      assert.deepInclude(owner, {
        workspace_id: workspaces[0]?.id ?? "",
        email: "Ada@example.com",
        name: "Ada",
        role: "owner",
        confirmed_at: null
      })
      const account = yield* browser.open("/account")
      assert.include(account.text, "Ada@example.com")
      assert.include(account.text, "Link from the operator")
      const events = yield* eventsOf(workspaces[0]?.id ?? "")
      assert.deepStrictEqual(
        events.map(({ action, actor }) => [action, actor.id]),
        [
          ["cairn.workspace.created", "cairn-setup"],
          ["cairn.member.created", "cairn-setup"],
          ["cairn.session.started", owner?.id ?? ""]
        ]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("makes the first workspace and its owner beside a demo's, which are nobody's", () =>
    Effect.gen(function* () {
      const created_at = yield* Micros.now
      const demo = yield* makeWorkspace({
        id: demoWorkspaceId(yield* Sha256, created_at),
        name: "Demo",
        created_at
      })
      yield* makeMember(demo.id, "owner")
      const setup = yield* Setup
      assert.isFalse(yield* setup.isDone)
      const [token, other] = [yield* makeLink, yield* makeLink]
      const browser = new Browser()
      const opened = yield* browser.open(pathOf(token))
      assert.include(opened.text, "workspace_name")
      assert.notInclude(opened.text, "<option")
      const chosen = yield* browser.submit("/set-up", {
        token,
        ...ENTERED,
        workspace_name: "",
        workspace_id: demo.id
      })
      assert.strictEqual(chosen.status, 422)
      expectSetUp(yield* browser.submit("/set-up", { token, ...ENTERED }))
      assert.isTrue(yield* setup.isDone)
      assert.strictEqual((yield* new Browser().open(pathOf(other))).status, 410)
      const { workspaces, members } = yield* state
      assert.deepStrictEqual(
        workspaces.map(({ name }) => name),
        ["Demo", "Acme"]
      )
      assert.strictEqual(members.filter(({ workspace_id }) => workspace_id !== demo.id).length, 1)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("makes the owner of a workspace that is there, with which it starts the choice", () =>
    Effect.gen(function* () {
      const [first, second] = [
        yield* makeWorkspace({ name: "First <1>" }),
        yield* makeWorkspace({ name: "Second" })
      ]
      yield* makeMember(first.id, "admin")
      const token = yield* makeLink
      const browser = new Browser()
      const opened = yield* browser.open(pathOf(token))
      assert.match(opened.text, /First &lt;1&gt;<\/option>\s*<option[^>]*>Second/)
      assert.notInclude(opened.text, "workspace_name")
      const name = "No second workspace by a name that nobody asked for"
      const unchosen = yield* browser.submit("/set-up", { token, ...ENTERED, workspace_name: name })
      assert.strictEqual(unchosen.status, 422)
      const foreign = { token, ...ENTERED, workspace_id: "wsp_other" }
      assert.strictEqual((yield* browser.submit("/set-up", foreign)).status, 422)
      expectSetUp(yield* browser.submit("/set-up", { token, ...ENTERED, name: "", workspace_id: second.id }))
      const { workspaces, members } = yield* state
      assert.lengthOf(workspaces, 2)
      const owners = members.filter(({ role }) => role === "owner")
      assert.deepStrictEqual(
        owners.map(({ workspace_id, name }) => [workspace_id, name]),
        [[second.id, null]]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("works once, and says so afterwards, whichever link it was", () =>
    Effect.gen(function* () {
      const [token, other] = [yield* makeLink, yield* makeLink]
      const late = new Browser()
      yield* late.open(pathOf(other))
      expectSetUp(yield* use(new Browser(), token))
      for (const [browser, used] of [
        [new Browser(), token],
        [late, other]
      ] as const) {
        const answer = yield* browser.open(pathOf(used))
        assert.strictEqual(answer.status, 410)
        assert.include(answer.text, "This service is set up")
        assert.include(answer.text, "cairn member sign-in-link ADDRESS")
      }
      const again = yield* late.submit("/set-up", { token: other, ...ENTERED, workspace_name: "Evil" })
      assert.strictEqual(again.status, 410)
      const { workspaces, members } = yield* state
      assert.deepStrictEqual([workspaces.length, members.length], [1, 1])
      const found = yield* (yield* SignInLinks).find((yield* Sha256).hex(other))
      assert.isNotNull(Option.getOrThrow(found).spent_at)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("does nothing any more once the command has made an owner", () =>
    Effect.gen(function* () {
      const token = yield* makeLink
      const browser = new Browser()
      yield* browser.open(pathOf(token))
      const { workspace } = yield* makeTenant()
      yield* makeMember(workspace.id, "owner")
      const fields = { token, ...ENTERED, workspace_id: workspace.id }
      const answer = yield* browser.submit("/set-up", fields)
      assert.strictEqual(answer.status, 410)
      assert.include(answer.text, "This service is set up")
      assert.lengthOf((yield* state).members, 1)
      assert.isFalse(browser.cookies.has("cairn"))
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is done by one of many, with one link or several, and makes one workspace", () =>
    Effect.gen(function* () {
      const tokens = [yield* makeLink, yield* makeLink]
      const browsers = Array.from({ length: 8 }, (_, index) => ({
        browser: new Browser(),
        token: tokens[index % 2] ?? "",
        fields: { workspace_name: `Acme ${index}`, email: `ada${index >> 1}@example.com`, name: "" }
      }))
      for (const { browser, token } of browsers) yield* browser.open(pathOf(token))
      const answers = yield* Effect.forEach(
        browsers,
        ({ browser, token, fields }) => browser.submit("/set-up", { token, ...fields }),
        { concurrency: "unbounded" }
      )
      const statuses = answers.map(({ status }) => status)
      assert.lengthOf(
        statuses.filter((status) => status === 303),
        1,
        statuses.join()
      )
      for (const status of statuses) assert.include([303, 410, 422], status)
      const { workspaces, members } = yield* state
      assert.deepStrictEqual([workspaces.length, members.length], [1, 1])
      const person = Option.getOrThrow(yield* (yield* People).ofAddress(members[0]?.email ?? ""))
      assert.lengthOf(yield* (yield* Sessions).ofPerson(person.id), 1)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("says at each field what is wrong with it, and keeps what was entered", () =>
    Effect.gen(function* () {
      const token = yield* makeLink
      const browser = new Browser()
      yield* browser.open(pathOf(token))
      const wrong = { workspace_name: "  ", email: "ada<at>example.com", name: "A".repeat(1_025) }
      for (const [language, words] of [
        ["en", ["Enter a name of 1 to 1,024 characters.", "Enter an address", "at most 1,024 characters"]],
        ["de", ["Geben Sie einen Namen mit 1 bis 1.024", "Geben Sie eine Adresse", "höchstens 1.024"]],
        ["ja", ["1～1,024 文字", "のような形式で", "1,024 文字以内"]]
      ] as const) {
        const answer = yield* browser.submit("/set-up", { token, ...wrong }, { "accept-language": language })
        assert.strictEqual(answer.status, 422)
        for (const word of words) assert.include(answer.text, word)
        assert.include(answer.text, 'value="ada&lt;at&gt;example.com"')
        assert.include(answer.text, `value="${wrong.name}"`)
        assert.include(answer.text, `value="${token}"`)
        for (const field of ["workspace", "email", "name"]) {
          assert.match(answer.text, new RegExp(`id="${field}-fault"`))
          assert.match(
            answer.text,
            new RegExp(`aria-invalid="true"\\s+aria-describedby="${field}-fault ${field}-hint"`)
          )
        }
      }
      const one = yield* browser.submit("/set-up", { token, ...ENTERED, email: "ada" })
      assert.include(one.text, 'id="email-fault"')
      assert.notMatch(one.text, /id="(?:workspace|name)-fault"/)
      assert.include(one.text, 'value="Acme"')
      assert.deepStrictEqual(yield* state, { workspaces: [], members: [] })
      expectSetUp(yield* browser.submit("/set-up", { token, ...ENTERED }))
    }).pipe(Effect.provide(testServer()))
  )

  it.live("makes no second member of an address, and says how that one becomes the owner", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace()
      yield* makeMember(workspace.id, "admin", { email: "ADA@example.com" })
      const token = yield* makeLink
      const answer = yield* use(new Browser(), token, { ...ENTERED, workspace_id: workspace.id })
      assert.strictEqual(answer.status, 422)
      assert.include(answer.text, "cairn member update ADDRESS --role owner")
      assert.lengthOf((yield* state).members, 1)
      assert.deepStrictEqual(yield* eventsOf(workspace.id), [])
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A set-up link", () => {
  it.live("needs the browser that opened it, and a page of the service", () =>
    Effect.gen(function* () {
      const [token, other] = [yield* makeLink, yield* makeLink]
      const scanner = new Browser()
      const refused = yield* scanner.submit("/set-up", { token, ...ENTERED })
      assert.strictEqual(refused.status, 403)
      assert.include(refused.text, "Nothing was set up")
      yield* scanner.open(pathOf(other))
      assert.strictEqual((yield* scanner.submit("/set-up", { token, ...ENTERED })).status, 403)
      const browser = new Browser()
      yield* browser.open(pathOf(token))
      for (const site of ["cross-site", "same-site", "none"]) {
        const foreign = yield* browser.submit("/set-up", { token, ...ENTERED }, { "sec-fetch-site": site })
        assert.strictEqual(foreign.status, 403, site)
      }
      assert.deepStrictEqual(yield* state, { workspaces: [], members: [] })
      expectSetUp(yield* browser.submit("/set-up", { token, ...ENTERED }))
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is no link that signs in, and none that signs in sets up", () =>
    Effect.gen(function* () {
      const token = yield* makeLink
      assert.strictEqual((yield* new Browser().open(`/sign-in/link?token=${token}`)).status, 404)
      const workspace = yield* makeWorkspace()
      const admin = yield* makeMember(workspace.id, "admin")
      const { secret } = Option.getOrThrow(yield* (yield* SignIn).operatorLink(admin.email))
      const answer = yield* use(new Browser(), secret, { ...ENTERED, workspace_id: workspace.id })
      assert.include([403, 404], answer.status)
      assert.strictEqual((yield* new Browser().open(pathOf(secret))).status, 404)
      yield* (yield* SignIn).withdrawSetupLink(secret)
      assert.strictEqual((yield* new Browser().open(`/sign-in/link?token=${secret}`)).status, 200)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is refused that nobody made, in each language", () =>
    Effect.gen(function* () {
      for (const token of ["", "x", "A".repeat(43)]) {
        for (const [language, title] of [
          ["en", "This link is not valid"],
          ["de", "Dieser Link ist nicht gültig"],
          ["ja", "このリンクは無効です"]
        ] as const) {
          const answer = yield* new Browser().open(pathOf(token), { "accept-language": language })
          assert.strictEqual(answer.status, 404)
          assert.include(answer.text, title)
          assert.isUndefined(answer.headers["set-cookie"])
        }
      }
      assert.strictEqual((yield* new Browser().open("/set-up")).status, 404)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is good for a day, and a withdrawn one no longer", () => {
    const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
    return Effect.gen(function* () {
      const [token, withdrawn] = [yield* makeLink, yield* makeLink]
      yield* (yield* SignIn).withdrawSetupLink(withdrawn)
      const spent = yield* new Browser().open(pathOf(withdrawn))
      assert.strictEqual(spent.status, 410)
      assert.include(spent.text, "start the service again")
      time.advance(Micros.DAY - 1)
      assert.strictEqual((yield* new Browser().open(pathOf(token))).status, 200)
      time.advance(1)
      const expired = yield* new Browser().open(pathOf(token))
      assert.strictEqual(expired.status, 410)
      assert.include(expired.text, "A set-up link is good for 24 hours")
    }).pipe(Effect.provide(testServer()), Effect.provideService(Clock.Clock, standing(time.clock)))
  })

  it.live("needs https, but on the machine itself", () =>
    Effect.gen(function* () {
      const token = yield* makeLink
      const elsewhere = { host: "audit.example.com" }
      const opened = yield* new Browser().open(pathOf(token), elsewhere)
      assert.strictEqual(opened.status, 403)
      assert.include(opened.text, "CAIRN_BASE_URL=https://audit.example.com")
      assert.notInclude(opened.text, token)
      const browser = new Browser()
      yield* browser.open(pathOf(token))
      const sent = yield* browser.submit("/set-up", { token, ...ENTERED }, elsewhere)
      assert.strictEqual(sent.status, 403)
      assert.deepStrictEqual(yield* state, { workspaces: [], members: [] })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is counted by network", () =>
    Effect.gen(function* () {
      const begun = Date.now()
      let opened = 0
      for (; opened < 1_000; opened++) {
        const { status } = yield* new Browser().open(pathOf("x"))
        if (status === 429) break
        assert.strictEqual(status, 404)
      }
      // One more for each second that it took.
      assert.isAtLeast(opened, 60)
      assert.isAtMost(opened, 60 + Math.ceil((Date.now() - begun) / 1_000))
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is on a page without scripts, tells no other site of itself, and is kept by nobody", () =>
    Effect.gen(function* () {
      const { headers, text } = yield* new Browser().open(pathOf(yield* makeLink))
      assert.match(String(headers["content-security-policy"]), /^default-src 'none'; style-src 'self'/)
      assert.strictEqual(headers["referrer-policy"], "same-origin")
      assert.strictEqual(headers["cache-control"], "no-store")
      assert.notMatch(text, /<script|javascript:|\son[a-z]+=/i)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("The secret of a set-up link", () => {
  const lines: Array<string> = []
  const logger = Logger.map(Logger.formatStructured, (entry) => void lines.push(JSON.stringify(entry)))

  it.live("is not in the log, however much is logged", () =>
    Effect.gen(function* () {
      const token = yield* makeLink
      const browser = new Browser()
      yield* browser.submit("/set-up", { token })
      expectSetUp(yield* use(browser, token))
      yield* use(browser, token)
      assert.isTrue(lines.some((line) => line.includes("/set-up")))
      for (const line of lines) assert.notInclude(line, token)
    }).pipe(
      Effect.provide(testServer({ logger })),
      Effect.provideService(References.MinimumLogLevel, "Debug")
    )
  )
})

describe("The file of a set-up link", () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-set-up-"))
  const setupFile = join(folder, "link.txt")

  it.live("is gone when the service is set up, unless it holds something else", () =>
    Effect.gen(function* () {
      writeFileSync(setupFile, "")
      expectSetUp(yield* use(new Browser(), yield* makeLink))
      assert.isFalse(existsSync(setupFile))
    }).pipe(Effect.provide(testServer({ setupFile })))
  )

  it.live("is left alone that holds something else", () =>
    Effect.gen(function* () {
      writeFileSync(setupFile, "mine")
      expectSetUp(yield* use(new Browser(), yield* makeLink))
      assert.strictEqual(readFileSync(setupFile, "utf8"), "mine")
      rmSync(folder, { recursive: true })
    }).pipe(Effect.provide(testServer({ setupFile })))
  )
})

describe("A store that fails", () => {
  it.live("while the owner is made leaves a link that makes it when the store is back", () =>
    Effect.gen(function* () {
      const token = yield* makeLink
      const browser = new Browser()
      yield* browser.open(pathOf(token))
      yield* setBroken(true)
      assert.strictEqual((yield* browser.submit("/set-up", { token, ...ENTERED })).status, 503)
      yield* setBroken(false)
      expectSetUp(yield* browser.submit("/set-up", { token, ...ENTERED }))
      assert.lengthOf((yield* state).workspaces, 1)
    }).pipe(Effect.provide(testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())))))
  )
})
