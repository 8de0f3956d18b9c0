/**
 * The tables of one database as plain rows, for copying from it and to it: each side on one connection, which
 * keeps everybody else out.
 *
 * A copy is built in a separate schema, which Cairn does not read otherwise, and its tables are moved to the
 * final schema once it is complete.
 */
import { StorageUnavailable } from "@cairn/core/log"
import {
  type Cell,
  type CopiedTable,
  CopyRefused,
  type CopySource,
  type CopyTarget,
  lastStatement,
  quoted,
  type Row,
  readStatement,
  type TableShape,
  unavailable
} from "@cairn/storage-sql"
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Redacted, Result, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { MIGRATIONS, migrate } from "./Migrations.ts"
import { servingUrl } from "./PostgresClient.ts"
import { makeRegistry } from "./PostgresTypes.ts"
import { handOnSigned, moveAside } from "./ReplacedSchema.ts"

/** The schema where a copy is built. */
export const SCHEMA = "cairn_copy"

/** "copy" as a key of an advisory lock: held by the process that writes a copy. */
const COPYING = 0x636f7079

/** The application name of Cairn's sessions, and of these. */
const SERVER = "cairn"
const APPLICATION = "cairn copy"

/** One connection, with longer time-outs than a server's sessions have. */
export const connect = (url: string, name: string, searchPath?: string) =>
  servingUrl(Redacted.make(url)).pipe(
    Effect.flatMap((serving) =>
      PgClient.makeClient({
        url: serving,
        applicationName: APPLICATION,
        connectTimeout: "5 seconds",
        keepAlive: "5 seconds",
        startupParameters: {
          lock_timeout: "5000",
          statement_timeout: "0",
          idle_in_transaction_session_timeout: "0",
          tcp_keepalives_idle: "5",
          tcp_keepalives_interval: "2",
          tcp_keepalives_count: "3",
          ...(searchPath === undefined ? {} : { search_path: searchPath })
        },
        types: makeRegistry()
      })
    ),
    Effect.provide(Reactivity.layer),
    Effect.mapError((cause) => new StorageUnavailable({ operation: `connect to ${name}`, cause }))
  )

const TYPES: Readonly<Record<string, string>> = {
  bigint: "integer",
  integer: "integer",
  text: "text",
  bytea: "bytes"
}

/** The tables of a schema, by name. */
export const readShapes = (sql: PgClient.PgClient, schema: string) =>
  Effect.map(
    sql<{
      readonly name: string
      readonly columns: ReadonlyArray<string>
      readonly types: ReadonlyArray<string>
      readonly key: ReadonlyArray<string>
      readonly referred: ReadonlyArray<string>
      readonly numbered: string | null
    }>`
      SELECT t.relname::text AS name, c.columns, c.types, c.numbered,
        ARRAY(SELECT a.attname::text
          FROM pg_index i, unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, place), pg_attribute a
          WHERE i.indrelid = t.oid AND i.indisprimary AND a.attrelid = t.oid AND a.attnum = k.attnum
          ORDER BY k.place) AS key,
        ARRAY(SELECT r.relname::text FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid
          WHERE f.conrelid = t.oid AND f.contype = 'f') AS referred
      FROM pg_class t, LATERAL (
        SELECT array_agg(a.attname::text ORDER BY a.attnum) AS columns,
          array_agg(format_type(a.atttypid, NULL) ORDER BY a.attnum) AS types,
          min(a.attname::text) FILTER (WHERE a.attidentity <> '') AS numbered
        FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped) c
      WHERE t.relnamespace = ${schema}::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
      ORDER BY t.relname`,
    (rows) =>
      rows.map(
        ({ name, columns, types, key, referred, numbered }): TableShape => ({
          name,
          columns: new Map(
            columns.map((column, index) => {
              const type = types[index] ?? ""
              return [column, TYPES[type] ?? type]
            })
          ),
          key,
          references: referred,
          numbered
        })
      )
  )

/** What is read instead of a table whose rows differ between the two databases. */
const RELATIONS: Readonly<Record<string, string>> = {
  event_usage: `(SELECT workspace, month, sum(events)::bigint AS events FROM event_usage GROUP BY workspace, month) AS event_usage`
}

/** What is written to the columns that only this database has. */
const CONSTANTS: Readonly<Record<string, Readonly<Record<string, number>>>> = { event_usage: { slot: 0 } }

const relationOf = (name: string): string => RELATIONS[name] ?? quoted(name)

const cellOf = (value: unknown): Cell => {
  if (value === null || typeof value === "string" || typeof value === "number") return value
  if (value instanceof Uint8Array) return value
  throw new Error(`a column holds a ${typeof value}`)
}

const readRows = (sql: PgClient.PgClient, statement: string, params: ReadonlyArray<unknown>) =>
  Effect.map(
    sql.unsafe(statement, params).values,
    (rows): ReadonlyArray<Row> => rows.map((row) => row.map(cellOf))
  )

/** The tables of a schema, to copy from; the connection finds them by their names. */
export const sourceOf = (
  sql: PgClient.PgClient,
  name: string,
  shapes: ReadonlyArray<TableShape>,
  schema: string
): CopySource => ({
  name,
  shapes,
  count: (table) =>
    sql.unsafe<{ readonly count: number }>(`SELECT count(*) AS count FROM ${relationOf(table.name)}`).pipe(
      Effect.map(([row]) => row?.count ?? 0),
      unavailable("count rows")
    ),
  read: (table, after, limit) =>
    readRows(
      sql,
      readStatement(table, { mark: (n) => `$${n}`, after: after !== null, from: relationOf(table.name) }),
      [...(after ?? []), limit]
    ).pipe(unavailable("read rows")),
  lastNumber: (table) =>
    Effect.gen(function* () {
      const column = quoted(table.numbered ?? "")
      const [highest] = yield* sql.unsafe<{ readonly number: number | null }>(
        `SELECT max(${column}) AS number FROM ${quoted(table.name)}`
      )
      const [sequence] = yield* sql<{ readonly name: string | null }>`
        SELECT pg_get_serial_sequence(${`${quoted(schema)}.${quoted(table.name)}`}, ${table.numbered}) AS name`
      if (sequence?.name == null) return highest?.number ?? 0
      const [given] = yield* sql.unsafe<{ readonly number: number }>(
        `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS number FROM ${sequence.name}`
      )
      return Math.max(highest?.number ?? 0, given?.number ?? 0)
    }).pipe(unavailable("read the last number"))
})

const OIDS = { integer: PgTypes.OID.int8, text: PgTypes.OID.text, bytes: PgTypes.OID.bytea } as const
const ARRAYS = { integer: "bigint[]", text: "text[]", bytes: "bytea[]" } as const

/** One statement, which is a transaction: a parameter a column, whatever the number of rows. */
const insert = (sql: PgClient.PgClient, { name, columns, types }: CopiedTable, rows: ReadonlyArray<Row>) => {
  const parameters = types.map((type, index) =>
    Result.getOrThrow(
      PgTypes.array(
        rows.map((row) => row[index] ?? null),
        OIDS[type]
      )
    )
  )
  const arrays = types.map((type, index) => `$${index + 1}::${ARRAYS[type]}`)
  const constants = Object.entries(CONSTANTS[name] ?? {})
  const into = [...columns, ...constants.map(([column]) => column)].map(quoted).join(", ")
  const values = ["*", ...constants.map(([, value]) => value)].join(", ")
  return sql.unsafe(
    `INSERT INTO ${quoted(name)} (${into}) OVERRIDING SYSTEM VALUE
     SELECT ${values} FROM unnest(${arrays.join(", ")})`,
    parameters
  )
}

/** Other sessions of Cairn in this database. Those of a killed process take a short time to end. */
const refuseSessions = (sql: PgClient.PgClient, name: string) =>
  sql<{ readonly count: number }>`
    SELECT count(*) AS count FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = ${SERVER} AND pid <> pg_backend_pid()`.pipe(
    unavailable("look for other sessions"),
    Effect.flatMap(([row]) =>
      (row?.count ?? 0) === 0
        ? Effect.void
        : new CopyRefused({ database: name, reason: "in use", detail: `${row?.count} sessions of Cairn` })
    ),
    Effect.retry({ schedule: Schedule.spaced("500 millis"), times: 10 })
  )

/** The schema where tables are made that are named without one. */
export const currentSchema = (sql: PgClient.PgClient) =>
  Effect.map(
    sql<{ readonly schema: string | null }>`SELECT current_schema()::text AS schema`,
    ([row]) => row?.schema ?? "public"
  )

/**
 * Locks every table for reading, in one snapshot, until the scope ends. It waits for writers and then keeps
 * them out.
 */
const holdStill = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  name: string,
  shapes: ReadonlyArray<TableShape>
) {
  yield* Effect.acquireRelease(
    sql.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ").pipe(unavailable("begin a copy")),
    () => Effect.ignore(sql.unsafe("ROLLBACK"))
  )
  const tables = shapes.map((shape) => quoted(shape.name)).join(", ")
  yield* sql
    .unsafe(`LOCK TABLE ${tables} IN SHARE MODE`)
    .pipe(
      Effect.mapError(
        () => new CopyRefused({ database: name, reason: "in use", detail: "somebody is writing to it" })
      )
    )
})

/** Whether there is a database of Cairn. */
export const isThere = (sql: PgClient.PgClient) =>
  sql<{ readonly there: boolean }>`SELECT to_regclass('cairn_migration') IS NOT NULL AS there`.pipe(
    unavailable("look for a database"),
    Effect.map(([row]) => row?.there === true)
  )

/**
 * The database at `url`, to copy from; `name` is for people. No server may have it open. It is brought up to
 * date first.
 *
 * Anybody who still tries to write to it waits until the scope ends, and then fails.
 */
export const copySource = Effect.fnUntraced(function* (url: string, name: string) {
  const sql = yield* connect(url, name)
  if (!(yield* isThere(sql))) {
    return yield* new CopyRefused({ database: name, reason: "missing", detail: "" })
  }
  yield* refuseSessions(sql, name)
  yield* migrate(MIGRATIONS).pipe(
    Effect.provideService(PgClient.PgClient, sql),
    Effect.catchTag("SqlError", (cause) =>
      Effect.fail(new StorageUnavailable({ operation: `bring ${name} up to date`, cause }))
    )
  )
  const schema = yield* currentSchema(sql).pipe(unavailable("find the schema"))
  const shapes = yield* readShapes(sql, schema).pipe(unavailable("read the tables"))
  yield* holdStill(sql, name, shapes)
  return sourceOf(sql, name, shapes, schema)
})

/** What a schema contains other than the objects of extensions: the name of one relation. */
const findRelation = (sql: PgClient.PgClient, schema: string) =>
  sql<{ readonly name: string }>`
    SELECT c.relname::text AS name FROM pg_class c
    WHERE c.relnamespace = ${schema}::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
    ORDER BY c.relname LIMIT 1`.pipe(
    unavailable("look for other tables"),
    Effect.map(([row]) => row?.name)
  )

/**
 * Moves everything from the copy's schema to the final schema, in one transaction; before that, what is there
 * to the schema `aside`, if one is given.
 */
const move = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  name: string,
  schema: string,
  aside: string | undefined
) {
  if (aside !== undefined) yield* moveAside(sql, schema, SCHEMA, aside)
  const taken = yield* findRelation(sql, schema)
  if (taken !== undefined) {
    return yield* new CopyRefused({ database: name, reason: "not empty", detail: `there is now a ${taken}` })
  }
  const statements = yield* sql<{ readonly statement: string }>`
    SELECT format('ALTER TABLE %s SET SCHEMA %I', oid::regclass, ${schema}::text) AS statement
    FROM pg_class WHERE relnamespace = ${SCHEMA}::regnamespace AND relkind IN ('r', 'p')
    UNION ALL
    SELECT format('ALTER ROUTINE %s SET SCHEMA %I', oid::regprocedure, ${schema}::text)
    FROM pg_proc WHERE pronamespace = ${SCHEMA}::regnamespace`
  for (const { statement } of statements) yield* sql.unsafe(statement)
  if (aside !== undefined) yield* handOnSigned(sql, schema, aside)
  yield* sql.unsafe(`DROP SCHEMA ${SCHEMA}`)
})

/**
 * An empty place at `url`, to copy to, or the copy that an earlier run has left there; `name` is for people.
 *
 * Until it is put in place, the copy is in the schema `cairn_copy`; `restart` deletes it. The role may create
 * schemas in the database. With `aside`, the copy replaces what is there, which goes to the schema of that
 * name.
 */
export const copyTarget = Effect.fnUntraced(function* (
  url: string,
  name: string,
  restart: boolean,
  aside?: string
) {
  const outside = yield* connect(url, name)
  const schema = yield* currentSchema(outside).pipe(unavailable("find the schema"))
  yield* outside`SELECT pg_advisory_lock(${COPYING})`.pipe(
    Effect.mapError(
      () => new CopyRefused({ database: name, reason: "in use", detail: "another copy is in progress" })
    )
  )
  yield* refuseSessions(outside, name)
  if (restart) {
    yield* outside
      .unsafe(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`)
      .pipe(unavailable("throw an earlier copy away"))
  }
  const isInPlace = aside === undefined && (yield* isThere(outside))
  const taken = isInPlace || aside !== undefined ? undefined : yield* findRelation(outside, schema)
  if (taken !== undefined) {
    return yield* new CopyRefused({ database: name, reason: "not empty", detail: `there is a ${taken}` })
  }
  const place = isInPlace ? schema : SCHEMA
  if (!isInPlace) {
    yield* outside
      .unsafe(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`)
      .pipe(unavailable("make a schema for the copy"))
  }
  const sql = isInPlace ? outside : yield* connect(url, name, SCHEMA)
  if (!isInPlace) {
    yield* migrate(MIGRATIONS).pipe(
      Effect.provideService(PgClient.PgClient, sql),
      Effect.catchTag("SqlError", (cause) =>
        Effect.fail(new StorageUnavailable({ operation: "make the tables of the copy", cause }))
      )
    )
  }
  const shapes = yield* readShapes(sql, place).pipe(unavailable("read the tables"))
  const target: CopyTarget = {
    ...sourceOf(sql, name, shapes, place),
    isInPlace,
    last: (table) =>
      Effect.map(
        readRows(sql, lastStatement(table, relationOf(table.name)), []),
        ([row]) => row ?? null
      ).pipe(unavailable("find the last row")),
    insert: (table, rows) => insert(sql, table, rows).pipe(Effect.asVoid, unavailable(`copy ${table.name}`)),
    clear: (table) =>
      sql.unsafe(`DELETE FROM ${quoted(table.name)}`).pipe(Effect.asVoid, unavailable("clear a table")),
    setLastNumber: (table, number) =>
      sql`
        SELECT setval(pg_get_serial_sequence(${`${quoted(place)}.${quoted(table.name)}`}, ${table.numbered}),
          greatest(${number}::bigint, 1), ${number}::bigint > 0)`.pipe(
        Effect.asVoid,
        unavailable("write the last number")
      ),
    putInPlace: outside.withTransaction(move(outside, name, schema, aside)).pipe(
      Effect.catchTag("SqlError", (cause) =>
        Effect.fail(new StorageUnavailable({ operation: "put the copy in place", cause }))
      ),
      Effect.tap(() => outside.unsafe("ANALYZE").pipe(Effect.ignore))
    )
  }
  return target
})
