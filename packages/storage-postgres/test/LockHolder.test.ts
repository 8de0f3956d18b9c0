/** The limits of a session and the turns of workspaces; `LockHolder.trial.ts` waits for those limits. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EventLog, Sequencer } from "@cairn/core/log"
import { PostgresClient } from "@cairn/storage-postgres"
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { accept, cairnOn, drain, makeWorkspace, postgresServer } from "./support.ts"

/** Of the server's Unix socket. */
const folder = mkdtempSync(join(tmpdir(), "cairn-socket-"))
chmodSync(folder, 0o777)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const server = postgresServer({ settings: { unix_socket_directories: folder } })
const newDatabase = Effect.promise(() => server().newDatabase())

const event = { actor_id: "ada", action: "document.created" }

const headOf = (workspaceId: string) => Effect.flatMap(EventLog, (log) => log.head(workspaceId))

describe("a session behind a Unix socket", () => {
  it.live("has every limit but those that only TCP has", () =>
    Effect.gen(function* () {
      const url = `${yield* newDatabase}?host=${folder}`
      const [session] = yield* Effect.flatMap(
        PgClient.PgClient,
        (sql) => sql`
          SELECT inet_client_addr() IS NULL AS is_unix,
            current_setting('idle_in_transaction_session_timeout') AS idle,
            current_setting('tcp_user_timeout') AS send`
      ).pipe(Effect.provide(PostgresClient.layer({ url: Redacted.make(url) })))
      assert.deepStrictEqual(session, { is_unix: true, idle: "5s", send: "0" })
    })
  )
})

describe("a workspace under heavy load", () => {
  it.live("does not starve another: each round gives every workspace one turn", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* Effect.gen(function* () {
        yield* makeWorkspace("wsp_busy")
        yield* makeWorkspace("wsp_quiet")
        const { round } = yield* Sequencer
        const batch = Array.from({ length: 100 }, () => event)
        for (let request = 0; request < 40; request++) yield* accept("wsp_busy", batch)
        yield* accept("wsp_quiet", [event])
        yield* round
        assert.strictEqual((yield* headOf("wsp_quiet")).sequence, 1)
        assert.strictEqual((yield* headOf("wsp_busy")).sequence, 1_000)
        yield* accept("wsp_quiet", [event])
        yield* round
        assert.strictEqual((yield* headOf("wsp_quiet")).sequence, 2)
        assert.strictEqual((yield* headOf("wsp_busy")).sequence, 2_000)
        yield* drain
        assert.strictEqual((yield* headOf("wsp_busy")).sequence, 4_000)
      }).pipe(Effect.provide(cairnOn(url)))
    })
  )
})
