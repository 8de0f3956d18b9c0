/** What becomes of sessions and links when a backup takes the place of its database. */
import { existsSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { People, Sessions, SignInLinks } from "@cairn/core/people"
import {
  backupTo,
  MIGRATIONS,
  openPresent,
  putInPlace,
  SqliteClient,
  SqliteStorage,
  stageBackup
} from "@cairn/storage-sqlite"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Reactivity } from "effect/reactivity"
import { afterAll } from "vitest"
import { makeFolderOf } from "../src/DatabaseFolder.ts"
import { migrate } from "../src/Migrations.ts"

const folder = quickFolder("cairn-sign-ins-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let databases = 0
const newDatabase = () => join(folder, `${databases++}`, "cairn.db")

const NOW = 1_714_564_800_000_000
const ADA = { id: "per_ada", address: "ada@example.com", created_at: NOW }
const ACCOUNT = { issuer: "https://id.example.com", subject: "ada" }
const SESSION = {
  id: "ses_1",
  person_id: ADA.id,
  secret_hash: "of a session",
  method: "mail",
  client_address: null,
  user_agent: null,
  created_at: NOW,
  last_used_at: null,
  expires_at: NOW + 1e12,
  ended_at: null
} as const
const ENTRY = {
  session_id: SESSION.id,
  workspace_id: "wsp_1",
  member_id: "mem_ada",
  entered_at: NOW,
  ended_at: null
}
const LINK = {
  secret_hash: "of a link",
  kind: "mail",
  address: ADA.address,
  workspace_id: null,
  return_to: null,
  created_at: NOW,
  expires_at: NOW + 1e12,
  spent_at: null
} as const

const on = (filename: string) => Effect.provide(SqliteStorage.layer({ filename }))

/** A database in which Ada has signed in and a link of hers waits. */
const signIn = Effect.gen(function* () {
  const people = yield* People
  yield* people.ensure(ADA)
  yield* people.bind(ADA.id, ACCOUNT, NOW)
  const sessions = yield* Sessions
  yield* sessions.open(SESSION)
  yield* sessions.enter(ENTRY)
  yield* Effect.flatMap(SignInLinks, ({ create }) =>
    create(LINK, { most: 1, mostOfWorkspace: 1, since: NOW })
  )
})

const rowsOf = (filename: string) => {
  const db = new DatabaseSync(filename, { readOnly: true })
  try {
    return ["person", "person_account", "session", "session_entry", "sign_in_link"].map((table) =>
      Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n)
    )
  } finally {
    db.close()
  }
}

const restore = (backup: string, target: string) =>
  Effect.gen(function* () {
    const present = openPresent(target, true)
    const staged = yield* stageBackup(backup, target, NOW)
    return yield* putInPlace(staged, present, { target, backup, aside: "aside" })
  }).pipe(Effect.scoped)

describe("a backup that is restored", () => {
  it.live("signs nobody in by what was ended or spent since, and knows its people", () =>
    Effect.gen(function* () {
      const filename = newDatabase()
      const backup = newDatabase()
      yield* signIn.pipe(on(filename))
      yield* backupTo(filename, backup, NOW)
      assert.deepStrictEqual(rowsOf(backup), [1, 1, 1, 1, 1])
      yield* Effect.gen(function* () {
        yield* Effect.flatMap(Sessions, ({ end }) => end(ADA.id, SESSION.id, NOW + 1))
        yield* Effect.flatMap(SignInLinks, ({ spend }) => spend(LINK.secret_hash, NOW + 1))
      }).pipe(on(filename))
      yield* restore(backup, filename)
      yield* Effect.gen(function* () {
        const sessions = yield* Sessions
        assert.deepStrictEqual(yield* sessions.find(SESSION.secret_hash), Option.none())
        assert.deepStrictEqual(yield* sessions.entry(SESSION.id, ENTRY.workspace_id), Option.none())
        const links = yield* SignInLinks
        assert.deepStrictEqual(yield* links.spend(LINK.secret_hash, NOW + 2), Option.none())
        const people = yield* People
        assert.deepStrictEqual(yield* people.ofAccount(ACCOUNT), Option.some(ADA))
        assert.deepStrictEqual(yield* people.ofAddress(ADA.address), Option.some(ADA))
      }).pipe(on(filename))
      // The backup is as it was, and what was there is kept with all that it had.
      assert.deepStrictEqual(rowsOf(backup), [1, 1, 1, 1, 1])
      assert.deepStrictEqual(rowsOf(join(dirname(filename), "aside", "cairn.db")), [1, 1, 1, 1, 1])
    })
  )

  it.live("has lost them before it could be put in place, in the file that is moved", () =>
    Effect.gen(function* () {
      const filename = newDatabase()
      yield* signIn.pipe(on(filename))
      const backup = newDatabase()
      yield* backupTo(filename, backup, NOW)
      // As files are that were copied while a process had them open.
      const open = new DatabaseSync(backup)
      open.exec("PRAGMA journal_mode = WAL; UPDATE session SET user_agent = 'in the write-ahead log'")
      const { filename: staged } = yield* stageBackup(backup, newDatabase(), NOW)
      assert.isTrue(existsSync(`${backup}-wal`))
      open.close()
      assert.isFalse(existsSync(`${staged}-wal`))
      assert.deepStrictEqual(rowsOf(staged), [1, 1, 0, 0, 0])
    }).pipe(Effect.scoped)
  )

  it.live("may be of a version that knew of no sessions", () =>
    Effect.gen(function* () {
      const backup = newDatabase()
      yield* makeFolderOf(backup)
      for (const [name, file] of [
        ["log", backup],
        ["inbox", backup.replace(".db", "-inbox.db")]
      ] as const) {
        const client = yield* SqliteClient.make({ filename: file })
        yield* migrate(client, name, name === "log" ? MIGRATIONS.log.slice(0, 15) : MIGRATIONS.inbox)
      }
      const target = newDatabase()
      yield* makeFolderOf(target)
      const { filename } = yield* stageBackup(backup, target, NOW)
      assert.isTrue(existsSync(filename))
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )
})
