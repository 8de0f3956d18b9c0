import { join } from "node:path"
import { Micros } from "@cairn/core/encoding"
import { ClockGuard, readClocks } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerStorage } from "../../src/layers/Storage.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

describe("a thread on SQLite that is started again", () => {
  const folder = temporaryFolder()

  it.live("does not believe a clock that has leapt since the process began to serve", () =>
    Effect.gen(function* () {
      const { wall, monotonic } = yield* readClocks
      const config = {
        database: { kind: "sqlite" as const, filename: join(folder, "cairn.db") },
        inboxCapacity: 100,
        connections: 1,
        clock: { wall: wall - 1_000n * BigInt(Micros.DAY), monotonic }
      }
      const guard = yield* ClockGuard.pipe(Effect.provide(layerStorage(config)))
      assert.approximately((yield* Effect.flip(guard.now)).aheadSeconds, 86_400, 60)
    })
  )
})
