/**
 * Effect's `SqlClient` over Node's own `node:sqlite`.
 *
 * It has the shape of `@effect/sql-sqlite-node`'s client, which will replace it when there is a matching
 * release. `use` is the one addition, for the two places where one Effect for each statement would cost more
 * than the statement.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { Context, Effect, Layer, Scope, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"

/** Settings of one connection. */
export interface SqliteClientConfig {
  /** Path of the database file, or `:memory:`. */
  readonly filename: string
  readonly readonly?: boolean
  /**
   * What a commit waits for. `FULL`, the default, survives power loss; `NORMAL` only a crash of the process,
   * for work that can be done again.
   */
  readonly synchronous?: "FULL" | "NORMAL"
  /** Pages in the write-ahead log at which a commit also checkpoints; 0 leaves that to another connection. */
  readonly autocheckpoint?: number
  /**
   * MiB to which a write-ahead log that had to be longer is cut when it begins again; 64 unless set. It
   * should hold the largest transaction, or each one allocates the rest of the file again.
   */
  readonly journalMib?: number
  /** KiB of page cache. */
  readonly cacheKib?: number
  /**
   * Whether deleted data is overwritten: `ON`, the default, also if a whole page becomes free; `FAST` only
   * within pages that are written anyway.
   */
  readonly secureDelete?: "ON" | "FAST"
}

/** How long a statement waits for another process's lock before it fails. */
export const BUSY_TIMEOUT_MILLIS = 5_000
/** How long it waits where SQLite leaves waiting to the caller. */
const BUSY_PAUSE_MILLIS = 10

/** The open database and its prepared statements. */
export interface SqliteDatabase {
  readonly db: DatabaseSync
  /** Prepares once; the same text returns the same statement. */
  readonly prepare: (sql: string) => StatementSync
  /**
   * Prepares a query once, for a caller that keeps it. Its rows are lists of values, which takes half the
   * time of objects.
   */
  readonly values: (
    sql: string
  ) => (...params: ReadonlyArray<SQLInputValue>) => ReadonlyArray<ReadonlyArray<unknown>>
  /** The same, one row after the other: rows that are not taken are not read. */
  readonly eachValues: (
    sql: string
  ) => (...params: ReadonlyArray<SQLInputValue>) => Iterable<ReadonlyArray<unknown>>
}

/** Anything that prepares statements: a connection of Cairn, or another. */
export type Preparing = Pick<SqliteDatabase, "prepare">

/** A `SqlClient` that also gives synchronous access to its connection. */
export interface SqliteClient extends SqlClient.SqlClient {
  readonly config: SqliteClientConfig
  /** Runs a synchronous function on the connection, outside any transaction of the client. */
  readonly use: <A>(
    operation: string,
    f: (database: SqliteDatabase) => A
  ) => Effect.Effect<A, SqlError.SqlError>
  /** The same without an Effect, for code that must not leave its turn of the event loop. */
  readonly database: SqliteDatabase
}

/** The client. */
export const SqliteClient = Context.Service<SqliteClient>("@cairn/storage-sqlite/SqliteClient")

/** Effect classifies errors by `errno`; `node:sqlite` has the same number as `errcode`. */
const sqlError = (cause: unknown, operation: string): SqlError.SqlError => {
  const located =
    cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" && !("errno" in cause)
      ? Object.assign(cause, { errno: cause.errcode })
      : cause
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError(located, { message: `Failed to ${operation}`, operation })
  })
}

const SQLITE_BUSY = 5

/** Whether another connection holds a lock on the file. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY

/**
 * Switches a file to a write-ahead log. If several processes open one new file, SQLite lets one of them do
 * it, and the others do not wait for it.
 */
const keepWriteAheadLog = (db: DatabaseSync): void => {
  const clock = new Int32Array(new SharedArrayBuffer(4))
  for (let waited = 0; ; waited += BUSY_PAUSE_MILLIS) {
    try {
      db.exec("PRAGMA journal_mode = WAL")
      return
    } catch (error) {
      if (!isBusy(error) || waited >= BUSY_TIMEOUT_MILLIS) throw error
      Atomics.wait(clock, 0, 0, BUSY_PAUSE_MILLIS)
    }
  }
}

/** The code of Node's error for an integer beyond 2^53, which a number may not hold exactly. */
const OUT_OF_RANGE = "ERR_OUT_OF_RANGE"

const isOutOfRange = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === OUT_OF_RANGE

const asNumber = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value)

/**
 * The rows of a statement. Cairn stores no integer beyond 2^53; one that somebody else has stored is returned
 * as the nearest number, because rows that cannot be read cannot be verified.
 */
const readRows = (
  statement: StatementSync,
  params: ReadonlyArray<SQLInputValue>
): ReturnType<StatementSync["all"]> => {
  try {
    return statement.all(...params)
  } catch (error) {
    if (!isOutOfRange(error)) throw error
  }
  statement.setReadBigInts(true)
  try {
    const rows: ReadonlyArray<unknown> = statement.all(...params)
    const numbered = rows.map((row) =>
      Array.isArray(row)
        ? row.map(asNumber)
        : Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, asNumber(value)]))
    )
    return numbered as unknown as ReturnType<StatementSync["all"]>
  } finally {
    statement.setReadBigInts(false)
  }
}

/** The same, one row after the other, for a statement that returns lists of values. */
function* eachRow(
  statement: StatementSync,
  params: ReadonlyArray<SQLInputValue>
): Generator<ReadonlyArray<unknown>> {
  // The driver's type only has objects.
  const iterate = () => statement.iterate(...params) as unknown as Iterable<ReadonlyArray<unknown>>
  let taken = 0
  try {
    for (const row of iterate()) {
      taken++
      yield row
    }
    return
  } catch (error) {
    if (!isOutOfRange(error)) throw error
  }
  statement.setReadBigInts(true)
  try {
    let at = 0
    for (const row of iterate()) if (at++ >= taken) yield row.map(asNumber)
  } finally {
    statement.setReadBigInts(false)
  }
}

const open = (config: SqliteClientConfig): SqliteDatabase => {
  const db = new DatabaseSync(config.filename, {
    readOnly: config.readonly ?? false,
    timeout: BUSY_TIMEOUT_MILLIS
  })
  if (!config.readonly) keepWriteAheadLog(db)
  db.exec(`PRAGMA synchronous = ${config.synchronous ?? "FULL"}`)
  db.exec(`PRAGMA secure_delete = ${config.secureDelete ?? "ON"}`)
  db.exec(`PRAGMA journal_size_limit = ${(config.journalMib ?? 64) * 1024 * 1024}`)
  if (config.autocheckpoint !== undefined) db.exec(`PRAGMA wal_autocheckpoint = ${config.autocheckpoint}`)
  if (config.cacheKib !== undefined) db.exec(`PRAGMA cache_size = ${-config.cacheKib}`)
  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const values: SqliteDatabase["values"] = (sql) => {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    // The driver's type only has objects.
    return (...params) => readRows(statement, params) as unknown as ReadonlyArray<ReadonlyArray<unknown>>
  }
  const eachValues: SqliteDatabase["eachValues"] = (sql) => {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    return (...params) => eachRow(statement, params)
  }
  return { db, prepare, values, eachValues }
}

const connectionOf = ({ prepare, db }: SqliteDatabase): SqlConnection.Connection => {
  const run = <A>(f: () => A) =>
    Effect.try({ try: f, catch: (cause) => sqlError(cause, "execute statement") })
  const rows = (statement: StatementSync, params: ReadonlyArray<unknown>) => {
    // The dialect's compiler only allows what SQLite can bind; the driver itself rejects anything else.
    const bound = params as ReadonlyArray<SQLInputValue>
    if (statement.columns().length > 0) return readRows(statement, bound)
    statement.run(...bound)
    return []
  }
  const values = (statement: StatementSync, params: ReadonlyArray<unknown>) => {
    statement.setReturnArrays(true)
    try {
      return rows(statement, params) as unknown as ReadonlyArray<ReadonlyArray<unknown>>
    } finally {
      statement.setReturnArrays(false)
    }
  }
  return {
    execute: (sql, params, transform) =>
      run(() =>
        transform === undefined ? rows(prepare(sql), params) : transform(rows(prepare(sql), params))
      ),
    executeRaw: (sql, params) => run(() => prepare(sql).run(...(params as ReadonlyArray<SQLInputValue>))),
    executeValues: (sql, params) => run(() => values(prepare(sql), params)),
    executeValuesUnprepared: (sql, params) => run(() => values(db.prepare(sql), params)),
    executeUnprepared: (sql, params, transform) =>
      run(() =>
        transform === undefined ? rows(db.prepare(sql), params) : transform(rows(db.prepare(sql), params))
      ),
    executeStream: () => Stream.die("node:sqlite is read in pages, not as a stream")
  }
}

/** Opens a connection until the scope ends. */
export const make = Effect.fnUntraced(function* (config: SqliteClientConfig) {
  const database = yield* Effect.acquireRelease(
    Effect.try({ try: () => open(config), catch: (cause) => sqlError(cause, `open ${config.filename}`) }),
    ({ db }) => Effect.sync(() => db.close())
  )
  const connection = connectionOf(database)
  const semaphore = yield* Semaphore.make(1)
  const transactionAcquirer = Effect.uninterruptibleMask((restore) => {
    const scope = Effect.service(Scope.Scope)
    return Effect.flatMap(scope, (held) =>
      Effect.as(
        Effect.tap(restore(semaphore.take(1)), () => Scope.addFinalizer(held, semaphore.release(1))),
        connection
      )
    )
  })
  const client = yield* SqlClient.make({
    driver: "sqlite-node",
    acquirer: semaphore.withPermits(1)(Effect.succeed(connection)),
    transactionAcquirer,
    compiler: Statement.makeCompilerSqlite(),
    // A writer takes its lock at the beginning: one that upgrades from reading may fail without waiting.
    beginTransaction: "BEGIN IMMEDIATE",
    spanAttributes: [["db.system.name", "sqlite"]]
  })
  const use = <A>(operation: string, f: (database: SqliteDatabase) => A) =>
    semaphore.withPermits(1)(
      Effect.try({ try: () => f(database), catch: (cause) => sqlError(cause, operation) })
    )
  return Object.assign(client, { config, use, database }) as SqliteClient
})

/** Provides the client under both its names. */
export const layer = (config: SqliteClientConfig) =>
  Layer.effectContext(
    Effect.map(make(config), (client) =>
      Context.make(SqliteClient, client).pipe(Context.add(SqlClient.SqlClient, client))
    )
  ).pipe(Layer.provide(Reactivity.layer))
