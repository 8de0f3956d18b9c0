import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync, type SQLInputValue, StatementSync } from "node:sqlite"
import { gunzipSync } from "node:zlib"
import { CheckpointSigner } from "@cairn/core/checkpoint"
import { Acceptance } from "@cairn/core/log"
import { ManagedWorkspaces, type RetentionSettings } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Option } from "effect"
import { closeWorkspace, planOf, verifyBundle } from "../../src/command/WorkspaceClosing.ts"
import { layerClosing } from "../../src/layers/Commands.ts"
import { secretKeysFor } from "../../src/secret/UsableKeys.ts"
import { chainSettingsFor } from "../../src/settings/AnchorSettings.ts"
import { readConfiguration } from "../../src/settings/Configuration.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()

/** Ends everything that SQLite is told to write, from the given write on, as the death of a process does. */
const dyingAt = (nth: number) => {
  const { exec } = DatabaseSync.prototype
  const { run } = StatementSync.prototype
  let writes = 0
  const write = () => {
    writes++
    if (writes >= nth) throw new Error("the process was killed")
  }
  DatabaseSync.prototype.exec = function (sql) {
    if (sql === "COMMIT") write()
    exec.call(this, sql)
  }
  Object.assign(StatementSync.prototype, {
    run(this: StatementSync, ...args: ReadonlyArray<SQLInputValue>) {
      if (!this.sourceSQL.startsWith("ROLLBACK")) write()
      return Reflect.apply(run, this, args)
    }
  })
  return () => {
    DatabaseSync.prototype.exec = exec
    StatementSync.prototype.run = run
    return writes
  }
}

/** Runs an effect as the command does, on a database. */
const onDatabase = <A, E>(
  filename: string,
  effect: Effect.Effect<A, E, Effect.Services<ReturnType<typeof closeWorkspace>>>
) =>
  Effect.gen(function* () {
    const settings = yield* readConfiguration({ CAIRN_DATABASE_URL: `sqlite:${filename}` })
    const config = { secretKeys: yield* secretKeysFor(settings), chain: yield* chainSettingsFor(settings) }
    return yield* Effect.provide(effect, layerClosing(settings, config))
  }).pipe(Effect.provide(Logger.layer([])), Effect.runPromise)

describe("closing a workspace", () => {
  it("goes on wherever it was killed, and what waited is in the log before its end", async () => {
    const template = join(folder, "template")
    mkdirSync(template)
    const { workspaceId } = await seedTenant(join(template, "cairn.db"))
    const waiting = Array.from({ length: 5 }, (_, number) => `waiting-${number}`)
    await onDatabase(
      join(template, "cairn.db"),
      Effect.flatMap(Acceptance, ({ one }) =>
        Effect.forEach(waiting, (idempotency_key) =>
          one(
            { workspaceId, clientAddress: null, keysExpireBefore: null },
            { actor_id: "ada", action: "last.words", idempotency_key }
          )
        )
      )
    )
    const close = (place: string, nth: number) =>
      onDatabase(
        join(place, "cairn.db"),
        Effect.gen(function* () {
          const found = yield* (yield* ManagedWorkspaces).get(workspaceId)
          const restore = dyingAt(nth)
          return yield* closeWorkspace(Option.getOrThrow(found), join(place, "end.cairn")).pipe(
            Effect.map((closed) => ({ closed, writes: restore() })),
            Effect.ensuring(Effect.sync(restore))
          )
        })
      )
    for (let nth = 1; ; nth++) {
      const place = join(folder, `killed-${nth}`)
      cpSync(template, place, { recursive: true })
      const first = await close(place, nth).catch(() => {
        assert.isFalse(existsSync(join(place, "end.cairn")), `killed at write ${nth}`)
        return undefined
      })
      const { closed } = first ?? (await close(place, Number.POSITIVE_INFINITY))
      const bundle = gunzipSync(readFileSync(join(place, "end.cairn"))).toString()
      for (const key of waiting) assert.include(bundle, key, `killed at write ${nth}`)
      assert.lengthOf(bundle.match(/"cairn\.workspace\.closed"/g) ?? [], 1, `killed at write ${nth}`)
      assert.strictEqual(closed.events, 2 + waiting.length + 1, `killed at write ${nth}`)
      assert.strictEqual(Number(closed.checkpoint.split("\n")[1]), closed.events)
      if (first === undefined) continue
      assert.isAbove(first.writes, 6, "there was something to kill it between")
      break
    }
  })

  it("names before it asks what shorter retention is pending, of the plan and of the workspace", async () => {
    const filename = join(folder, "pending.db")
    const { workspaceId } = await seedTenant(filename)
    const now = 1_782_907_200_000_000
    const day = 86_400_000_000
    const hold = (until: number) => ({
      id: "hold",
      days: null,
      since: until - 7 * day,
      until,
      announced: true,
      reminded: true
    })
    const planned = (retention: RetentionSettings) =>
      onDatabase(
        filename,
        Effect.flatMap(ManagedWorkspaces, ({ update }) =>
          update(workspaceId, { plan: "enterprise", overrides: { retention_days: 90 }, retention }, now)
        )
      ).then((workspace) => planOf(workspace, "end.cairn", now))
    const both = await planned({ days: 30, own_hold: hold(now + 2 * day), plan_hold: hold(now + day) })
    assert.deepStrictEqual(both.value.pending_retention, [
      { to_days: 90, takes_effect_at: "2026-07-02T12:00:00.000000Z" },
      { to_days: 30, takes_effect_at: "2026-07-03T12:00:00.000000Z" }
    ])
    assert.include(both.text, "are kept for ever, and from 2026-07-02T12:00:00Z on for 90 days")
    assert.include(both.text, "are kept for 90 days, and from 2026-07-03T12:00:00Z on for 30 days")
    const ended = await planned({ days: 30, own_hold: hold(now), plan_hold: null })
    assert.deepStrictEqual(ended.value.pending_retention, [])
    assert.notInclude(ended.text, "are kept")
  })

  it("writes a bundle of its own beside another that is asked for the same file", async () => {
    const place = join(folder, "two")
    mkdirSync(place)
    const filename = join(place, "cairn.db")
    const { workspaceId } = await seedTenant(filename)
    const file = join(place, "end.cairn")
    const close = () =>
      onDatabase(
        filename,
        Effect.gen(function* () {
          const found = yield* (yield* ManagedWorkspaces).get(workspaceId)
          return yield* closeWorkspace(Option.getOrThrow(found), file)
        })
      )
    // The work of the two takes turns, so neither is at its end before the other writes.
    const ended = await Promise.allSettled([close(), close()])
    const failed = ended.flatMap((end) => (end.status === "rejected" ? [String(end.reason)] : []))
    assert.lengthOf(failed, 1)
    assert.include(failed[0], "exists already, and is not overwritten")
    assert.include(gunzipSync(readFileSync(file)).toString(), '"cairn.workspace.closed"')
    assert.deepStrictEqual(
      readdirSync(place).filter((name) => name.includes("scratch")),
      []
    )
  })

  it("is done only with a bundle that is intact, whichever key has signed it", async () => {
    const place = join(folder, "intact")
    mkdirSync(place)
    const filename = join(place, "cairn.db")
    const { workspaceId } = await seedTenant(filename)
    const file = join(place, "end.cairn")
    const { verdict } = await onDatabase(
      filename,
      Effect.gen(function* () {
        const { rotate } = yield* CheckpointSigner
        // Only the newest two sign.
        for (let left = 3; left > 0; left--) yield* rotate
        const found = yield* (yield* ManagedWorkspaces).get(workspaceId)
        return yield* closeWorkspace(Option.getOrThrow(found), file)
      })
    )
    assert.strictEqual(verdict, "intact")
    for (const [name, bytes] of [
      ["cut", readFileSync(file).subarray(0, -20)],
      ["twice", Buffer.concat([readFileSync(file), Buffer.from("x")])]
    ] as const) {
      writeFileSync(join(place, name), bytes)
      const error = await onDatabase(filename, Effect.flip(verifyBundle(join(place, name))))
      assert.include(error.message, "the bundle does not hold: it cannot be read again", name)
    }
  })
})
