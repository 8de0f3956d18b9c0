/** What the log tells of sessions that end and of sign-ins that are refused: by whom, once, for no quota. */
import { Micros } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import { SignInLinks } from "@cairn/core/people"
import { type Member, Members } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Browser } from "./Browser.ts"
import { browserWith, makeLink, makeMember, signedIn, signIn } from "./SignedIn.ts"
import { makeKey, makeWorkspace, send, sequence, testServer } from "./TestServer.ts"

interface ReadEvent {
  readonly action: string
  readonly actor: { readonly id: string; readonly type: string }
  readonly resource: { readonly id: string }
  readonly metadata: Readonly<Record<string, unknown>>
}

/** What the log of a workspace tells of sessions, but for their starts; the oldest first. */
const told = Effect.fnUntraced(function* (workspaceId: string) {
  yield* sequence
  const { key } = yield* makeKey(workspaceId, ["read"])
  const { text } = yield* send({ path: "/api/v1/events?action=cairn.session.*&limit=100", key })
  const { data } = JSON.parse(text) as { readonly data: ReadonlyArray<ReadEvent> }
  return data.filter(({ action }) => action !== "cairn.session.started").toReversed()
})

/** Ada with two sessions that the workspace has seen, the first of which another workspace has seen too. */
const stage = Effect.gen(function* () {
  const workspace = yield* makeWorkspace()
  const ada = yield* signedIn(workspace.id, "developer")
  const second = yield* signIn(ada.member)
  const other = yield* makeWorkspace()
  const there = yield* makeMember(other.id, "member", { email: ada.member.email })
  const look = (secret: string, workspaceId: string) =>
    Effect.map(send({ path: "/api/v1/events", headers: browserWith(secret, workspaceId) }), ({ status }) =>
      assert.strictEqual(status, 200)
    )
  yield* look(ada.secret, workspace.id)
  yield* look(second.secret, workspace.id)
  yield* look(ada.secret, other.id)
  const browser = new Browser()
  browser.cookies.set("cairn", ada.secret)
  return { workspace, other, there, ada, second, browser }
})
type Stage = Effect.Success<typeof stage>

const remove = ({ ada }: Stage, path: string) =>
  send({
    method: "DELETE",
    path,
    headers: { cookie: `cairn=${ada.secret}`, "sec-fetch-site": "same-origin" }
  })

/** Each way to end sessions; which ones, in the log, and whether the other workspace has seen any of them. */
const ENDS = [
  {
    by: "signing out",
    end: ({ browser }: Stage) => browser.submit("/sign-out", {}),
    status: 200,
    tells: ({ ada }: Stage) => ({ sessions: ada.session.id, reason: "signed_out" }),
    isSeenThere: true
  },
  {
    by: "ending another one on the page of the account",
    end: ({ browser, second }: Stage) =>
      browser.submit("/account/sessions/end", { session: second.session.id }),
    status: 303,
    tells: ({ second }: Stage) => ({ sessions: second.session.id, reason: "chosen" }),
    isSeenThere: false
  },
  {
    by: "ending all others on the page of the account",
    end: ({ browser }: Stage) => browser.submit("/account/sessions/end-others", {}),
    status: 303,
    tells: () => ({ sessions: "others", reason: "chosen" }),
    isSeenThere: false
  },
  {
    by: "DELETE /me/sessions/{id}",
    end: (one: Stage) => remove(one, `/api/v1/me/sessions/${one.ada.session.id}`),
    status: 200,
    tells: ({ ada }: Stage) => ({ sessions: ada.session.id, reason: "chosen" }),
    isSeenThere: true
  },
  {
    by: "DELETE /me/sessions",
    end: (one: Stage) => remove(one, "/api/v1/me/sessions"),
    status: 200,
    tells: () => ({ sessions: "all", reason: "chosen" }),
    isSeenThere: true
  },
  {
    by: "DELETE /me/sessions?keep=current",
    end: (one: Stage) => remove(one, "/api/v1/me/sessions?keep=current"),
    status: 200,
    tells: () => ({ sessions: "others", reason: "chosen" }),
    isSeenThere: false
  }
]

/** Opens a link while it is good, and presses the button after `meanwhile`. */
const press = Effect.fnUntraced(function* <E, R>(secret: string, meanwhile: Effect.Effect<unknown, E, R>) {
  const browser = new Browser()
  yield* browser.open(`/sign-in/link?token=${secret}`)
  yield* meanwhile
  return yield* browser.submit("/sign-in/link", { token: secret })
})

describe("The end of a session", () => {
  it.live.each(ENDS)("is that person's event where the session was used: by $by", (way) =>
    Effect.gen(function* () {
      const one = yield* stage
      assert.strictEqual((yield* way.end(one)).status, way.status)
      const events = yield* told(one.workspace.id)
      assert.lengthOf(events, 1)
      assert.deepInclude(events[0], { action: "cairn.session.ended", metadata: way.tells(one) })
      assert.deepInclude(events[0]?.actor, { id: one.ada.member.id, type: "member" })
      assert.strictEqual(events[0]?.resource.id, one.ada.member.id)
      const there = yield* told(one.other.id)
      assert.deepStrictEqual(
        there.map(({ actor }) => actor.id),
        way.isSeenThere ? [one.there.id] : []
      )
      // Again there is nothing to end.
      yield* way.end(one)
      assert.lengthOf(yield* told(one.workspace.id), 1)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is told where another sign-in of the browser takes the session's place", () =>
    Effect.gen(function* () {
      const { workspace, ada, browser } = yield* stage
      const secret = yield* makeLink(ada.member)
      yield* browser.open(`/sign-in/link?token=${secret}`)
      assert.strictEqual((yield* browser.submit("/sign-in/link", { token: secret })).status, 303)
      assert.deepStrictEqual(
        (yield* told(workspace.id)).map(({ metadata }) => metadata),
        [{ sessions: ada.session.id, reason: "signed_in_again" }]
      )
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A sign-in that is refused", () => {
  const spent = (secret: string) =>
    Effect.flatMap(SignInLinks, (links) =>
      Effect.flatMap(Sha256, ({ hex }) => Effect.flatMap(Micros.now, (now) => links.spend(hex(secret), now)))
    )
  const ended = ({ workspace_id, id }: Member) =>
    Effect.flatMap(Members, (members) =>
      members.modify(workspace_id, id, (member) => Result.succeed({ ...member, expires_at: 1 }))
    )

  it.live("is in the log of each workspace of the address, once in an hour for each reason", () =>
    Effect.gen(function* () {
      const [workspace, other] = [yield* makeWorkspace(), yield* makeWorkspace()]
      const ada = yield* makeMember(workspace.id, "developer")
      const there = yield* makeMember(other.id, "member", { email: ada.email })
      for (let round = 0; round < 3; round++) {
        const secret = yield* makeLink(ada)
        assert.strictEqual((yield* press(secret, spent(secret))).status, 410)
      }
      const [event, ...more] = yield* told(workspace.id)
      assert.deepStrictEqual(more, [])
      assert.deepInclude(event, { action: "cairn.session.refused" })
      assert.deepInclude(event?.metadata, { reason: "link_spent", method: "mail" })
      assert.deepInclude(event?.actor, { id: "cairn-sign-in", type: "system" })
      assert.strictEqual(event?.resource.id, ada.id)
      assert.deepStrictEqual(
        (yield* told(other.id)).map(({ resource }) => resource.id),
        [there.id]
      )
      const late = yield* makeLink(ada)
      yield* Effect.forEach([ada, there], ended)
      assert.strictEqual((yield* press(late, Effect.void)).status, 403)
      assert.deepStrictEqual(
        (yield* told(workspace.id)).map(({ metadata }) => metadata.reason),
        ["link_spent", "no_membership"]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("of nobody's link, or of nobody's address, is nowhere; and none costs of the month's events", () =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace()
      const ada = yield* signedIn(workspace.id, "member")
      yield* send({ path: "/api/v1/events", headers: ada.headers })
      const used = Effect.gen(function* () {
        const { text } = yield* send({ path: "/api/v1/usage", headers: ada.headers })
        return (JSON.parse(text) as { data: { events: { used: number } } }).data.events.used
      })
      const before = yield* used
      yield* press("nobody", Effect.void)
      assert.deepStrictEqual(yield* told(workspace.id), [])
      const secret = yield* makeLink(ada.member)
      yield* press(secret, spent(secret))
      assert.lengthOf(yield* told(workspace.id), 1)
      assert.strictEqual(yield* used, before)
      const eve = yield* makeLink({ ...ada.member, email: "eve@example.com" })
      yield* press(eve, Effect.void)
      assert.lengthOf(yield* told(workspace.id), 1)
    }).pipe(Effect.provide(testServer()))
  )
})
