import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { GeoIp } from "@cairn/core/event"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { Acceptance, ClockGuard, Sequencer } from "@cairn/core/log"
import { ChainVerifier } from "@cairn/core/verification"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { testWorkspace } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"

const folder = quickFolder("cairn-head-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const WORKSPACE = "wsp_test"
const EVENT = { actor_id: "ada", action: "document.created" }

describe("a log on SQLite whose head somebody took away", () => {
  it.live("is verified, and is longer than anything says", () => {
    const filename = join(folder, "cairn.db")
    const layer = Layer.mergeAll(Acceptance.layer, Sequencer.layer, ChainVerifier.layer).pipe(
      Layer.provide([ClockGuard.layer, GeoIp.layerNowhere]),
      Layer.provideMerge(Layer.mergeAll(SqliteStorage.layer({ filename }), Sha256.layer, Randomness.layer))
    )
    return Effect.gen(function* () {
      yield* (yield* ManagedWorkspaces).create(testWorkspace({ id: WORKSPACE }))
      const request = { workspaceId: WORKSPACE, clientAddress: null, keysExpireBefore: null }
      const body = JSON.stringify({ events: [EVENT, EVENT, EVENT] })
      yield* (yield* Acceptance).batch(request, body)
      yield* (yield* Sequencer).drain
      const database = new DatabaseSync(filename)
      database.exec("DELETE FROM head")
      const last = database.prepare("SELECT id, event_hash FROM event ORDER BY sequence DESC LIMIT 1").get()
      database.close()
      const { verify } = yield* ChainVerifier
      const { breaks, events_checked } = yield* verify({ workspaceId: WORKSPACE, limit: 10 })
      assert.strictEqual(events_checked, 3)
      assert.deepStrictEqual(breaks, [
        {
          event_id: String(last?.id),
          type: "chain_break",
          expected_hash: "",
          actual_hash: String(last?.event_hash)
        }
      ])
    }).pipe(Effect.provide(layer))
  })
})
