/** How PostgreSQL finds people, sessions, links and members: by an index, however many there are. */
import { People, Sessions, SignInLinks } from "@cairn/core/people"
import { Members } from "@cairn/core/workspace"
import { testMember } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, beforeAll } from "vitest"
import { explained, explaining } from "./ExplainedPlans.ts"
import { cairnOn, makeWorkspace, postgresServer } from "./support.ts"

const ROWS = 20_000
/** Somebody in the middle. */
const AT = 7_001
const LATER = 10 * ROWS
const TABLES = new Set(["person", "person_account", "session", "session_entry", "sign_in_link", "member"])

const BODY = JSON.stringify(testMember({ id: "mem_1", workspace_id: "wsp_1" }))

const server = postgresServer(explaining)

const FILL = [
  `INSERT INTO person SELECT 'per_' || n, n || '@example.com', n || '@example.com', n FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO person_account SELECT 'issuer ' || n % 2, 'subject ' || n, 'per_' || n, n FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO session SELECT 'ses_' || n, 'per_' || n, 'hash ' || n, 'mail', NULL, NULL, n, n, ${ROWS} + n,
     CASE WHEN n % 2 = 0 THEN ${ROWS} + n END FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO session_entry SELECT 'ses_' || n, 'wsp_' || n % 100, 'mem_' || n % 1000, n, NULL FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO sign_in_link SELECT 'hash ' || n, 'mail', n % 5000 || '@example.com', n % 5000 || '@example.com',
     CASE WHEN n % 2 = 0 THEN 'wsp_' || n % 100 END, NULL,
     n, ${ROWS} + n, NULL FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO member SELECT 'mem_' || n, 'wsp_1', n, '${BODY}', n || '@example.com' FROM generate_series(1, ${ROWS}) n`
]

const LINK = {
  secret_hash: "link",
  kind: "mail",
  address: "7@example.com",
  workspace_id: null,
  return_to: null,
  created_at: 1,
  expires_at: 2,
  spent_at: null
} as const

/** Every call of the three ports once, and the look-up of members. */
const everything = Effect.fnUntraced(function* (round: number) {
  const [people, sessions, links, members] = [
    yield* People,
    yield* Sessions,
    yield* SignInLinks,
    yield* Members
  ]
  yield* people.ensure({ id: "per_new", address: "new@example.com", created_at: 1 })
  yield* people.ensure({ id: "per_again", address: "7@example.com", created_at: 1 })
  yield* people.get(`per_${AT}`)
  yield* people.bind(`per_${AT}`, { issuer: "issuer 1", subject: `subject ${AT}` }, 1)
  yield* people.ofAccount({ issuer: "issuer 1", subject: `subject ${AT}` })
  yield* sessions.find(`hash ${AT}`)
  yield* sessions.ofPerson(`per_${AT}`)
  yield* sessions.touch(new Map([[`ses_${AT}`, ROWS]]))
  const entry = { session_id: `ses_${AT}`, workspace_id: "wsp_7", member_id: "mem_7" }
  yield* sessions.enter({ ...entry, entered_at: 1, ended_at: null })
  yield* sessions.entry(`ses_${AT}`, "wsp_7")
  yield* sessions.inWorkspace("wsp_7", "mem_7")
  yield* sessions.leave("wsp_7", `ses_${AT}`, 1)
  yield* sessions.leaveAll("wsp_7", "mem_7", 1)
  yield* sessions.end(`per_${AT}`, `ses_${AT}`, LATER)
  yield* sessions.endAll(`per_${AT + 2}`, LATER, `ses_${AT}`)
  yield* sessions.prune(ROWS + 20 * round)
  const limit = { most: 5, mostOfWorkspace: 5, since: ROWS }
  yield* links.create({ ...LINK, secret_hash: `link ${round}` }, limit)
  yield* links.create({ ...LINK, secret_hash: `invitation ${round}`, workspace_id: "wsp_7" }, limit)
  yield* links.find(`hash ${AT}`)
  yield* links.revoke("7@example.com", null, 1)
  yield* links.spend(`hash ${AT + 1}`, 1)
  yield* links.prune(ROWS + 20 * round)
  yield* people.forget(`per_${AT + 3 + round}`)
  yield* members.ofAddress("7@example.com")
})

describe("people, sessions, links and members", () => {
  let url: string
  let cairn: ManagedRuntime.ManagedRuntime<
    import("effect").Layer.Success<ReturnType<typeof cairnOn>>,
    unknown
  >
  beforeAll(async () => {
    url = await server().newDatabase()
    cairn = ManagedRuntime.make(cairnOn(url))
    await cairn.runPromise(makeWorkspace("wsp_1"))
    for (const statement of FILL) await server().query(url, statement)
  }, 120_000)
  afterAll(() => cairn.dispose())

  for (const [round, when, before] of [
    [1, "before the database knows how many there are", "SELECT 1"],
    [2, "when it does", "ANALYZE"]
  ] as const) {
    it(`are found by an index, in every call, ${when}`, { timeout: 120_000 }, async () => {
      await server().query(url, before)
      const statements = await explained(server(), url, () => cairn.runPromise(everything(round)))
      let looks = 0
      for (const { text, nodes } of statements) {
        for (const node of nodes) {
          if (!TABLES.has(node["Relation Name"] ?? "")) continue
          looks++
          assert.notStrictEqual(node["Node Type"], "Seq Scan", text)
          const rows = (node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0)
          assert.isAtMost(rows * (node["Actual Loops"] ?? 0), 500, text)
        }
      }
      assert.isAbove(looks, 30)
    })
  }
})
