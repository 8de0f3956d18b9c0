/** How SQLite finds people, sessions, links and members: by an index, however many there are. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { People, Sessions, SignInLinks } from "@cairn/core/people"
import { Members } from "@cairn/core/workspace"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll } from "vitest"

const folder = quickFolder("cairn-plans-")
const prepare = DatabaseSync.prototype.prepare
afterAll(() => {
  DatabaseSync.prototype.prepare = prepare
  rmSync(folder, { recursive: true, force: true })
})

const TABLES = /\b(?:person|person_account|session|session_entry|sign_in_link|member)\b/

const LINK = {
  secret_hash: "link",
  kind: "mail",
  address: "ada@example.com",
  workspace_id: null,
  return_to: null,
  created_at: 1,
  expires_at: 2,
  spent_at: null
} as const

/** Every call of the three ports once, and the look-up of members. */
const everything = Effect.gen(function* () {
  const [people, sessions, links, members] = [
    yield* People,
    yield* Sessions,
    yield* SignInLinks,
    yield* Members
  ]
  const account = { issuer: "issuer", subject: "ada" }
  yield* people.ensure({ id: "per_ada", address: "ada@example.com", created_at: 1 })
  yield* people.get("per_ada")
  yield* people.bind("per_ada", account, 1)
  yield* people.bind("per_ada", account, 1)
  yield* people.ofAccount(account)
  const session = {
    ...{
      id: "ses_1",
      person_id: "per_ada",
      secret_hash: "hash",
      method: "mail" as const,
      client_address: null
    },
    ...{ user_agent: null, created_at: 1, last_used_at: null, expires_at: 2, ended_at: null }
  }
  yield* sessions.open(session)
  yield* sessions.find("hash")
  yield* sessions.ofPerson("per_ada")
  yield* sessions.touch(new Map([["ses_1", 1]]))
  const entry = { session_id: "ses_1", workspace_id: "wsp_1", member_id: "mem_1" }
  yield* sessions.enter({ ...entry, entered_at: 1, ended_at: null })
  yield* sessions.inWorkspace("wsp_1", null)
  yield* sessions.inWorkspace("wsp_1", "mem_1")
  yield* sessions.leave("wsp_1", "ses_1", 1)
  yield* sessions.leaveAll("wsp_1", "mem_1", 1)
  yield* sessions.end("per_ada", "ses_1", 1)
  yield* sessions.endAll("per_ada", 1, "ses_1")
  yield* sessions.prune(5)
  const limit = { most: 5, mostOfWorkspace: 5, since: 1 }
  yield* links.create(LINK, limit)
  yield* links.create({ ...LINK, secret_hash: "invitation", workspace_id: "wsp_7" }, limit)
  yield* links.find("link")
  yield* links.revoke("ada@example.com", null, 1)
  yield* links.spend("link", 1)
  yield* links.prune(5)
  yield* people.forget("per_ada")
  yield* members.ofAddress("ada@example.com")
})

describe("people, sessions, links and members", () => {
  it.live("are found by an index, in every call", () =>
    Effect.gen(function* () {
      const filename = join(folder, "cairn.db")
      const sent = new Set<string>()
      yield* Effect.gen(function* () {
        yield* Members
        DatabaseSync.prototype.prepare = function (sql) {
          if (TABLES.test(sql)) sent.add(sql)
          return prepare.call(this, sql)
        }
        yield* everything
        DatabaseSync.prototype.prepare = prepare
      }).pipe(Effect.provide(SqliteStorage.layer({ filename })))
      assert.isAbove(sent.size, 25)
      const reader = new DatabaseSync(filename)
      for (const sql of sent) {
        for (const { detail } of reader.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()) {
          assert.notMatch(String(detail), /^SCAN /, sql)
        }
      }
      reader.close()
    })
  )
})
