import { SearchIndexer, searchTerm } from "@cairn/core/log"
import { PostgresStorage } from "@cairn/storage-postgres"
import { FrameEvents, readFrame, type StoredFrame } from "@cairn/storage-sql"
import { removalContract } from "@cairn/testing"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { sharedServer } from "./support.ts"

const server = sharedServer()

removalContract("PostgreSQL", () => {
  const url = Effect.runSync(Effect.cached(Effect.promise(() => server().newDatabase())))
  const layer = Layer.unwrap(
    Effect.map(url, (text) => PostgresStorage.layer({ url: Redacted.make(text) }))
  ).pipe(Layer.provide(Layer.succeed(FrameEvents, 2)))
  const index = Effect.flatMap(SearchIndexer, ({ advance }) =>
    Effect.repeat(advance, { while: (count) => count > 0 })
  ).pipe(Effect.provide(layer), Effect.asVoid)

  /** Every table that has the text in a row, and every frame of the search index, which is compressed. */
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
      const wanted = Buffer.from(searchTerm(needle).bytes)
      const frames = yield* sql<StoredFrame>`SELECT number, first, blob FROM search_frame`
      for (const frame of frames)
        if (readFrame(frame)?.some(({ text }) => Buffer.from(text).includes(wanted)))
          found.push(`frame ${frame.number}`)
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
})
