/** The limit of rows 2 and 3 on PostgreSQL: the bare driver with one parameter a column, unnested. */
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Result } from "effect"
import { BARE_ROWS, bareRow, ROWS_A_TRANSACTION } from "./BareRow.ts"
import type { LogDatabase } from "./LogDatabase.ts"

const INSERT = `
  INSERT INTO event (workspace, sequence, created_at, id, content, salt, content_hash, previous_event_hash, event_hash)
  SELECT 1, * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])`

const numbers = (values: ReadonlyArray<number>) =>
  Result.getOrThrow(PgTypes.array(values.map(BigInt), PgTypes.OID.int8))
const texts = (values: ReadonlyArray<string>) => Result.getOrThrow(PgTypes.array(values, PgTypes.OID.text))

const insertAll = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const begun = performance.now()
  for (let first = 1; first <= BARE_ROWS; first += ROWS_A_TRANSACTION) {
    const rows = Array.from({ length: ROWS_A_TRANSACTION }, (_, index) => bareRow(first + index))
    const events = sql.unsafe(INSERT, [
      numbers(rows.map(({ sequence }) => sequence)),
      numbers(rows.map(({ createdAt }) => createdAt)),
      texts(rows.map(({ id }) => id)),
      texts(rows.map(({ content }) => content)),
      texts(rows.map(({ salt }) => salt)),
      texts(rows.map(({ contentHash }) => contentHash)),
      texts(rows.map(({ previousEventHash }) => previousEventHash)),
      texts(rows.map(({ eventHash }) => eventHash))
    ])
    yield* sql.withTransaction(events)
  }
  return BARE_ROWS / ((performance.now() - begun) / 1000)
})

/** Rows a second, into an empty database, whose tables the adapter makes first. */
export const bareInserts = async ({ storage, environment }: LogDatabase): Promise<number> => {
  await Effect.runPromise(Effect.scoped(Layer.build(storage)))
  const url = Redacted.make(environment.CAIRN_DATABASE_URL ?? "")
  return Effect.runPromise(insertAll.pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 }))))
}
