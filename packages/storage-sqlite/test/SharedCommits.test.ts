/** Events of many workspaces in one commit of the log, where one of them or a commit goes wrong too. */
import { rmSync } from "node:fs"
import { basename } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Inbox, MOST_WORKSPACES } from "@cairn/core/log"
import { wholeVerification } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, afterEach } from "vitest"
import { ask, fileOf, start } from "./RestoredFiles.ts"

const folder = quickFolder("cairn-shared-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Statements that begin or end transactions, by file. */
const ended = new Map<string, Array<string>>()
/** Called before each of them. */
let before: (file: string, sql: string) => void = () => undefined
const run = DatabaseSync.prototype.exec
DatabaseSync.prototype.exec = function (sql: string): void {
  const file = basename(this.location() ?? "")
  before(file, sql)
  if (sql === "COMMIT" || sql === "ROLLBACK") ended.set(file, [...(ended.get(file) ?? []), sql])
  run.call(this, sql)
}
afterEach(() => {
  before = () => undefined
})
afterAll(() => {
  DatabaseSync.prototype.exec = run
})

type Server = Awaited<ReturnType<typeof start>>

const withServer = async (name: string, test: (server: Server) => Promise<void>) => {
  const server = await start(`${folder}/${name}/cairn.db`)
  try {
    await test(server)
  } finally {
    await server.stop()
  }
}

const newWorkspaces = async (server: Server, count: number): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  while (ids.length < count) ids.push(await server.newWorkspace())
  return ids
}

/** Sends each of them so many requests. */
const acceptEach = (server: Server, ids: ReadonlyArray<string>, requests = 1) =>
  Promise.all(
    ids.flatMap((id) => Array.from({ length: requests }, (_, index) => server.accept(id, [`key-${index}`])))
  )

const counts = (server: Server, ids: ReadonlyArray<string>) =>
  Promise.all(ids.map(async (id) => (await server.log(id)).length))

/** How many events wait, as rows and as they are counted, and how many rows are parked. */
const waiting = async ({ filename, runtime }: Server) => ({
  rows: ask(filename, "inbox", "SELECT count(*) AS n FROM inbox")[0]?.n,
  parked: ask(filename, "inbox", "SELECT count(*) AS n FROM parked")[0]?.n,
  counted: await runtime.runPromise(Effect.flatMap(Inbox, ({ depth }) => depth))
})

const EMPTY = { rows: 0, parked: 0, counted: 0 }

const expectWhole = async (server: Server, ids: ReadonlyArray<string>, events: number) => {
  assert.deepStrictEqual(await counts(server, ids), Array<number>(ids.length).fill(events))
  for (const id of ids) assert.deepStrictEqual(await server.verify(id), wholeVerification(events))
  assert.deepStrictEqual(await waiting(server), EMPTY)
}

/** Lets the removal of rows from the inbox fail, or does something before it. */
const beforeRemoval = (act: () => void) => {
  let logged = false
  before = (file, sql) => {
    if (sql !== "COMMIT") return
    if (file === "cairn.db") logged = true
    if (file === "cairn-inbox.db" && logged) {
      logged = false
      act()
    }
  }
}

const full = () => {
  before = () => undefined
  throw Object.assign(new Error("the disk is full"), { errcode: 13 })
}

describe("events of many workspaces", () => {
  it("are one commit of the log and one of the inbox, as far as these may go", () =>
    withServer("one", async (server) => {
      const ids = await newWorkspaces(server, MOST_WORKSPACES + 10)
      await acceptEach(server, ids)
      ended.clear()
      await server.sequence()
      assert.deepStrictEqual(ended.get("cairn.db"), ["COMMIT", "COMMIT"])
      assert.deepStrictEqual(ended.get("cairn-inbox.db"), ["COMMIT", "COMMIT"])
      await expectWhole(server, ids, 1)
    }))

  it("survive a crash between the two commits, of the same server or of another", () =>
    withServer("between", async (server) => {
      const ids = await newWorkspaces(server, 12)
      await acceptEach(server, ids)
      beforeRemoval(full)
      await server.sequence().then(
        () => assert.fail("rows were removed"),
        (error: unknown) => assert.include(String(error), "StorageUnavailable")
      )
      assert.deepStrictEqual(await waiting(server), { rows: 12, parked: 0, counted: 12 })
      await acceptEach(server, ids.slice(4, 8), 2)
      const other = await start(server.filename)
      await other.sequence()
      await other.stop()
      await server.sequence()
      assert.deepStrictEqual(await counts(server, ids), [1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1])
      assert.deepStrictEqual(await waiting(server), EMPTY)
    }))

  it("are counted once, though another process removes the same rows before this one does", () =>
    withServer("twice", async (server) => {
      const ids = await newWorkspaces(server, 8)
      await acceptEach(server, ids, 3)
      before = (file, sql) => {
        if (file !== "cairn-inbox.db" || sql !== "BEGIN IMMEDIATE") return
        before = () => undefined
        const other = new DatabaseSync(fileOf(server.filename, "inbox"))
        other.exec(`
          BEGIN IMMEDIATE;
          UPDATE state SET waiting = waiting - (SELECT sum(event_count) FROM inbox WHERE workspace <= 4);
          DELETE FROM inbox WHERE workspace <= 4;
          COMMIT`)
        other.close()
      }
      await server.sequence()
      await expectWhole(server, ids, 3)
    }))

  it("are appended although a row of one of them cannot be, and what is tried again is little", () =>
    withServer("bad", async (server) => {
      const ids = await newWorkspaces(server, 40)
      await acceptEach(server, ids, 3)
      const inbox = new DatabaseSync(fileOf(server.filename, "inbox"))
      const second = (workspace: number) =>
        inbox.prepare("SELECT id FROM inbox WHERE workspace = ? ORDER BY id LIMIT 1 OFFSET 1").get(workspace)
          ?.id
      const [unreadable, unparsed, cutShort] = [7, 23, 31].map((number) => Number(second(number)))
      inbox.exec(`UPDATE inbox SET events = replace(events, '{"action"', '{broken') WHERE id = ${unreadable}`)
      inbox.exec(`UPDATE inbox SET events = 'no' || char(10) || 'JSON' || char(10) || char(10) || char(10)
        WHERE id = ${unparsed}`)
      // Its last line, and the end of the one before.
      inbox.exec(
        `UPDATE inbox SET events = substr(events, 1, instr(events, '{"action"') + 5) WHERE id = ${cutShort}`
      )
      ended.clear()
      await server.sequence()
      assert.deepStrictEqual(
        inbox
          .prepare("SELECT id FROM parked ORDER BY id")
          .all()
          .map(({ id }) => id),
        [unreadable, unparsed, cutShort].toSorted((one = 0, other = 0) => one - other)
      )
      inbox.close()
      const expected = ids.map((_, index) => ([6, 22, 30].includes(index) ? 2 : 3))
      assert.deepStrictEqual(await counts(server, ids), expected)
      assert.deepStrictEqual(await waiting(server), { ...EMPTY, parked: 3 })
      // Each of the three: once among others, then alone with three rows, and with one and again with one.
      assert.isAtMost((ended.get("cairn.db") ?? []).filter((sql) => sql === "ROLLBACK").length, 15)
      assert.isAtMost((ended.get("cairn.db") ?? []).filter((sql) => sql === "COMMIT").length, 17)
    }))
})
