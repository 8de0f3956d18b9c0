/** Setting up while the service is killed: before or after each of its writes. */
import { Inbox, StorageUnavailable } from "@cairn/core/log"
import { People, Sessions, SignIn, SignInLinks } from "@cairn/core/people"
import { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { Browser } from "./Browser.ts"
import { storage } from "./Storage.ts"
import { makeKey, send, sequence, testServerOver } from "./TestServer.ts"

/** When the store fails: with a write, which was done or not, and everything from then on. */
interface Kill {
  /** The number of the write, from 0 on; undefined while nothing is killed. */
  at: number | undefined
  isAfter: boolean
  writes: number
}

class KillSwitch extends Context.Service<KillSwitch, Kill>()("@cairn/server/test/KillSwitch") {}

const gone = Effect.fail(new StorageUnavailable({ operation: "commit", cause: new Error("killed") }))

/** What writes. */
const WRITES = new Set(["create", "accept", "createFirstOwner", "ensure", "open", "spend", "revoke"])

const call = (kill: Kill, name: string, member: Effect.Effect<unknown, unknown>) =>
  Effect.suspend(() => {
    if (kill.at === undefined) return member
    if (kill.writes > kill.at) return gone
    if (!WRITES.has(name)) return member
    const isVictim = kill.writes === kill.at
    kill.writes++
    if (!isVictim) return member
    return kill.isAfter ? Effect.andThen(member, gone) : gone
  })

const killable = <S extends object>(service: S, kill: Kill): S =>
  new Proxy(service, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (Effect.isEffect(member)) return call(kill, String(name), member as Effect.Effect<unknown, unknown>)
      if (typeof member !== "function") return member
      return (...given: ReadonlyArray<unknown>) =>
        call(kill, String(name), Reflect.apply(member, target, given))
    }
  })

const killableStorage = Layer.effectContext(
  Effect.gen(function* () {
    const kill: Kill = { at: undefined, isAfter: false, writes: 0 }
    return Context.make(KillSwitch, kill).pipe(
      Context.add(Inbox, killable(yield* Inbox, kill)),
      Context.add(ManagedWorkspaces, killable(yield* ManagedWorkspaces, kill)),
      Context.add(Members, killable(yield* Members, kill)),
      Context.add(People, killable(yield* People, kill)),
      Context.add(Sessions, killable(yield* Sessions, kill)),
      Context.add(SignInLinks, killable(yield* SignInLinks, kill))
    )
  })
)

const ENTERED = { workspace_name: "Acme", email: "ada@example.com", name: "Ada" }

/** Sends the form of a link; the workspace is chosen if there is one. */
const setUp = Effect.fnUntraced(function* (browser: Browser, token: string) {
  const opened = yield* browser.open(`/set-up?token=${token}`)
  if (opened.status !== 200) return opened
  const [, workspaceId] = /<option value="([^"]+)"/.exec(opened.text) ?? []
  const chosen = workspaceId === undefined ? {} : { workspace_id: workspaceId }
  return yield* browser.submit("/set-up", { token, ...ENTERED, ...chosen })
})

const makeLink = Effect.flatMap(SignIn, ({ setupLink }) =>
  Effect.map(setupLink, (made) => Option.getOrThrow(made).secret)
)

/** A set-up that is killed at a write; whether it was, and what its browser has. */
const killed = Effect.fnUntraced(function* (at: number, isAfter: boolean) {
  const kill = yield* KillSwitch
  const token = yield* makeLink
  const browser = new Browser()
  yield* browser.open(`/set-up?token=${token}`)
  Object.assign(kill, { at, isAfter, writes: 0 })
  const answer = yield* browser.submit("/set-up", { token, ...ENTERED })
  const isKilled = kill.writes > at
  kill.at = undefined
  return { token, browser, answer, isKilled }
})

/** One workspace, one owner who is its only member, and one record of each. */
const expectOne = Effect.gen(function* () {
  const workspaces = yield* (yield* ManagedWorkspaces).list
  const members = yield* (yield* Members).all
  assert.lengthOf(workspaces, 1)
  assert.deepStrictEqual(
    members.map(({ workspace_id, email, role }) => [workspace_id, email, role]),
    [[workspaces[0]?.id ?? "", "ada@example.com", "owner"]]
  )
  yield* sequence
  const { key } = yield* makeKey(workspaces[0]?.id ?? "")
  const answer = yield* send({ path: "/api/v1/events?limit=100", key })
  const { data } = answer.json<{ data: ReadonlyArray<{ action: string }> }>()
  const told = data.filter((event) => JSON.stringify(event).includes(members[0]?.id ?? "no member"))
  const actionsOf = (events: typeof data) => events.map(({ action }) => action)
  return { actions: actionsOf(data), ofOwner: actionsOf(told) }
})

/** The writes of a set-up, in their order. */
const STEPS = ["workspace", "its event", "owner's event", "owner", "person", "session", "link", "other links"]

const cases = STEPS.flatMap((step, at) => [
  { step, at, isAfter: false, when: "before" },
  { step, at, isAfter: true, when: "after" }
])

describe("A set-up that is killed", () => {
  it.live.each(cases)("$when the write of $step is finished by the same link, or by the operator", (one) =>
    Effect.gen(function* () {
      const { token, isKilled, answer } = yield* killed(one.at, one.isAfter)
      assert.isTrue(isKilled)
      assert.strictEqual(answer.status, 503)
      const again = yield* setUp(new Browser(), token)
      // Once the link is spent, nobody else uses it: the owner gets in as every member does.
      const isSpent = one.step === "other links" || (one.step === "link" && one.isAfter)
      assert.strictEqual(again.status, isSpent ? 410 : 303, again.text)
      const { actions } = yield* expectOne
      const once = ["cairn.workspace.created", "cairn.member.created"]
      for (const action of once)
        assert.lengthOf(
          actions.filter((found) => found === action),
          1,
          action
        )
      assert.isTrue(Option.isSome(yield* (yield* SignIn).operatorLink("ada@example.com")))
    }).pipe(Effect.provide(testServerOver(killableStorage.pipe(Layer.provideMerge(storage())))))
  )

  it.live.each(cases.filter(({ at }) => at < STEPS.indexOf("owner")))(
    "$when the write of $step is finished by the link of the next start",
    (one) =>
      Effect.gen(function* () {
        const { token } = yield* killed(one.at, one.isAfter)
        yield* (yield* SignIn).withdrawSetupLink(token)
        const done = yield* setUp(new Browser(), yield* makeLink)
        assert.strictEqual(done.status, 303, done.text)
        const { actions, ofOwner } = yield* expectOne
        assert.lengthOf(
          actions.filter((action) => action === "cairn.workspace.created"),
          1
        )
        // What the first link has only recorded is of another id.
        assert.include(ofOwner, "cairn.member.created")
      }).pipe(Effect.provide(testServerOver(killableStorage.pipe(Layer.provideMerge(storage())))))
  )

  it.live("once the owner is made, is finished for the owner's address alone", () =>
    Effect.gen(function* () {
      const { token } = yield* killed(STEPS.indexOf("owner"), true)
      const browser = new Browser()
      const opened = yield* browser.open(`/set-up?token=${token}`)
      assert.include(opened.text, `value="${ENTERED.email}"`)
      const answer = yield* browser.submit("/set-up", { token, ...ENTERED, email: "eve@example.com" })
      assert.strictEqual(answer.status, 410)
      assert.isFalse(browser.cookies.has("cairn"))
      yield* expectOne
      assert.strictEqual((yield* setUp(browser, token)).status, 303)
    }).pipe(Effect.provide(testServerOver(killableStorage.pipe(Layer.provideMerge(storage())))))
  )

  it.live("has no further writes that need an answer", () =>
    Effect.gen(function* () {
      // What follows is the first use of the session, which the next request makes good.
      const { answer, browser } = yield* killed(STEPS.length, false)
      assert.strictEqual(answer.status, 303)
      assert.strictEqual((yield* browser.open("/account")).status, 200)
    }).pipe(Effect.provide(testServerOver(killableStorage.pipe(Layer.provideMerge(storage())))))
  )
})
