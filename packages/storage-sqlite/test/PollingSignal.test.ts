/** A sequencer that waits for events: whatever is committed wakes it, and nothing else does for a while. */
import { rmSync } from "node:fs"
import { Sha256 } from "@cairn/core/hashing"
import { InboxSignal } from "@cairn/core/log"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import { afterAll } from "vitest"
import { start } from "./RestoredFiles.ts"

const folder = quickFolder("cairn-signal-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Rounds after which the sequencer is idle. */
const IDLE = 1_000

describe("a sequencer that is idle", () => {
  it("is woken by each commit of others, one beside its round included, and else only once a second", async () => {
    const filename = `${folder}/cairn.db`
    const other = await start(filename)
    const workspaceId = await other.newWorkspace()
    const runtime = ManagedRuntime.make(SqliteStorage.layer({ filename }).pipe(Layer.provide(Sha256.layer)))
    const isWoken = () =>
      runtime.runPromise(
        Effect.flatMap(InboxSignal, ({ wait }) =>
          Effect.map(Effect.timeoutOption(wait(IDLE), 700), Option.isSome)
        )
      )
    // The first look has nothing to compare with.
    assert.isTrue(await isWoken())
    assert.isFalse(await isWoken())
    await other.accept(workspaceId, ["beside a round"])
    assert.isTrue(await isWoken())
    assert.isFalse(await isWoken())
    const waits = isWoken()
    await other.accept(workspaceId, ["while it waits"])
    assert.isTrue(await waits)
    assert.isFalse(await isWoken())
    await other.sequence()
    assert.isTrue(await isWoken())
    await runtime.dispose()
    await other.stop()
  })
})
