import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { afterAll } from "vitest"
import { accept, cairnOn, drain, makeWorkspace, verifyChain } from "./support.ts"

const WORKSPACE = "wsp_restored"

const folder = mkdtempSync(join(tmpdir(), "cairn-restore-"))
const [archive, copy] = [join(folder, "archive"), join(folder, "copy")]
mkdirSync(archive)
for (const path of [folder, archive]) chmodSync(path, 0o777)

const running: Array<TestPostgres> = []
const start = async (options: Parameters<typeof startPostgres>[0]): Promise<TestPostgres> => {
  const server = await startPostgres(options)
  running.push(server)
  return server
}
afterAll(async () => {
  for (const server of running) await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** With owners and rights: PostgreSQL's data is its user's alone. */
const copyFolder = (from: string, to: string): void => {
  execFileSync("cp", ["-a", from, to])
}

/** Events come in and get their places, each with its number for its session. */
const add = (from: number, to: number) =>
  Effect.gen(function* () {
    for (let number = from; number <= to; number++) {
      yield* accept(WORKSPACE, [
        { actor_id: "a", action: "restore.tested", idempotency_key: `key-${number}` }
      ])
    }
    yield* drain
  })

/**
 * A base backup of the server's data while it runs: what `pg_basebackup` does. Answers the text of its label.
 */
const baseBackup = (url: string, data: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    // Both ends of a backup belong to one session.
    const session = yield* sql.reserve
    yield* session.executeUnprepared("SELECT pg_backup_start('test', true)", [], undefined)
    copyFolder(data, copy)
    const [row] = yield* session.executeUnprepared("SELECT labelfile FROM pg_backup_stop()", [], undefined)
    return String((row as Record<string, unknown> | undefined)?.labelfile)
  }).pipe(Effect.scoped, Effect.provide(PgClient.layer({ url: Redacted.make(url) })))

/** Waits until all that was written so far is in the archive. */
const archived = async ({ query }: TestPostgres, url: string): Promise<void> => {
  const [switched] = await query(url, "SELECT pg_walfile_name(pg_switch_wal()) AS file")
  for (;;) {
    const [row] = await query(url, "SELECT last_archived_wal AS file FROM pg_stat_archiver")
    if (String(row?.file ?? "") >= String(switched?.file)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Puts the base backup where a new server's data is, and asks it to go on from there with the archive. */
const putBack = (data: string, label: string) => {
  const { uid, gid } = statSync(data)
  rmSync(data, { recursive: true })
  copyFolder(copy, data)
  for (const file of ["postmaster.pid", "postmaster.opts", "pg_wal"]) {
    rmSync(join(data, file), { recursive: true, force: true })
  }
  mkdirSync(join(data, "pg_wal"))
  writeFileSync(join(data, "backup_label"), label)
  writeFileSync(join(data, "recovery.signal"), "")
  for (const file of ["pg_wal", "backup_label", "recovery.signal"]) chownSync(join(data, file), uid, gid)
}

describe("a PostgreSQL restored from a base backup and its archived log", () => {
  it("is the log as it was, the events after the backup included, and goes on from there", async () => {
    let data = ""
    const source = await start({
      settings: { archive_mode: "on", archive_command: `cp %p ${archive}/%f`, wal_level: "replica" },
      beforeStart: (path) => {
        data = path
      }
    })
    const url = await source.newDatabase()
    const name = new URL(url).pathname
    const label = await Effect.runPromise(
      Effect.gen(function* () {
        yield* makeWorkspace(WORKSPACE)
        yield* add(1, 30)
        const text = yield* baseBackup(url, data)
        yield* add(31, 50)
        return text
      }).pipe(Effect.provide(cairnOn(url)))
    )
    await archived(source, url)
    await source.stop()
    running.pop()

    const restored = await start({
      settings: { restore_command: `cp ${archive}/%f %p`, recovery_target_timeline: "latest" },
      beforeStart: (path) => putBack(path, label)
    })
    const there = new URL(await restored.newDatabase())
    there.pathname = name
    const [before, again, after] = await Effect.runPromise(
      Effect.gen(function* () {
        const whole = yield* verifyChain(WORKSPACE)
        const known = yield* accept(WORKSPACE, [
          { actor_id: "a", action: "restore.tested", idempotency_key: "key-50" }
        ])
        yield* add(51, 55)
        return [whole, known, yield* verifyChain(WORKSPACE)] as const
      }).pipe(Effect.provide(cairnOn(there.href)))
    )
    assert.deepInclude(before, { valid: true, events_checked: 50 })
    assert.isTrue(again.every((outcome) => "duplicate" in outcome && outcome.duplicate))
    assert.deepInclude(after, { valid: true, events_checked: 55 })
  })
})
