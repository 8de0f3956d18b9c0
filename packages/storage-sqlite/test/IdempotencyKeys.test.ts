/**
 * The idempotency keys of one file against what they should hold, while several processes use them, move them
 * and end: seeded, `CAIRN_SEED` says from where on.
 */
import { randomUUID } from "node:crypto"
import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { eventIdBytes, keyHash } from "@cairn/storage-sql"
import { MIGRATIONS } from "@cairn/storage-sqlite"
import { type SeededRandom, seededRandom } from "@cairn/testing"
import { isEndurance, seededTrial } from "@cairn/testing/SeededTrial"
import { quickFolder } from "@cairn/testing/TestFolders"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { hasTextKeys, idempotencyKeys } from "../src/IdempotencyKeys.ts"
import { moveKeys } from "../src/KeyMove.ts"
import { COMPACT_KEYS, type FormerKey } from "./FormerKeys.ts"

const folder = quickFolder("cairn-keys-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Keys that somebody might take for one another. */
const ALIKE = [
  ["order-1", "order-2", "order-1 ", " order-1", "Order-1", "ORDER-1", "order-1\u0001", "order-1\u200b"],
  ["caf\u00e9", "cafe\u0301", "CAF\u00c9", "cafe", "caf\u00e8"],
  ["\u212b", "\u00c5", "A\u030a", "\ufb01", "fi"],
  ["\ud83d\ude00", "\ud83d\ude01", "\ufffd", "\u2400", "\\u0000", "%00", "\n", "\t"],
  ["x".repeat(256), `${"x".repeat(255)}y`, "x".repeat(255), "'; DROP TABLE idempotency_key; --", '"', "%_"],
  [Buffer.from(keyHash("order-1")).toString("hex"), Buffer.from(keyHash("order-1")).toString("latin1")],
  ["\ue000", "\ud800\udc00", "\uffff", "\u00ff", "\u0080", "0", "00", "1e0", "1", "null", "undefined"]
].flat()

const open = (file: string) => {
  const db = new DatabaseSync(file, { timeout: 1_000 })
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    const statement = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const none = () => assert.fail("is not used here")
  return { db, prepare, values: none, eachValues: none }
}

const migrateTo = (db: DatabaseSync, number: number, from = 0) => {
  for (const statements of MIGRATIONS.inbox.slice(from, number)) db.exec(statements)
}

let made = 0

/** A file of before with these keys, brought up to date. */
const formerFile = (keys: ReadonlyArray<FormerKey>): string => {
  const file = join(folder, `${made++}.db`)
  const { db } = open(file)
  migrateTo(db, COMPACT_KEYS - 1)
  const insert = db.prepare("INSERT INTO idempotency_key VALUES (?, ?, ?, ?)")
  db.exec("BEGIN")
  for (const { workspace, key, eventId, acceptedAt } of keys) insert.run(workspace, key, eventId, acceptedAt)
  db.exec("COMMIT")
  migrateTo(db, COMPACT_KEYS, COMPACT_KEYS - 1)
  db.close()
  return file
}

/** A key of before that nobody has touched since. */
const formerKey = (workspace: number, key: string): FormerKey => ({
  workspace,
  key,
  eventId: randomUUID(),
  acceptedAt: 0
})

/** A process that uses the keys. */
const startProcess = (file: string) => {
  const inbox = open(file)
  return { inbox, keys: idempotencyKeys(inbox) }
}

interface Held {
  readonly id: string
  readonly acceptedAt: number
}

const nameOf = (workspace: number, key: string) => `${workspace} ${key}`

/** One step of one process, within its transaction. */
const step = (
  random: SeededRandom,
  { inbox, keys }: ReturnType<typeof startProcess>,
  model: Map<string, Held>,
  now: number
) => {
  const workspace = 1 + random.below(2)
  const key = random.pick(ALIKE)
  const name = nameOf(workspace, key)
  const held = model.get(name)
  switch (random.pick(["claim", "claim", "take over", "hold", "free", "free another", "move"])) {
    case "claim": {
      const id = randomUUID()
      assert.strictEqual(keys.claim(workspace, key, { id, acceptedAt: now }), held?.id, name)
      if (held === undefined) model.set(name, { id, acceptedAt: now })
      return
    }
    case "take over": {
      const id = randomUUID()
      const before = random.below(now + 1)
      const isFree = held === undefined || held.acceptedAt < before
      const holder = keys.claim(workspace, key, { id, acceptedAt: now }, before)
      assert.strictEqual(holder, isFree ? undefined : held.id, name)
      if (isFree) model.set(name, { id, acceptedAt: now })
      return
    }
    case "hold": {
      const since = random.below(now + 1)
      const isHeld = held !== undefined && held.acceptedAt >= since
      assert.strictEqual(keys.holder(workspace, key, since), isHeld ? held.id : undefined, name)
      return
    }
    case "free":
      if (held === undefined) return
      keys.free(workspace, key, held.id)
      model.delete(name)
      return
    case "free another":
      keys.free(workspace, key, randomUUID())
      return
    case "move":
      moveKeys(inbox, 1 + random.below(6))
      // Others move in transactions of their own.
      keys.begin()
  }
}

const trial = (seed: number) => {
  const random = seededRandom(seed)
  const first = [1, 2].flatMap((workspace) =>
    ALIKE.filter(() => random.chance(2 / 3)).map((key) => formerKey(workspace, key))
  )
  const file = formerFile(first)
  let model = new Map(
    first.map(({ workspace, key, eventId, acceptedAt }): [string, Held] => [
      nameOf(workspace, key),
      { id: eventId, acceptedAt }
    ])
  )
  const processes = [startProcess(file), startProcess(file)]
  for (let now = 1; now <= 120; now++) {
    const at = random.below(2)
    const process = processes[at] ?? assert.fail()
    const { db } = process.inbox
    const next = new Map(model)
    db.exec("BEGIN IMMEDIATE")
    process.keys.begin()
    for (let steps = 1 + random.below(4); steps > 0; steps--) step(random, process, next, now)
    // It ends before its commit or after.
    const isKilled = random.chance(1 / 10)
    const isDone = !isKilled || random.chance(1 / 2)
    db.exec(isDone ? "COMMIT" : "ROLLBACK")
    if (isDone) model = next
    if (!isKilled) continue
    db.close()
    processes[at] = startProcess(file)
  }
  for (const { inbox, keys } of processes) {
    for (const workspace of [1, 2]) {
      for (const key of ALIKE) {
        keys.begin()
        assert.strictEqual(
          keys.holder(workspace, key),
          model.get(nameOf(workspace, key))?.id,
          `seed ${seed}: ${key}`
        )
      }
    }
    inbox.db.close()
  }
}

describe("the idempotency keys of a file of before", () => {
  it("are never forgotten and never taken for one another, whoever moves them and whenever he ends", () =>
    seededTrial(import.meta.url, async (from) => {
      assert.strictEqual(new Set(ALIKE).size, ALIKE.length)
      for (let seed = from; seed < from + (isEndurance() ? 500 : 30); seed++) trial(seed)
    }))

  it("are all there when 100,000 were moved, in just over half of the bytes", () => {
    const keys = Array.from({ length: 100_000 }, (_, at) => formerKey(1, `key-${at}-${randomUUID()}`))
    const file = formerFile(keys)
    const former = statSync(file).size
    const { inbox, keys: held } = startProcess(file)
    let moved = 0
    for (let count: number | undefined = 0; count !== undefined; ) {
      inbox.db.exec("BEGIN IMMEDIATE")
      count = moveKeys(inbox, 2_000)
      inbox.db.exec("COMMIT")
      moved += count ?? 0
    }
    assert.strictEqual(moved, keys.length)
    assert.isFalse(hasTextKeys(inbox))
    held.begin()
    const wrong = keys.filter(
      ({ key, eventId }) =>
        held.holder(1, key) !== eventId || (held.holder(1, `${key}x`) ?? held.holder(2, key)) !== undefined
    )
    assert.deepStrictEqual(wrong, [])
    inbox.db.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    inbox.db.close()
    assert.isBelow(statSync(file).size, 0.55 * former)
    assert.isBelow(statSync(file).size / keys.length, 60)
  })

  it("are all moved before their table goes, whatever fits into a transaction", () => {
    const former = [1, 2, 3].flatMap((workspace) => ALIKE.map((key) => formerKey(workspace, key)))
    for (const most of [1, 7, ALIKE.length - 1, ALIKE.length, ALIKE.length + 1, former.length, 2_000]) {
      const { inbox, keys } = startProcess(formerFile(former))
      const expectAll = (what: string) => {
        keys.begin()
        for (const { workspace, key, eventId } of former)
          assert.strictEqual(keys.holder(workspace, key), eventId, `${what}: ${workspace} ${key}`)
      }
      for (let left = former.length; left > 0; left -= most) {
        assert.strictEqual(moveKeys(inbox, most), Math.min(most, left))
        assert.isTrue(hasTextKeys(inbox))
        expectAll(`${most} at a time, ${left} were left`)
      }
      assert.isUndefined(moveKeys(inbox, most))
      assert.isFalse(hasTextKeys(inbox))
      expectAll(`${most} at a time, at the end`)
      inbox.db.close()
    }
  })

  it("belong to the newer event where both tables have one", () => {
    const former = ["older", "newer", "same"].map((key) => ({ ...formerKey(1, key), acceptedAt: 5 }))
    const { inbox, keys } = startProcess(formerFile(former))
    const insert = inbox.prepare("INSERT INTO idempotency_key VALUES (1, ?, ?, ?)")
    const compact = [4, 6, 5].map((acceptedAt, at) => {
      const id = randomUUID()
      insert.run(keyHash(former[at]?.key ?? ""), eventIdBytes(id), acceptedAt)
      return id
    })
    assert.strictEqual(moveKeys(inbox, 10), 3)
    assert.isUndefined(moveKeys(inbox, 10))
    keys.begin()
    assert.deepStrictEqual(
      former.map(({ key }) => keys.holder(1, key)),
      [former[0]?.eventId, compact[1], compact[2]]
    )
    inbox.db.close()
  })

  it("are claimed by no server of before, which would not know of those that were moved", () => {
    const id = randomUUID()
    const file = join(folder, `${made++}.db`)
    const { db } = open(file)
    migrateTo(db, COMPACT_KEYS - 1)
    db.prepare("INSERT INTO idempotency_key VALUES (1, 'held', ?, 0)").run(id)
    const old = open(file).db
    const claim = old.prepare(
      "INSERT INTO idempotency_key (workspace, key, event_id, accepted_at) VALUES (1, ?, 'new', 1) ON CONFLICT DO NOTHING"
    )
    const free = old.prepare("DELETE FROM idempotency_key WHERE workspace = 1 AND key = ?")
    claim.run("before")
    migrateTo(db, COMPACT_KEYS, COMPACT_KEYS - 1)
    for (const key of ["held", "before", "never"]) {
      assert.throws(() => claim.run(key))
      assert.throws(() => free.run(key))
    }
    const { inbox, keys } = startProcess(file)
    inbox.db.exec("BEGIN")
    moveKeys(inbox, 10)
    inbox.db.exec("COMMIT")
    for (const key of ["held", "before", "never"]) assert.throws(() => claim.run(key))
    keys.begin()
    assert.deepStrictEqual(
      ["held", "before", "never"].map((key) => keys.holder(1, key)),
      [id, "new", undefined]
    )
    for (const each of [db, old, inbox.db]) each.close()
  })
})
