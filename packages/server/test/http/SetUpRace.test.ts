/** Setting up while another process does: it comes between what this one sees and what it writes. */
import { SignIn } from "@cairn/core/people"
import { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import { testMember, testWorkspace } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { Browser } from "./Browser.ts"
import { makeMember } from "./SignedIn.ts"
import { storage } from "./Storage.ts"
import { makeKey, makeWorkspace, send, sequence, testServer, testServerOver } from "./TestServer.ts"

const ENTERED = { workspace_name: "Acme", email: "ada@example.com", name: "Ada" }

const other = (workspace_id: string) =>
  testMember({ id: "mem_other", workspace_id, email: "eve@example.com", role: "owner", created_at: 1 })

/** A storage in which another process makes the first workspace, or the first owner, just before this one. */
const overtaken = Layer.effectContext(
  Effect.gen(function* () {
    const [workspaces, members] = [yield* ManagedWorkspaces, yield* Members]
    return Context.make(ManagedWorkspaces, {
      ...workspaces,
      create: (workspace, admit) =>
        Effect.andThen(
          workspace.name === "Acme"
            ? workspaces.create(testWorkspace({ id: "wsp_other", name: "Other", created_at: 1 }))
            : Effect.void,
          workspaces.create(workspace, admit)
        )
    }).pipe(
      Context.add(Members, {
        ...members,
        createFirstOwner: (owner, beside, admit) =>
          Effect.andThen(
            members.create(other(owner.workspace_id)),
            members.createFirstOwner(owner, beside, admit)
          )
      })
    )
  })
)

const overtakenServer = testServerOver(overtaken.pipe(Layer.provideMerge(storage())))

/** A browser that has opened a new link. */
const opened = Effect.gen(function* () {
  const { secret: token } = Option.getOrThrow(yield* (yield* SignIn).setupLink)
  const browser = new Browser()
  yield* browser.open(`/set-up?token=${token}`)
  return { browser, token }
})

describe("Of two who set up at once", () => {
  it.live("the one whose workspace is not the first chooses the other's", () =>
    Effect.gen(function* () {
      const { browser, token } = yield* opened
      const answer = yield* browser.submit("/set-up", { token, ...ENTERED })
      assert.strictEqual(answer.status, 422)
      assert.include(answer.text, 'id="workspace-fault"')
      assert.include(answer.text, '<option value="wsp_other">Other</option>')
      assert.include(answer.text, 'value="ada@example.com"')
      assert.lengthOf(yield* (yield* ManagedWorkspaces).list, 1)
    }).pipe(Effect.provide(overtakenServer))
  )

  it.live("the one whose owner is not the first is refused, and the log says so", () =>
    Effect.gen(function* () {
      const { id } = yield* makeWorkspace({ name: "Engines" })
      const { browser, token } = yield* opened
      const answer = yield* browser.submit("/set-up", { token, ...ENTERED, workspace_id: id })
      assert.strictEqual(answer.status, 410)
      assert.isFalse(browser.cookies.has("cairn"))
      const members = yield* (yield* Members).all
      assert.deepStrictEqual(
        members.map(({ email }) => email),
        ["eve@example.com"]
      )
      yield* sequence
      const { key } = yield* makeKey(id)
      const { data } = (yield* send({ path: "/api/v1/events", key })).json<{
        data: Array<{ action: string }>
      }>()
      assert.deepStrictEqual(
        data.map(({ action }) => action),
        ["cairn.member.creation_refused", "cairn.member.created"]
      )
    }).pipe(Effect.provide(overtakenServer))
  )
})

describe("A set-up link", () => {
  it.live("signs in no owner whom it has not made, whatever address is entered", () =>
    Effect.gen(function* () {
      const { id } = yield* makeWorkspace()
      const { browser, token } = yield* opened
      yield* makeMember(id, "owner", { email: ENTERED.email, name: ENTERED.name })
      const answer = yield* browser.submit("/set-up", { token, ...ENTERED, workspace_id: id })
      assert.strictEqual(answer.status, 410)
      assert.isFalse(browser.cookies.has("cairn"))
    }).pipe(Effect.provide(testServer()))
  )
})
