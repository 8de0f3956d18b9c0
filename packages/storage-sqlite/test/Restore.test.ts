import { closeSync, openSync, readFileSync, readSync, rmSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { framesWith } from "./FramesWith.ts"
import {
  ask,
  expectValid,
  type FileName,
  fileOf,
  NAMES,
  putAway,
  putBack,
  remove,
  type Started,
  start
} from "./RestoredFiles.ts"

const folder = quickFolder("cairn-restore-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let databases = 0
const newDatabase = () => join(folder, `${databases++}`, "cairn.db")
const away = (filename: string, name: FileName, at: string | number = "") =>
  `${filename}.away/${at}${name}.db`

const keysOf = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word} ${at}`)

/** Runs `use` on the database while it is open. */
const opened = async <A>(filename: string, use: (server: Started) => Promise<A>): Promise<A> => {
  const server = await start(filename)
  try {
    return await use(server)
  } finally {
    await server.stop()
  }
}

/** What was accepted is in the log once, and a retry of whatever the log holds is told its id. */
const expectWhole = async (
  server: Started,
  workspaceId: string,
  fresh: ReadonlyArray<{ readonly id: string; readonly duplicate: boolean }>
) => {
  await server.sequence()
  const log = await server.log(workspaceId)
  const ids = log.map(({ id }) => id)
  const lost = fresh.filter(
    ({ id, duplicate }) => duplicate || ids.filter((each) => each === id).length !== 1
  )
  assert.deepStrictEqual(lost, [], "an event that was answered 202 is in the log exactly once")
  const held = log.flatMap(({ id, content }) => {
    const key: unknown = JSON.parse(content ?? "{}").idempotency_key
    return typeof key === "string" ? [{ id, key }] : []
  })
  const keys = held.map(({ key }) => key)
  assert.strictEqual(new Set(keys).size, keys.length, "a key stands for one event")
  const retried = await server.acceptEach(workspaceId, keys)
  assert.deepStrictEqual(
    retried,
    held.map(({ id }) => ({ id, duplicate: true })),
    "a retry of what the log holds is answered with its id"
  )
  const hasFallen = server.told.some((line) => /log has gone back/.test(line) && line.includes(workspaceId))
  assert.strictEqual(await expectValid(server, workspaceId, log.length), hasFallen)
  const [left] = ask(
    server.filename,
    "inbox",
    "SELECT (SELECT count(*) FROM parked) parked, (SELECT count(*) FROM inbox) inbox, (SELECT waiting FROM state) waiting"
  )
  assert.deepStrictEqual({ ...left }, { parked: 0, inbox: 0, waiting: 0 })
}

const told = (server: Started, pattern: RegExp) => {
  assert.isTrue(
    server.told.some((line) => pattern.test(line)),
    `${pattern} in ${server.told.join("\n")}`
  )
}

describe("an inbox that went back in time", () => {
  it("loses no new event: 500, copied away, 500 more, copied back", async () => {
    const filename = newDatabase()
    const workspaceId = await opened(filename, async (server) => {
      const id = await server.newWorkspace()
      await server.acceptEach(id, keysOf("first", 500))
      await server.sequence()
      return id
    })
    await putAway(filename, "inbox", away(filename, "inbox"))
    await opened(filename, async (server) => {
      assert.deepStrictEqual(server.told, [])
      await server.acceptEach(workspaceId, keysOf("second", 500))
      await server.sequence()
    })
    putBack(filename, "inbox", away(filename, "inbox"))
    await opened(filename, async (server) => {
      told(server, /inbox has gone back/)
      const fresh = await server.acceptEach(workspaceId, keysOf("third", 600))
      await expectWhole(server, workspaceId, fresh)
      assert.lengthOf(await server.log(workspaceId), 1_600)
    })
    await opened(filename, async (server) => assert.deepStrictEqual(server.told, [], "it is told once"))
  })

  it("loses no new event when a byte of its write-ahead log is inverted after a crash", async () => {
    const filename = newDatabase()
    const crashed = newDatabase()
    const server = await start(filename)
    const workspaceId = await server.newWorkspace()
    for (let round = 0; round < 10; round++) {
      for (const key of keysOf(`round ${round}`, 30)) await server.accept(workspaceId, [key])
      await server.sequence()
    }
    // What kill -9 leaves: the files as they are, while they are open.
    await opened(crashed, async () => {})
    for (const name of NAMES) {
      remove(crashed, name)
      for (const suffix of ["", "-wal"]) {
        const file = `${fileOf(filename, name)}${suffix}`
        const { copyFileSync, existsSync } = await import("node:fs")
        if (existsSync(file)) copyFileSync(file, `${fileOf(crashed, name)}${suffix}`)
      }
    }
    await server.stop()
    const wal = `${fileOf(crashed, "inbox")}-wal`
    const { size } = statSync(wal)
    const file = openSync(wal, "r+")
    const byte = Buffer.alloc(1)
    const at = Math.floor(size / 2)
    readSync(file, byte, 0, 1, at)
    byte[0] = ~(byte[0] ?? 0) & 255
    writeSync(file, byte, 0, 1, at)
    closeSync(file)
    assert.strictEqual(readFileSync(wal)[at], byte[0])
    await opened(crashed, async (again) => {
      told(again, /inbox has gone back/)
      const fresh = []
      for (const key of keysOf("new", 300)) fresh.push(...(await again.accept(workspaceId, [key])))
      await expectWhole(again, workspaceId, fresh)
      assert.lengthOf(await again.log(workspaceId), 600)
    })
  })

  for (const order of [
    ["inbox", "consumers", "search", "log"],
    ["log", "search", "consumers", "inbox"]
  ] as const) {
    it(`loses no new event when the files were copied one by one while it ran: ${order.join(", ")}`, async () => {
      const filename = newDatabase()
      const server = await start(filename)
      const workspaceId = await server.newWorkspace()
      const each = async (word: string) => {
        await server.acceptEach(workspaceId, keysOf(word, 250))
        await server.sequence()
        await server.index()
        await server.consume(workspaceId)
      }
      await each("before")
      for (const name of order) {
        await putAway(filename, name, away(filename, name))
        await each(`beside ${name}`)
      }
      await server.stop()
      for (const name of order) putBack(filename, name, away(filename, name))
      await opened(filename, async (again) => {
        told(again, order[0] === "inbox" ? /inbox has gone back/ : /log has gone back/)
        const fresh = await again.acceptEach(workspaceId, keysOf("after", 300))
        await expectWhole(again, workspaceId, fresh)
        assert.strictEqual(await again.found(workspaceId, "needle after"), 300)
        assert.includeMembers(
          await again.consume(workspaceId),
          fresh.map(({ id }) => id)
        )
      })
    })
  }

  it("is told of when it is gone, and retries of what the log holds stay duplicates", async () => {
    const filename = newDatabase()
    const workspaceId = await opened(filename, async (server) => {
      const id = await server.newWorkspace()
      await server.acceptEach(id, keysOf("first", 30))
      await server.sequence()
      return id
    })
    remove(filename, "inbox")
    await opened(filename, async (server) => {
      told(server, /inbox is gone/)
      const retried = await server.acceptEach(workspaceId, keysOf("first", 30))
      assert.isTrue(retried.every(({ duplicate }) => duplicate))
      await expectWhole(server, workspaceId, await server.acceptEach(workspaceId, keysOf("second", 30)))
      assert.lengthOf(await server.log(workspaceId), 60)
    })
  })

  it("tells of requests that were accepted and not sequenced when it fell back behind them", async () => {
    const filename = newDatabase()
    const workspaceId = await opened(filename, async (server) => {
      const id = await server.newWorkspace()
      await server.acceptEach(id, keysOf("first", 3))
      await server.sequence()
      return id
    })
    const other = await opened(filename, async (server) => {
      const id = await server.newWorkspace()
      await putAway(filename, "inbox", away(filename, "inbox"))
      await server.accept(workspaceId, ["sequenced"])
      await server.sequence()
      return id
    })
    putBack(filename, "inbox", away(filename, "inbox"))
    await opened(filename, async (server) => {
      told(server, /inbox has gone back/)
      await expectWhole(server, other, await server.acceptEach(other, keysOf("other", 3)))
      await expectWhole(server, workspaceId, await server.acceptEach(workspaceId, keysOf("new", 3)))
    })
  })
})

describe("a log that went back in time", () => {
  it("frees the keys of events that are nowhere, and tells of it", async () => {
    const filename = newDatabase()
    const workspaceId = await opened(filename, async (server) => {
      const id = await server.newWorkspace()
      await server.acceptEach(id, keysOf("first", 50))
      await server.sequence()
      return id
    })
    await putAway(filename, "log", away(filename, "log"))
    await opened(filename, async (server) => {
      await server.acceptEach(workspaceId, keysOf("second", 50))
      await server.sequence()
    })
    putBack(filename, "log", away(filename, "log"))
    await opened(filename, async (server) => {
      told(server, /log has gone back/)
      const retried = await server.acceptEach(workspaceId, keysOf("second", 50))
      assert.isTrue(retried.every(({ duplicate }) => !duplicate))
      await expectWhole(server, workspaceId, retried)
      assert.lengthOf(await server.log(workspaceId), 100)
    })
  })

  it("gives nothing of a workspace that it does not hold to the next one", async () => {
    const filename = newDatabase()
    const mine = await opened(filename, (server) => server.newWorkspace())
    await putAway(filename, "log", away(filename, "log"))
    await opened(filename, async (server) => {
      const theirs = await server.newWorkspace()
      await server.acceptEach(theirs, keysOf("theirs", 20))
      await server.sequence()
      await server.acceptEach(theirs, keysOf("waiting", 20))
      await server.index()
    })
    putBack(filename, "log", away(filename, "log"))
    await opened(filename, async (server) => {
      told(server, /log has gone back/)
      const next = await server.newWorkspace()
      await server.sequence()
      assert.deepStrictEqual(await server.log(next), [])
      const fresh = await server.acceptEach(next, [...keysOf("theirs", 20), ...keysOf("waiting", 20)])
      assert.isTrue(fresh.every(({ duplicate }) => !duplicate))
      await server.sequence()
      await server.index()
      assert.lengthOf(await server.log(next), 40)
      assert.strictEqual(await server.found(next, "needle theirs"), 20)
      await expectWhole(
        server,
        mine,
        await server.acceptEach(mine, keysOf("mine", 20)).then((all) => all)
      ).catch((error: unknown) => {
        // What waited for the workspace that is nowhere is put aside, not lost.
        if (!String(error).includes("parked")) throw error
      })
      const [{ events } = {}] = ask(filename, "inbox", "SELECT sum(event_count) AS events FROM parked")
      assert.strictEqual(events, 20)
    })
  })

  it("has consumers and the index go on with what comes next, not where they were", async () => {
    const filename = newDatabase()
    const workspaceId = await opened(filename, async (server) => {
      const id = await server.newWorkspace()
      await server.acceptEach(id, keysOf("first", 50))
      await server.sequence()
      await server.index()
      await server.consume(id)
      return id
    })
    await putAway(filename, "log", away(filename, "log"))
    await opened(filename, async (server) => {
      await server.acceptEach(workspaceId, keysOf("second", 50))
      await server.sequence()
      await server.index()
      await server.consume(workspaceId)
    })
    putBack(filename, "log", away(filename, "log"))
    await opened(filename, async (server) => {
      told(server, /search index/)
      told(server, /consumers/)
      const fresh = await server.acceptEach(workspaceId, keysOf("third", 30))
      await server.sequence()
      await server.index()
      assert.strictEqual(await server.found(workspaceId, "needle third"), 30)
      assert.strictEqual(await server.found(workspaceId, "needle second"), 0)
      assert.strictEqual(await server.found(workspaceId, "needle first"), 50)
      assert.includeMembers(
        await server.consume(workspaceId),
        fresh.map(({ id }) => id)
      )
    })
  })
})

/** The events of all months, as the inbox counts them. */
const counted = (filename: string) =>
  ask(filename, "inbox", "SELECT coalesce(sum(events), 0) AS events FROM event_usage")[0]?.events

describe("a month's events, counted again", () => {
  /** A database whose log has 7 events that are counted and 5 that are not. */
  const used = async (filename: string) => {
    const workspaceId = await opened(filename, async (server) => {
      const id = await server.newWorkspace()
      await server.acceptEach(id, keysOf("first", 7))
      await server.acceptAccess(id, 5)
      await server.sequence()
      return id
    })
    assert.strictEqual(counted(filename), 7)
    return workspaceId
  }

  it("are as many as before when the inbox is gone", async () => {
    const filename = newDatabase()
    await used(filename)
    remove(filename, "inbox")
    await opened(filename, async (server) => {
      told(server, /inbox is gone/)
      assert.strictEqual(counted(filename), 7)
    })
  })

  it("are as many as before when the inbox is gone and contents were removed", async () => {
    const filename = newDatabase()
    const workspaceId = await used(filename)
    await opened(filename, (server) => server.removeAll(workspaceId))
    remove(filename, "inbox")
    await opened(filename, async (server) => {
      told(server, /inbox is gone/)
      assert.isTrue((await server.log(workspaceId)).every(({ content }) => content === null))
      assert.strictEqual(counted(filename), 7)
    })
  })

  it("are as many as before when the inbox goes back to where events waited", async () => {
    const filename = newDatabase()
    const workspaceId = await used(filename)
    await opened(filename, async (server) => {
      await server.acceptEach(workspaceId, keysOf("second", 3))
      await server.acceptAccess(workspaceId, 4)
      await putAway(filename, "inbox", away(filename, "inbox"))
      await server.acceptEach(workspaceId, keysOf("third", 2))
      await server.acceptAccess(workspaceId, 6)
      await server.sequence()
    })
    assert.strictEqual(counted(filename), 12)
    putBack(filename, "inbox", away(filename, "inbox"))
    await opened(filename, async (server) => {
      told(server, /inbox has gone back/)
      assert.strictEqual(counted(filename), 12)
    })
  })

  it("are those of the log and those that wait when the log goes back", async () => {
    const filename = newDatabase()
    const workspaceId = await used(filename)
    await putAway(filename, "log", away(filename, "log"))
    await opened(filename, async (server) => {
      await server.acceptEach(workspaceId, keysOf("second", 3))
      await server.acceptAccess(workspaceId, 4)
      await server.sequence()
      await server.acceptEach(workspaceId, keysOf("third", 2))
      await server.acceptAccess(workspaceId, 6)
    })
    putBack(filename, "log", away(filename, "log"))
    await opened(filename, async (server) => {
      told(server, /log has gone back/)
      assert.strictEqual(counted(filename), 9)
    })
  })
})

describe("a file of what is derived from the log", () => {
  for (const name of ["search", "consumers"] as const) {
    it(`is told of when it is gone: ${name}`, async () => {
      const filename = newDatabase()
      const workspaceId = await opened(filename, async (server) => {
        const id = await server.newWorkspace()
        await server.acceptEach(id, keysOf("first", 50))
        await server.sequence()
        await server.index()
        await server.consume(id)
        return id
      })
      remove(filename, name)
      await opened(filename, async (server) => {
        told(server, name === "search" ? /search index is gone/ : /consumers' file is gone/)
        await server.index()
        assert.strictEqual(await server.found(workspaceId, "needle first"), 50)
        assert.lengthOf(await server.consume(workspaceId), name === "search" ? 0 : 50)
      })
      await opened(filename, async (server) => assert.deepStrictEqual(server.told, []))
    })
  }

  it("holds nothing that was removed since it was put away: search", async () => {
    const filename = newDatabase()
    await opened(filename, async (server) => {
      const id = await server.newWorkspace()
      await server.acceptEach(id, keysOf("first", 50))
      await server.sequence()
      await server.index()
      await putAway(filename, "search", away(filename, "search"))
      assert.isNotEmpty(framesWith(filename, "needle first"))
      await server.removeAll(id)
      assert.isEmpty(framesWith(filename, "needle"))
    })
    putBack(filename, "search", away(filename, "search"))
    await opened(filename, async (server) => {
      await server.index()
      assert.isEmpty(framesWith(filename, "needle"))
      told(server, /search index has gone back/)
    })
    await opened(filename, async (server) => assert.deepStrictEqual(server.told, []))
  })

  it("is told of when it is older: consumers", async () => {
    const filename = newDatabase()
    const workspaceId = await opened(filename, async (server) => {
      const id = await server.newWorkspace()
      await server.acceptEach(id, keysOf("first", 50))
      await server.sequence()
      await server.consume(id)
      return id
    })
    await putAway(filename, "consumers", away(filename, "consumers"))
    await opened(filename, async (server) => {
      await server.acceptEach(workspaceId, keysOf("second", 50))
      await server.sequence()
      await server.consume(workspaceId)
      await server.acceptEach(workspaceId, keysOf("third", 50))
      await server.sequence()
    })
    putBack(filename, "consumers", away(filename, "consumers"))
    await opened(filename, async (server) => {
      told(server, /consumers' file has gone back/)
      assert.lengthOf(await server.consume(workspaceId), 100)
    })
  })
})
