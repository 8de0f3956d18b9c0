import { Micros } from "@cairn/core/encoding"
import { ExportFileMissing, ExportStore, ExportStoreUnavailable } from "@cairn/core/export"
import { ClockGuard, MeterSet, Meters } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { BackupAnswer } from "../../src/backup/BackupRequest.ts"
import { writeBegun, writeManifest, writeVerdict } from "../../src/backup/StoredBackups.ts"
import { scheduledBackups } from "../../src/loops/BackupLoop.ts"

/** A store in memory, which can be away. */
const memoryStore = () => {
  const files = new Map<string, Uint8Array>()
  const state = { isAway: false }
  const layer = Layer.succeed(
    ExportStore,
    ExportStore.of({
      write: (name, _, content) =>
        Effect.map(Stream.runCollect(content), (chunks) => {
          files.set(name, new Uint8Array(Buffer.concat([...chunks])))
          return 1
        }),
      read: (name) => {
        const bytes = files.get(name)
        return bytes === undefined ? Stream.fail(new ExportFileMissing({ name })) : Stream.make(bytes)
      },
      address: () => Effect.succeed(Option.none()),
      list: () =>
        Effect.suspend(() =>
          state.isAway
            ? Effect.fail(
                new ExportStoreUnavailable({ operation: "list files", cause: new Error("ECONNREFUSED") })
              )
            : Effect.succeed([...files.keys()])
        ),
      remove: (name) => Effect.sync(() => void files.delete(name))
    })
  )
  return { layer, state }
}

const HASH = "0".repeat(64)

/** Puts a backup of this moment into the store. */
const put = Effect.fnUntraced(function* (number: number, holds: boolean) {
  const name = `${String(number).padStart(6, "0")}-20260101T000000Z`
  const now = yield* Micros.now
  const made_at = Micros.format(now)
  yield* writeBegun(name, now)
  yield* writeManifest(name, {
    format: 1,
    cairn: "0",
    database: "sqlite",
    made_at,
    bytes: 5,
    events: 1,
    waiting: 0,
    files: [],
    logs: []
  })
  const findings = holds ? [] : ["the hash chain is broken"]
  const verdict = { made_at, bytes: 5, events: 1, holds, findings, seconds: 2, manifest_sha256: HASH }
  yield* writeVerdict(name, { ...verdict, checked_at: made_at })
  const made = { name, made_at, bytes: 5, events: 1, waiting: 0, holds, findings, seconds: 2 }
  return { outcome: "made", made: { ...made, spoiled: [], removed: [] } } as const
})

describe("backups on a schedule", () => {
  it.effect("are made when the newest that holds is old enough, and again sooner where one is not", () => {
    const { layer, state } = memoryStore()
    const meters = new MeterSet()
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
      lines.push(`${logLevel} ${String(message)}`)
    })
    const value = (name: string, outcome?: string) => {
      const found = meters
        .samples()
        .find((one) => one.name === name && (outcome === undefined || one.labels.outcome === outcome))
      return found?.state.type === "histogram" ? undefined : found?.state.value
    }
    return Effect.gen(function* () {
      yield* put(1, true)
      let runs = 0
      let holds = true
      const run = Effect.suspend((): Effect.Effect<BackupAnswer, ExportStoreUnavailable, ExportStore> => {
        runs++
        if (runs === 2) return Effect.succeed({ outcome: "failed", reason: "a full disk" })
        return put(runs + 1, holds)
      })
      const store = yield* ExportStore
      yield* Effect.forkChild(
        scheduledBackups(
          { everySeconds: 86_400 },
          Effect.orDie(Effect.provideService(run, ExportStore, store))
        )
      )
      // A restart changes nothing: the one in the store counts.
      yield* TestClock.adjust("23 hours")
      assert.strictEqual(runs, 0)
      assert.closeTo(value("cairn_backup_age_seconds") ?? 0, 23 * 3_600, 400)
      yield* TestClock.adjust("70 minutes")
      assert.strictEqual(runs, 1)
      assert.strictEqual(value("cairn_backups_total", "holds"), 1)
      assert.strictEqual(value("cairn_backup_failing"), 0)

      // One that fails is an alarm until one holds, and is made again after an hour.
      yield* TestClock.adjust("24 hours")
      assert.strictEqual(runs, 2)
      assert.strictEqual(value("cairn_backup_failing"), 1)
      assert.strictEqual(value("cairn_backups_total", "failed"), 1)
      holds = false
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(runs, 3)
      assert.strictEqual(value("cairn_backups_total", "does_not_hold"), 1)
      assert.strictEqual(value("cairn_backup_failing"), 1)
      assert.isAbove(value("cairn_backup_age_seconds") ?? 0, 24 * 3_600)
      holds = true
      yield* TestClock.adjust("70 minutes")
      assert.strictEqual(runs, 4)
      assert.strictEqual(value("cairn_backup_failing"), 0)

      // A store that is away is said once.
      const before = lines.length
      state.isAway = true
      yield* TestClock.adjust("30 minutes")
      assert.strictEqual(value("cairn_backup_failing"), 1)
      assert.deepStrictEqual(lines.slice(before), ["Error The store of backups does not work; trying again"])
      state.isAway = false
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(value("cairn_backup_failing"), 0)
      assert.strictEqual(runs, 4)
      assert.isTrue(
        lines.includes("Error A backup does not hold and cannot be restored. See Operations, backups")
      )
    }).pipe(
      Effect.provide([
        layer,
        Layer.succeed(Meters, meters),
        Layer.succeed(ClockGuard, ClockGuard.of({ now: Micros.now, reckoned: Micros.now })),
        Logger.layer([logger])
      ])
    )
  })
})
