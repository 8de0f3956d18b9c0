/** Servers on a database of before, whose idempotency keys are texts, and are moved while they serve. */
import { randomUUID } from "node:crypto"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { StrayKeys } from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { eventIdBytes, keyHash } from "@cairn/storage-sql"
import { backupTo, copySource } from "@cairn/storage-sqlite"
import { quickFolder } from "@cairn/testing/TestFolders"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { connections, faults } from "./FaultyConnections.ts"
import { asBefore, type FormerKey, inInbox, keysInLog, textsLeft, untilCompact } from "./FormerKeys.ts"
import { fileOf, putAway, putBack, type Started, start } from "./RestoredFiles.ts"

const folder = quickFolder("cairn-move-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const KEYS = Array.from({ length: 60 }, (_, at) => `kept ${at}`)
let made = 0

/** Keys of events that are nowhere, so that a move takes a while. */
const strayKeys = (count: number, workspace = 1): ReadonlyArray<FormerKey> =>
  Array.from({ length: count }, (_, at) => ({
    workspace,
    key: `stray ${String(at).padStart(6, "0")}`,
    eventId: randomUUID(),
    acceptedAt: 1
  }))

/** A database of before, and the event of each key. */
const makeFormer = async (strays: ReadonlyArray<FormerKey> = []) => {
  const filename = join(folder, `${++made}`, "cairn.db")
  const server = await start(filename)
  const workspaceId = await server.newWorkspace()
  await server.accept(workspaceId, KEYS.slice(0, 50))
  await server.sequence()
  await server.stop()
  asBefore(filename, strays)
  const ids = new Map(Array.from(keysInLog(filename), ([id, key]) => [key, id]))
  assert.strictEqual(ids.size, 50)
  return { filename, workspaceId, ids }
}

/** Every key has the event that it had; a new one has none. */
const expectHeld = async (server: Started, workspaceId: string, ids: ReadonlyMap<string, string>) => {
  const outcomes = await server.acceptEach(workspaceId, Array.from(ids.keys()))
  assert.deepStrictEqual(
    outcomes,
    Array.from(ids.values(), (id) => ({ id, duplicate: true }))
  )
  const [fresh] = await server.accept(workspaceId, [randomUUID()])
  assert.isFalse(fresh?.duplicate)
}

describe("servers on a database whose idempotency keys are texts", () => {
  it("know them before, while and after they are moved, two on one file", async () => {
    const { filename, workspaceId, ids } = await makeFormer(strayKeys(2_000))
    const one = await start(filename)
    const other = await start(filename)
    await expectHeld(one, workspaceId, ids)
    assert.strictEqual(textsLeft(filename), 2_050, "nobody moves keys before it has something to append")
    await Promise.all([one.sequence(), other.sequence()])
    let rounds = 0
    const seen = new Map(ids)
    for (; textsLeft(filename) !== undefined; rounds++) {
      const keys = [`round ${rounds}`, `kept ${50 + (rounds % 10)}`]
      const [from, to] = rounds % 2 === 0 ? [one, other] : [other, one]
      for (const [index, { id, duplicate }] of (await from.accept(workspaceId, keys)).entries()) {
        const key = keys[index] ?? ""
        assert.strictEqual(duplicate, seen.has(key))
        assert.strictEqual(id, seen.get(key) ?? id)
        seen.set(key, id)
      }
      await expectHeld(to, workspaceId, seen)
    }
    assert.isAbove(rounds, 1)
    for (const server of [one, other]) await expectHeld(server, workspaceId, seen)
    await one.sequence()
    const log = await one.log(workspaceId)
    for (const [key, id] of seen)
      assert.lengthOf(
        log.filter(({ content }) => JSON.parse(content ?? "{}").idempotency_key === key),
        1,
        `${key} ${id}`
      )
    await one.stop()
    await other.stop()
    const again = await start(filename)
    assert.deepStrictEqual(again.told, [])
    await expectHeld(again, workspaceId, seen)
    await again.stop()
  })

  it("go on with the move of one that ended at any of its commits", async () => {
    const { filename: original, workspaceId, ids } = await makeFormer(strayKeys(450))
    await (await start(original)).stop()
    for (const name of ["log", "inbox"] as const) await putAway(original, name, `${original}.${name}`)
    for (let later = 0, before = -1; before !== faults(); later++) {
      before = faults()
      for (const isAfterwards of [false, true]) {
        const filename = join(folder, `killed ${later} ${isAfterwards}`, "cairn.db")
        await (await start(filename)).stop()
        for (const name of ["log", "inbox"] as const) putBack(filename, name, `${original}.${name}`)
        const own = connections()
        const killed = await own.open(() => start(filename))
        own.arm("crash", later, isAfterwards)
        await killed.sequence().catch(() => undefined)
        for (let waited = 0; !own.isGone() && textsLeft(filename) !== undefined && waited < 200; waited++)
          await new Promise((resolve) => setTimeout(resolve, 10))
        await killed.stop()
        const server = await start(filename)
        await expectHeld(server, workspaceId, ids)
        await server.sequence()
        await untilCompact(filename)
        await expectHeld(server, workspaceId, ids)
        const count = inInbox(
          filename,
          (db) => db.prepare("SELECT count(*) AS n FROM idempotency_key").get()?.n
        )
        assert.strictEqual(count, 450 + 50 + 2)
        await server.stop()
      }
    }
    assert.isAbove(faults(), 6)
  })

  it("free the keys of erased events wherever they are, and leave no byte of either", async () => {
    const { filename, workspaceId, ids } = await makeFormer(strayKeys(1_000))
    const server = await start(filename)
    // The first are moved, the others not yet.
    const halfMoved = inInbox(filename, (db) => {
      const keys = Array.from(ids.keys()).sort().slice(0, 25)
      for (const key of keys) {
        db.prepare(
          "INSERT INTO idempotency_key SELECT workspace, ?, ?, accepted_at FROM idempotency_key_text WHERE key = ?"
        ).run(keyHash(key), eventIdBytes(ids.get(key) ?? ""), key)
        db.prepare("DELETE FROM idempotency_key_text WHERE key = ?").run(key)
      }
      return keys
    })
    assert.strictEqual(textsLeft(filename), 1_025)
    await expectHeld(server, workspaceId, ids)
    const bytes = Array.from(ids).flatMap(([key, id]) =>
      [key, keyHash(key), eventIdBytes(id)].map((each) => Buffer.from(each))
    )
    const found = () =>
      ["", "-wal"].flatMap((suffix) => {
        const file = readFileSync(`${fileOf(filename, "inbox")}${suffix}`)
        return bytes.filter((each) => file.includes(each))
      })
    assert.isNotEmpty(found())
    await server.removeAll(workspaceId)
    const outcomes = inInbox(filename, (db) => [
      db.prepare("SELECT count(*) AS n FROM idempotency_key_text").get()?.n,
      db.prepare("SELECT count(*) AS n FROM idempotency_key").get()?.n
    ])
    assert.deepStrictEqual(outcomes, [1_000, 1])
    await server.sequence()
    await untilCompact(filename)
    await server.runtime.runPromise(
      Effect.gen(function* () {
        const removal = yield* ContentRemoval
        yield* removal.discardParked(workspaceId, () => false)
        yield* removal.scrub
      })
    )
    assert.isTrue(halfMoved.every((key) => ids.has(key)))
    assert.deepStrictEqual(found(), [])
    const again = await server.acceptEach(workspaceId, Array.from(ids.keys()))
    assert.isTrue(again.every(({ duplicate }) => !duplicate))
    await server.stop()
  })

  it("take up an inbox of yesterday: what the log has since is held, and what is nowhere is free", async () => {
    const { filename, workspaceId, ids } = await makeFormer(strayKeys(3_000))
    const away = join(folder, `${made} away`, "inbox.db")
    await putAway(filename, "inbox", away)
    const server = await start(filename)
    await server.accept(workspaceId, KEYS.slice(50))
    await server.sequence()
    await untilCompact(filename)
    await server.stop()
    putBack(filename, "inbox", away)
    const restored = await start(filename)
    assert.lengthOf(restored.told, 1)
    assert.isUndefined(textsLeft(filename))
    const all = new Map(Array.from(keysInLog(filename), ([id, key]) => [key, id]))
    assert.sameMembers(Array.from(all.keys()), KEYS)
    for (const [key, id] of ids) assert.strictEqual(all.get(key), id)
    await expectHeld(restored, workspaceId, all)
    const strays = await restored.accept(workspaceId, ["stray 000000", "stray 002999"])
    assert.isTrue(strays.every(({ duplicate }) => !duplicate))
    await restored.stop()
  })

  it("begin a repair again that a server of before had begun, which went through the keys in another order", async () => {
    const { filename, workspaceId, ids } = await makeFormer(strayKeys(50))
    inInbox(filename, (db) => db.exec("INSERT INTO repair (step, workspace, key) VALUES ('free', 1, 'ffff')"))
    const server = await start(filename)
    await expectHeld(server, workspaceId, ids)
    const strays = await server.acceptEach(
      workspaceId,
      strayKeys(50).map(({ key }) => key)
    )
    assert.isTrue(strays.every(({ duplicate }) => !duplicate))
    await server.stop()
  })

  it("list keys whose events are nowhere, the moved and those that are not", async () => {
    const strays = strayKeys(2_500)
    // The other workspace's are not among them.
    const { filename, workspaceId } = await makeFormer([...strays, ...strayKeys(2_600, 2)])
    const server = await start(filename)
    const find = server.runtime.runPromise(
      Effect.gen(function* () {
        const { find } = yield* StrayKeys
        const found: Array<string> = []
        for (let after: string | null = null; ; ) {
          const { stray, next }: { stray: ReadonlyArray<{ keyHash: string }>; next: string | null } =
            yield* find(workspaceId, after)
          found.push(...stray.map(({ keyHash }) => keyHash))
          if (next === null) return found.sort()
          after = next
        }
      })
    )
    const expected = strays.map(({ key }) => Buffer.from(keyHash(key)).toString("hex")).sort()
    assert.deepStrictEqual(await find, expected)
    await server.stop()
  })

  it("are restored from a backup that was taken before, during or after the move, with the newest keys", async () => {
    for (const when of ["before", "during", "after"]) {
      const { filename, workspaceId, ids } = await makeFormer(strayKeys(100))
      if (when !== "before") {
        const opened = await start(filename)
        if (when === "after") {
          await opened.sequence()
          await untilCompact(filename)
        }
        await opened.stop()
      }
      // Accepted since: its key is not in the inbox's copy yet.
      const changes = inInbox(filename, (db) =>
        when === "after"
          ? db.prepare("DELETE FROM idempotency_key WHERE hash = ?").run(keyHash("kept 7")).changes
          : db
              .prepare(`DELETE FROM idempotency_key${when === "before" ? "" : "_text"} WHERE key = 'kept 7'`)
              .run().changes
      )
      assert.strictEqual(changes, 1)
      const target = join(folder, `${made} backup`, "cairn.db")
      await Effect.runPromise(backupTo(filename, target, Date.now() * 1_000))
      assert.strictEqual(
        inInbox(target, (db) => db.prepare("PRAGMA user_version").get()?.user_version),
        when === "before" ? 3 : 4
      )
      const server = await start(target)
      await expectHeld(server, workspaceId, ids)
      await server.sequence()
      await untilCompact(target)
      await expectHeld(server, workspaceId, ids)
      await server.stop()
    }
  })

  it("are copied with all keys compact", async () => {
    const { filename } = await makeFormer(strayKeys(5_000))
    const table = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { shapes } = yield* copySource(filename)
          return shapes.filter(({ name }) => name.startsWith("idempotency_key")).map(({ name }) => name)
        })
      )
    )
    assert.deepStrictEqual(table, ["idempotency_key"])
    assert.strictEqual(
      inInbox(filename, (db) => db.prepare("SELECT count(*) AS n FROM idempotency_key").get()?.n),
      5_050
    )
  })
})
