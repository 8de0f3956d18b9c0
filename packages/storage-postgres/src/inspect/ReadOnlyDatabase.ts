/** The database, opened to look at it: its sessions refuse to write, and nothing is brought up to date. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { MIGRATIONS, versionOf } from "../Migrations.ts"
import { layerQuiet, type PostgresClientConfig } from "../PostgresClient.ts"

/** Opens it until the scope ends. */
export const openReadOnly = Effect.fnUntraced(function* (config: PostgresClientConfig) {
  const context = yield* Layer.build(
    layerQuiet({ ...config, readOnly: true, anyPrimary: true, tells: false })
  )
  return yield* Effect.provideContext(PgClient.PgClient, context)
})

/** How far the database is brought up to date, and the last migration that this program knows. */
export const schemaVersion = (sql: PgClient.PgClient) =>
  Effect.map(versionOf(sql), (version) => ({ ...version, known: MIGRATIONS.length }))
