/** What a backup of the database is made of, and what restoring one would lose. */
import { CopyRefused, unavailable } from "@cairn/storage-sql"
import { Effect } from "effect"
import { connect, currentSchema, isThere, readShapes, sourceOf } from "./CopySchema.ts"

/** "back" as a key of an advisory lock: held by the process that makes a backup. */
const MAKING = 0x6261636b

/**
 * Takes the lock on making a backup of the database at `url` until the scope ends; false if another process
 * has it. The server releases it when the connection ends.
 */
export const backupLock = Effect.fnUntraced(function* (url: string, name: string) {
  const sql = yield* connect(url, name)
  const [row] = yield* sql<{ readonly held: boolean }>`SELECT pg_try_advisory_lock(${MAKING}) AS held`.pipe(
    unavailable("take the lock on backups")
  )
  return row?.held === true
})

/**
 * The database at `url` as it is now, to copy from, and about how many bytes that is: one snapshot, which
 * keeps nobody from writing. `name` is for people.
 */
export const backupSource = Effect.fnUntraced(function* (url: string, name: string) {
  const sql = yield* connect(url, name)
  yield* Effect.acquireRelease(
    sql.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").pipe(unavailable("begin a backup")),
    () => Effect.ignore(sql.unsafe("ROLLBACK"))
  )
  if (!(yield* isThere(sql))) return yield* new CopyRefused({ database: name, reason: "missing", detail: "" })
  const schema = yield* currentSchema(sql).pipe(unavailable("find the schema"))
  const shapes = yield* readShapes(sql, schema).pipe(unavailable("read the tables"))
  const [size] = yield* sql<{ readonly bytes: number }>`
    SELECT coalesce(sum(pg_table_size(oid)), 0)::bigint AS bytes FROM pg_class
    WHERE relnamespace = ${schema}::regnamespace AND relkind = 'r'`.pipe(unavailable("read the size"))
  return { source: sourceOf(sql, name, shapes, schema), bytes: size?.bytes ?? 0 }
})

/** A log of the database that is to be replaced. */
export interface PresentLog {
  readonly workspace_id: string
  readonly name: string
  readonly events: number
}

/** The logs of the database at `url`; undefined if there is no database. */
export const presentLogs = (url: string, name: string) =>
  Effect.gen(function* () {
    const sql = yield* connect(url, name)
    if (!(yield* isThere(sql))) return undefined
    return yield* sql<PresentLog>`
      SELECT id AS workspace_id, name, coalesce(sequence + legacy_count, 0) AS events
      FROM workspace LEFT JOIN head ON head.workspace = workspace.number ORDER BY id`.pipe(
      unavailable("read the logs")
    )
  }).pipe(Effect.scoped)
