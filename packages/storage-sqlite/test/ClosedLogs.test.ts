/** Closing a log and accepting into it, by two programs at the same moment. */
import { rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { quickFolder } from "@cairn/testing/TestFolders"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fileOf, start } from "./RestoredFiles.ts"

const folder = quickFolder("cairn-closed-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const HELD_MILLIS = 400

/** Holds the lock of a file for a while, as a commit does that another program has begun. */
const HOLDER = `
  const { DatabaseSync } = require("node:sqlite")
  const { parentPort, workerData } = require("node:worker_threads")
  const db = new DatabaseSync(workerData)
  db.exec("BEGIN IMMEDIATE")
  parentPort.postMessage("held")
  setTimeout(() => db.close(), ${HELD_MILLIS})`

describe("a log that one program closes", () => {
  it("is closed once the commits of others have ended", async () => {
    const server = await start(`${folder}/waits/cairn.db`)
    const workspaceId = await server.newWorkspace()
    const holder = new Worker(HOLDER, { eval: true, workerData: fileOf(server.filename, "inbox") })
    await new Promise((resolve) => holder.once("message", resolve))
    const begun = performance.now()
    await server.runtime.runPromise(Effect.flatMap(ManagedWorkspaces, ({ close }) => close(workspaceId, 7)))
    assert.isAbove(performance.now() - begun, HELD_MILLIS / 2)
    await holder.terminate()
    await server.stop()
  })

  it("takes nothing of what another began to accept before", async () => {
    const server = await start(`${folder}/refuses/cairn.db`)
    const workspaceId = await server.newWorkspace()
    await server.accept(workspaceId, ["before"])
    const inbox = new DatabaseSync(fileOf(server.filename, "inbox"))
    const log = new DatabaseSync(server.filename)
    inbox.exec("BEGIN IMMEDIATE")
    const late = server.accept(workspaceId, ["late"]).then(
      () => "accepted",
      (error: unknown) => String(error)
    )
    await new Promise((resolve) => setTimeout(resolve, 50))
    log.prepare("UPDATE workspace SET closed_at = 7 WHERE id = ?").run(workspaceId)
    inbox.exec("ROLLBACK")
    assert.include(await late, "its log takes no more events")
    await server.sequence()
    assert.lengthOf(await server.log(workspaceId), 1)
    inbox.close()
    log.close()
    await server.stop()
  })
})
