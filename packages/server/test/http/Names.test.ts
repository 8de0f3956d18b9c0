/** What things are called, and which addresses members may have: what is refused, by its field. */
import { Members } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeMember } from "./SignedIn.ts"
import { makeTenant, send, testServer } from "./TestServer.ts"

/** Names of which nothing is seen, or which are more than a line. */
const NO_NAMES = [
  " ",
  "   ",
  "\t",
  "\u00a0\u3000",
  "\u200b",
  "\u200b \u2060",
  "\u202e",
  "\ufeff",
  "\u2800",
  "a\nb",
  "a\r\nb",
  "a\u2028b",
  "a\u2029",
  "\u0085a"
]
const NAMES = [
  "a",
  "Ada Lovelace",
  " a ",
  "\u{1f469}\u200d\u{1f52c}",
  "\u65e5\u672c\u8a9e\u3000\u540d",
  "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
]

const NO_ADDRESSES = [
  "a@b..c",
  ".a@b.c",
  "a.@b.c",
  "a..a@b.c",
  "a@.b.c",
  "a@b.c.",
  "a\u202e@b.c",
  "a@b\u200b.c",
  "a\u00ad@b.c"
]
const ADDRESSES = ["a@b", "a.b+c@d.example", "\u00fc@m\u00fcller.example", "a_-!#$%&'*/=?^`{|}~@b.c"]

/** Each field that says what a thing is called, and how it is sent. */
const FIELDS = [
  { what: "a workspace", field: "name", method: "PATCH", path: () => "/api/v1/workspace", rest: {} },
  {
    what: "a key",
    field: "name",
    method: "POST",
    path: () => "/api/v1/api-keys",
    rest: { scopes: ["read"] }
  },
  {
    what: "a webhook",
    field: "description",
    method: "POST",
    path: () => "/api/v1/webhooks",
    rest: { url: "https://hooks.example.com/" }
  },
  {
    what: "a member",
    field: "name",
    method: "PATCH",
    path: (id: string) => `/api/v1/members/${id}`,
    rest: {}
  }
]

describe("What a thing is called", () => {
  it.live.each(FIELDS)("is a line of which something is seen: $what", ({ field, method, path, rest }) =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const { id } = yield* makeMember(workspace.id, "admin")
      for (const name of NO_NAMES) {
        const answer = yield* send({ method, path: path(id), key, body: { ...rest, [field]: name } })
        assert.strictEqual(answer.status, 422, JSON.stringify(name))
        assert.match(answer.text, new RegExp(`${field}: must`), JSON.stringify(name))
      }
      for (const name of NAMES) {
        const answer = yield* send({ method, path: path(id), key, body: { ...rest, [field]: name } })
        assert.oneOf(answer.status, [200, 201], `${JSON.stringify(name)}: ${answer.text}`)
      }
    }).pipe(Effect.provide(testServer()))
  )
})

describe("The address of a member", () => {
  it.live("has no dots at an end or side by side, and nothing that is not seen", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const create = (email: string) => send({ path: "/api/v1/members", key, body: { email } })
      for (const email of NO_ADDRESSES) {
        const answer = yield* create(email)
        assert.strictEqual(answer.status, 422, email)
        assert.include(answer.text, "email: must be an e-mail address", email)
      }
      for (const email of ADDRESSES) assert.strictEqual((yield* create(email)).status, 201, email)
      // Those that are there from before stay as they are.
      const old = yield* makeMember(workspace.id, "admin", { email: "a..b@c.example", name: "\u200b" })
      const path = `/api/v1/members/${old.id}`
      assert.include((yield* send({ path, key })).text, "a..b@c.example")
      assert.strictEqual((yield* send({ method: "PATCH", path, key, body: { role: "member" } })).status, 200)
      assert.lengthOf(yield* (yield* Members).list(workspace.id), ADDRESSES.length + 1)
    }).pipe(Effect.provide(testServer()))
  )
})
