/** The contract of removal on a PostgreSQL database, with a look into every table. */
import { zstdDecompressSync } from "node:zlib"
import { fold } from "@cairn/core/event"
import { SearchIndexer } from "@cairn/core/log"
import { PostgresStorage } from "@cairn/storage-postgres"
import { FrameEvents } from "@cairn/storage-sql"
import { type RemovalStorage, removalContract } from "@cairn/testing"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"

/** Makes empty storages, each on a database of its own. */
export const removableOn = (newDatabase: Effect.Effect<string>) => (): RemovalStorage => {
  const url = Effect.runSync(Effect.cached(newDatabase))
  const layer = Layer.unwrap(
    Effect.map(url, (text) => PostgresStorage.layer({ url: Redacted.make(text) }))
  ).pipe(Layer.provide(Layer.succeed(FrameEvents, 2)))
  const index = Effect.flatMap(SearchIndexer, ({ advance }) =>
    Effect.repeat(advance, { while: (count) => count > 0 })
  ).pipe(Effect.provide(layer), Effect.asVoid)

  /** Every table that has the text in a row, and every blob of the index, which is compressed. */
  const find = (needle: string) =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const tables = yield* sql<{ readonly name: string }>`
        SELECT table_name::text AS name FROM information_schema.tables
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`
      const found: Array<string> = []
      for (const { name } of tables) {
        const rows = yield* sql.unsafe(`SELECT 1 AS one FROM "${name}" t WHERE t::text LIKE $1 LIMIT 1`, [
          `%${needle}%`
        ])
        if (rows.length > 0) found.push(name)
      }
      const folded = Buffer.from(fold(needle))
      const blobs = yield* sql<{ readonly name: string; readonly blob: Uint8Array }>`
        SELECT 'the texts of frame ' || number AS name, texts AS blob FROM search_frame
        UNION ALL SELECT 'the columns of frame ' || number, columns FROM search_frame WHERE columns IS NOT NULL
        UNION ALL SELECT 'postings ' || number || ' of group ' || frame_group, blob FROM search_posting`
      for (const { name, blob } of blobs) {
        const bytes = zstdDecompressSync(blob)
        if (bytes.includes(needle) || bytes.includes(folded)) found.push(name)
      }
      return found
    }).pipe(
      Effect.provide(
        Layer.unwrap(
          Effect.map(url, (text) => PgClient.layer({ url: Redacted.make(text), maxConnections: 1 }))
        )
      ),
      Effect.runPromise
    )
  return { layer, index, find }
}

/** Registers the contract of removal, each test on a database of its own. */
export const removalOn = (name: string, newDatabase: Effect.Effect<string>): void =>
  removalContract(name, removableOn(newDatabase))
