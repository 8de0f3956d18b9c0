/** The last owner, by whichever way each owner came in: who can be removed and lowered by whom. */
import { Outbox } from "@cairn/core/outbound"
import { SignIn } from "@cairn/core/people"
import { ManagedWorkspaces, type Member, Members } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { Browser } from "./Browser.ts"
import { browserWith, makeMember, signIn } from "./SignedIn.ts"
import { makeKey, makeWorkspace, send, sequence, testServer } from "./TestServer.ts"

const DEVICE = { clientAddress: "127.0.0.1", userAgent: "test" }

/** Somebody in a browser, who may not have come in yet. */
interface Somebody {
  readonly member: Member
  readonly headers: Readonly<Record<string, string>>
}

/** A link of the operator or of the provider, as the server makes them. */
const sessionBy = {
  mail: (member: Member) => signIn(member),
  operator: (member: Member) =>
    Effect.gen(function* () {
      const signing = yield* SignIn
      const { secret } = Option.getOrThrow(yield* signing.operatorLink(member.email))
      return yield* signing.byLink(secret, DEVICE)
    }),
  provider: (member: Member) =>
    Effect.gen(function* () {
      const signing = yield* SignIn
      const account = { issuer: "https://id.example.com", subject: member.id }
      const person = yield* signing.identify({ account, address: member.email, isConfirmed: true }, false)
      return yield* signing.byAccount(person, DEVICE)
    })
} as const
type Way = keyof typeof sessionBy
const WAYS = Object.keys(sessionBy) as ReadonlyArray<Way>

/** Signs in and comes into the workspace. */
const comeIn = Effect.fnUntraced(function* (member: Member, way: Way) {
  const { secret } = yield* sessionBy[way](member)
  const headers = browserWith(secret, member.workspace_id)
  assert.strictEqual((yield* send({ path: "/api/v1/events", headers })).status, 200)
  return { member, headers } satisfies Somebody
})

/** An owner that the set-up link has made, who has come in. */
const setUp = Effect.gen(function* () {
  const { secret } = Option.getOrThrow(yield* (yield* SignIn).setupLink)
  const browser = new Browser()
  yield* browser.open(`/set-up?token=${secret}`)
  const form = { token: secret, workspace_name: "Acme", email: "olga@example.com", name: "Olga" }
  assert.strictEqual((yield* browser.submit("/set-up", form)).status, 303)
  const [workspace] = yield* (yield* ManagedWorkspaces).list
  const [member] = yield* (yield* Members).list(workspace?.id ?? "")
  if (member === undefined) throw new Error("nobody is there")
  const headers = browserWith(browser.cookies.get("cairn") ?? "", member.workspace_id)
  assert.strictEqual((yield* send({ path: "/api/v1/events", headers })).status, 200)
  return { member, headers } satisfies Somebody
})

const invited = (workspaceId: string) =>
  makeMember(workspaceId, "owner", { confirmed_at: null, signed_in_at: null })

/** The first owner of a workspace, by one of the ways. */
const firstBy = (way: Way | "set-up") =>
  way === "set-up"
    ? setUp
    : Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        return yield* comeIn(yield* invited(workspace.id), way)
      })

const path = ({ member }: Pick<Somebody, "member">) => `/api/v1/members/${member.id}`
const lower = ({ headers }: Pick<Somebody, "headers">, whom: Pick<Somebody, "member">, role = "member") =>
  Effect.map(send({ method: "PATCH", path: path(whom), headers, body: { role } }), ({ status }) => status)
const remove = ({ headers }: Pick<Somebody, "headers">, whom: Pick<Somebody, "member">) =>
  Effect.map(send({ method: "DELETE", path: path(whom), headers }), ({ status }) => status)

const pairs = (["set-up", ...WAYS] as const).flatMap((first) => WAYS.map((second) => ({ first, second })))

describe("Two owners, each by one of the ways in", () => {
  it.live.each(pairs)("are each other's to lower and remove: $first, $second", ({ first, second }) =>
    Effect.gen(function* () {
      const one = yield* firstBy(first)
      const { workspace_id } = one.member
      const listed = yield* send({ path: path(one), headers: one.headers })
      assert.isString(listed.json<{ data: { signed_in_at: unknown } }>().data.signed_in_at)
      const other = { member: yield* invited(workspace_id) }
      // Who has not come in cannot take over.
      assert.deepStrictEqual([yield* lower(one, one), yield* remove(one, one)], [409, 409])
      const wrong = yield* comeIn(other.member, second)
      assert.strictEqual(yield* lower(one, wrong), 200)
      assert.strictEqual(yield* lower(one, wrong, "owner"), 200)
      const again = yield* comeIn(other.member, second)
      assert.strictEqual(yield* lower(again, one), 200)
      assert.deepStrictEqual([yield* lower(again, again), yield* remove(again, again)], [409, 409])
      assert.strictEqual(yield* lower(again, one, "owner"), 200)
      // By the operator's link, since whoever set the service up has no address that anybody has proven.
      const back = yield* comeIn(one.member, first === "set-up" ? "operator" : first)
      assert.strictEqual(yield* remove(back, again), 200)
      assert.strictEqual(yield* remove(back, back), 409)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are so where the first came in before that was noted, with the next request", () =>
    Effect.gen(function* () {
      const olga = yield* setUp
      const members = yield* Members
      const { workspace_id, id } = olga.member
      yield* members.modify(workspace_id, id, (member) => Result.succeed({ ...member, signed_in_at: null }))
      const wrong = yield* comeIn(yield* invited(workspace_id), "mail")
      assert.strictEqual(yield* remove(olga, wrong), 200)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("Whoever sets the service up", () => {
  it.live("gets a mail that confirms the address, and no other mail before", () =>
    Effect.gen(function* () {
      const { member } = yield* setUp
      const outbox = yield* Outbox
      const [mail, ...more] = yield* outbox.page(member.workspace_id, {
        filter: { channel: "mail" },
        before: null,
        limit: 9
      })
      assert.deepStrictEqual(more, [])
      assert.deepInclude(mail, { target: "olga@example.com", type: "mail.invitation", status: "pending" })
      assert.deepInclude(JSON.parse(mail?.payload ?? ""), { confirms: true, role: "owner", invited_by: null })
      yield* sequence
      const { key } = yield* makeKey(member.workspace_id, ["read"])
      const told = yield* send({ path: "/api/v1/events?action=cairn.member.invited", key })
      assert.strictEqual(
        told.json<{ data: ReadonlyArray<{ actor: { id: string } }> }>().data[0]?.actor.id,
        "cairn-setup"
      )
      assert.isNull(member.confirmed_at)
      yield* comeIn(member, "mail")
      const [confirmed] = yield* (yield* Members).list(member.workspace_id)
      assert.isNumber(confirmed?.confirmed_at)
    }).pipe(Effect.provide(testServer({ mail: true })))
  )
})
