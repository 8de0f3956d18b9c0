/** Applications that keep an outbox, one for each driver, as their authors would write them. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { sql as drizzleSql } from "drizzle-orm"
import { drizzle as drizzleOnPg } from "drizzle-orm/node-postgres"
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core"
import { drizzle as drizzleOnPostgres } from "drizzle-orm/postgres-js"
import { drizzle as drizzleOnSqlite } from "drizzle-orm/sqlite-proxy"
import { CompiledQuery, Kysely, PostgresDialect, SqliteDialect } from "kysely"
import pg from "pg"
import postgres from "postgres"
import type { EventInput } from "../../src/index.ts"
import {
  type Audited,
  drizzlePostgresAdapter,
  drizzleSqliteAdapter,
  kyselyAdapter,
  Outbox,
  type OutboxOptions,
  pgAdapter,
  postgresAdapter,
  sqliteAdapter
} from "../../src/outbox/index.ts"

/** What an application does within one transaction. */
export interface Unit {
  readonly audit: (event: EventInput) => Audited | Promise<Audited>
  readonly sql: (text: string) => Promise<unknown>
  /** A part that is rolled back alone where it throws. */
  readonly savepoint: (body: (unit: Unit) => Promise<void>) => Promise<void>
}

/** Rows of a result. */
type Rows = ReadonlyArray<Record<string, unknown>>

/** An application with its connections. */
export interface Application {
  readonly outbox: Pick<Outbox<never, void>, "migrate" | "relay">
  /** Commits, unless the body throws. */
  readonly transaction: (
    body: (unit: Unit) => Promise<void>,
    isolation?: "repeatable read" | "serializable" | undefined
  ) => Promise<void>
  /** Looks into the database beside all that. */
  readonly query: (text: string) => Promise<Rows>
  readonly end: () => Promise<void>
}

/** A driver, and what starts an application on the database at an address: a URL, or a path. */
export interface Driver {
  readonly name: string
  readonly dialect: "postgres" | "sqlite"
  readonly start: (address: string, options?: OutboxOptions) => Application
}

/** Savepoints of SQL, for drivers that have none of their own. */
export const unitOf = (audit: Unit["audit"], sql: Unit["sql"]): Unit => {
  const unit: Unit = {
    audit,
    sql,
    savepoint: async (body) => {
      await sql("SAVEPOINT part")
      try {
        await body(unit)
        await sql("RELEASE SAVEPOINT part")
      } catch {
        await sql("ROLLBACK TO SAVEPOINT part")
      }
    }
  }
  return unit
}

const poolOf = (url: string): pg.Pool => {
  const pool = new pg.Pool({ connectionString: url, max: 6 })
  pool.on("error", () => {})
  // A connection that is cut after a statement's end, before its promise has given it back to the pool.
  pool.on("connect", (client) => client.on("error", () => {}))
  return pool
}

const onPg = (url: string, options?: OutboxOptions): Application => {
  const pool = poolOf(url)
  const outbox = new Outbox(pgAdapter(pool), options)
  return {
    outbox,
    transaction: async (body, isolation = undefined) => {
      const client = await pool.connect()
      try {
        await client.query(`BEGIN ISOLATION LEVEL ${isolation ?? "READ COMMITTED"}`)
        await body(
          unitOf(
            (event) => outbox.audit(client, event),
            (text) => client.query(text)
          )
        )
        await client.query("COMMIT")
      } catch (error) {
        await client.query("ROLLBACK")
        throw error
      } finally {
        client.release()
      }
    },
    query: async (text) => (await pool.query(text)).rows,
    end: () => pool.end()
  }
}

const onPostgres = (url: string, options?: OutboxOptions): Application => {
  const sql = postgres(url, { max: 6, transform: postgres.camel, onnotice: () => {} })
  const outbox = new Outbox(postgresAdapter(sql), options)
  const unit = (tx: postgres.TransactionSql): Unit => ({
    audit: (event) => outbox.audit(tx, event),
    sql: (text) => tx.unsafe(text),
    savepoint: (body) => tx.savepoint((part) => body(unit(part))).catch(() => {})
  })
  return {
    outbox,
    transaction: async (body, isolation = undefined) => {
      await sql.begin(`ISOLATION LEVEL ${isolation ?? "READ COMMITTED"}`, (tx) => body(unit(tx)))
    },
    query: async (text) => await sql.unsafe(text),
    // Without a limit it waits for ever for connections that the server has cut.
    end: () => sql.end({ timeout: 1 })
  }
}

const onKysely = (
  db: Kysely<Record<string, never>>,
  dialect: "postgres" | "sqlite",
  options?: OutboxOptions
): Application => {
  const outbox = new Outbox(kyselyAdapter(db, { dialect }), options)
  return {
    outbox,
    transaction: (body, isolation = undefined) => {
      const begun = db.transaction()
      return (isolation === undefined ? begun : begun.setIsolationLevel(isolation)).execute((tx) =>
        body(
          unitOf(
            (event) => outbox.audit(tx, event),
            (text) => tx.executeQuery(CompiledQuery.raw(text))
          )
        )
      )
    },
    query: async (text) => (await db.executeQuery(CompiledQuery.raw(text))).rows as Rows,
    end: () => db.destroy()
  }
}

const onDrizzle = (
  db: PgDatabase<PgQueryResultHKT>,
  end: () => Promise<void>,
  options?: OutboxOptions
): Application => {
  const outbox = new Outbox(drizzlePostgresAdapter(db, { sql: drizzleSql }), options)
  type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0]
  const unit = (tx: Tx): Unit => ({
    audit: (event) => outbox.audit(tx, event),
    sql: async (text) => tx.execute(text),
    savepoint: (body) => tx.transaction((part) => body(unit(part))).catch(() => {})
  })
  return {
    outbox,
    transaction: (body, isolation = undefined) =>
      db.transaction((tx) => body(unit(tx)), { isolationLevel: isolation ?? "read committed" }),
    // One driver gives an array, the other an object with rows.
    query: async (text) => {
      const result = (await db.execute(text)) as unknown as Rows | { readonly rows: Rows }
      return "rows" in result ? result.rows : result
    },
    end
  }
}

const onDrizzlePg = (url: string, options?: OutboxOptions): Application => {
  const pool = poolOf(url)
  return onDrizzle(drizzleOnPg(pool), () => pool.end(), options)
}

const onDrizzlePostgres = (url: string, options?: OutboxOptions): Application => {
  const client = postgres(url, { max: 6, onnotice: () => {} })
  return onDrizzle(drizzleOnPostgres(client), () => client.end({ timeout: 1 }), options)
}

const opened = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path)
  database.exec("PRAGMA journal_mode = WAL")
  return database
}

const onNodeSqlite = (path: string, options?: OutboxOptions): Application => {
  const database = opened(path)
  const beside = opened(path)
  const outbox = new Outbox(sqliteAdapter(database), options)
  return {
    outbox,
    transaction: async (body) => {
      database.exec("BEGIN IMMEDIATE")
      try {
        await body(
          unitOf(
            (event) => outbox.audit(database, event),
            async (text) => database.exec(text)
          )
        )
        database.exec("COMMIT")
      } catch (error) {
        database.exec("ROLLBACK")
        throw error
      }
    },
    query: async (text) => beside.prepare(text).all(),
    end: async () => {
      database.close()
      beside.close()
    }
  }
}

/** `node:sqlite` in the shape of better-sqlite3, which Kysely expects. */
const asBetterSqlite = (database: DatabaseSync) => ({
  prepare: (text: string) => {
    const statement: StatementSync = database.prepare(text)
    const values = (all: ReadonlyArray<unknown>) => all as ReadonlyArray<SQLInputValue>
    return {
      reader: statement.columns().length > 0,
      all: (all: ReadonlyArray<unknown>) => statement.all(...values(all)),
      run: (all: ReadonlyArray<unknown>) => statement.run(...values(all)),
      iterate: (all: ReadonlyArray<unknown>) => statement.iterate(...values(all))
    }
  },
  close: () => database.close()
})

/** A database of Drizzle whose rows are lists, as that of a remote SQLite. */
const proxied = (database: DatabaseSync) =>
  drizzleOnSqlite(async (text, params, method) => {
    const statement = database.prepare(text)
    if (method === "run") {
      statement.run(...(params as ReadonlyArray<SQLInputValue>))
      return { rows: [] }
    }
    return {
      rows: statement.all(...(params as ReadonlyArray<SQLInputValue>)).map((row) => Object.values(row))
    }
  })

const onDrizzleSqlite = (path: string, options?: OutboxOptions): Application => {
  const [application, relays, beside] = [opened(path), opened(path), opened(path)]
  const db = proxied(application)
  const outbox = new Outbox(drizzleSqliteAdapter(proxied(relays), { sql: drizzleSql }), options)
  type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0]
  const unit = (tx: Tx): Unit => ({
    audit: (event) => outbox.audit(tx, event),
    sql: (text) => Promise.resolve(tx.run(text)),
    savepoint: (body) => tx.transaction((part) => body(unit(part))).catch(() => {})
  })
  return {
    outbox,
    transaction: (body) => db.transaction((tx) => body(unit(tx)), { behavior: "immediate" }),
    query: async (text) => beside.prepare(text).all(),
    end: async () => {
      for (const each of [application, relays, beside]) each.close()
    }
  }
}

export const drivers: ReadonlyArray<Driver> = [
  { name: "pg", dialect: "postgres", start: onPg },
  { name: "postgres", dialect: "postgres", start: onPostgres },
  {
    name: "Kysely on PostgreSQL",
    dialect: "postgres",
    start: (url, options) =>
      onKysely(new Kysely({ dialect: new PostgresDialect({ pool: poolOf(url) }) }), "postgres", options)
  },
  { name: "Drizzle on pg", dialect: "postgres", start: onDrizzlePg },
  { name: "Drizzle on postgres", dialect: "postgres", start: onDrizzlePostgres },
  { name: "node:sqlite", dialect: "sqlite", start: onNodeSqlite },
  {
    name: "Kysely on SQLite",
    dialect: "sqlite",
    start: (path, options) =>
      onKysely(
        new Kysely({ dialect: new SqliteDialect({ database: asBetterSqlite(opened(path)) }) }),
        "sqlite",
        options
      )
  },
  { name: "Drizzle on SQLite", dialect: "sqlite", start: onDrizzleSqlite }
]
