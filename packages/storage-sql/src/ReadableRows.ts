/** Reading rows one by one, so that a row that cannot be read does not hide others. */
import { Effect, Result, Schema } from "effect"

const Identified = Schema.Struct({ id: Schema.String })
const decodeId = Schema.decodeUnknownEffect(Identified)

/**
 * Makes a reader of rows of `table`, each of which has an `id`. Rows for which `read` fails are left out and
 * logged once each.
 */
export const readableRows = <A, E>(
  table: string,
  read: (row: unknown) => Effect.Effect<A, E>
): ((rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>, Schema.SchemaError>) => {
  const told = new Set<string>()
  return Effect.fnUntraced(function* (rows: ReadonlyArray<unknown>) {
    const found: Array<A> = []
    for (const row of rows) {
      const one = yield* Effect.result(read(row))
      if (Result.isSuccess(one)) {
        found.push(one.success)
        continue
      }
      const { id } = yield* decodeId(row)
      if (told.has(id)) continue
      told.add(id)
      yield* Effect.logError("A stored row cannot be read; lists leave it out").pipe(
        Effect.annotateLogs({ table, id, cause: String(one.failure) })
      )
    }
    return found
  })
}
