/**
 * An inbox on which another program holds the lock: who wants to write waits, and nothing else does, although
 * a statement of SQLite waits in the thread that runs it.
 */
import { rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Inbox } from "@cairn/core/log"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll } from "vitest"
import { fileOf, start } from "./RestoredFiles.ts"

const folder = quickFolder("cairn-locked-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const locked = async (
  name: string,
  test: (server: Awaited<ReturnType<typeof start>>, lock: DatabaseSync) => Promise<void>
) => {
  const server = await start(`${folder}/${name}/cairn.db`)
  const lock = new DatabaseSync(fileOf(server.filename, "inbox"))
  try {
    await test(server, lock)
  } finally {
    lock.close()
    await server.stop()
  }
}

/** How long the longest turn of the event loop takes until `end` is called. */
const watchTurns = () => {
  let longest = 0
  let before = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - before)
    before = now
  }, 5)
  return () => {
    clearInterval(timer)
    return Math.max(longest, performance.now() - before)
  }
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

describe("an inbox that another program has locked", () => {
  it("holds up those who write until it is free, and nobody else", () =>
    locked("free", async (server, lock) => {
      const workspaceId = await server.newWorkspace()
      await server.accept(workspaceId, ["before"])
      lock.exec("BEGIN IMMEDIATE")
      const end = watchTurns()
      const first = server.accept(workspaceId, ["first"])
      const probed = server.runtime.runPromise(Effect.flatMap(Inbox, ({ probe }) => probe))
      await pause(1_000)
      const second = server.accept(workspaceId, ["second"])
      await pause(1_000)
      assert.isBelow(end(), 500)
      lock.exec("ROLLBACK")
      const outcomes = [...(await first), ...(await second)]
      await probed
      await server.sequence()
      assert.deepStrictEqual(
        (await server.log(workspaceId)).slice(1).map(({ id }) => id),
        outcomes.map(({ id }) => id)
      )
    }))

  it("holds up those who read no more than a moment, although events are to be put in the log", () =>
    locked("sequenced", async (server, lock) => {
      const workspaceId = await server.newWorkspace()
      await server.accept(workspaceId, ["before"])
      lock.exec("BEGIN IMMEDIATE")
      const end = watchTurns()
      const refused = await server.sequence().then(
        () => assert.fail("it was sequenced"),
        (error: unknown) => String(error)
      )
      assert.include(refused, "StorageUnavailable")
      await pause(50)
      assert.isBelow(end(), 1_000)
      lock.exec("ROLLBACK")
      await server.sequence()
      assert.lengthOf(await server.log(workspaceId), 1)
    }))

  it("takes no events from those who have waited for five seconds, and from others when it is free", () =>
    locked("held", async (server, lock) => {
      const workspaceId = await server.newWorkspace()
      lock.exec("BEGIN IMMEDIATE")
      const began = performance.now()
      const early = server.accept(workspaceId, ["early"]).then(
        () => assert.fail("it was accepted"),
        (error: unknown) => ({ error, waited: performance.now() - began })
      )
      await pause(3_000)
      const late = server.accept(workspaceId, ["late"])
      const { error, waited } = await early
      assert.include(String(error), "StorageUnavailable")
      assert.isAtLeast(waited, 4_990)
      lock.exec("ROLLBACK")
      assert.deepInclude((await late)[0], { duplicate: false })
      await server.sequence()
      assert.lengthOf(await server.log(workspaceId), 1)
      assert.deepInclude((await server.accept(workspaceId, ["early"]))[0], { duplicate: false })
    }))
})
