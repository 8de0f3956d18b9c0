/**
 * A database of either kind, with a door at the back: what a test does to it the service does not know of.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { SIGNED_CONSUMER } from "@cairn/core/checkpoint"
import { siblingFile } from "@cairn/storage-sqlite"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { afterAll, beforeAll } from "@effect/vitest"
import { cairn } from "./CairnProcess.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

/** The databases that Cairn runs on. */
export const DATABASES = ["SQLite", "PostgreSQL"] as const

/** A row, as the driver gives it: PostgreSQL's 64-bit numbers come as text. */
export type Row = Readonly<Record<string, unknown>>

/** An empty database, or a copy of one. */
export interface TestDatabase {
  /** As `CAIRN_DATABASE_URL` and the options of a command name it. */
  readonly database: string
  /** The rows of a query that both databases understand. */
  readonly rows: (statement: string) => Promise<ReadonlyArray<Row>>
  /** Runs statements, one after the other, in one transaction. */
  readonly run: (...statements: ReadonlyArray<string>) => Promise<void>
  /**
   * Takes away what is remembered beside the log of what was signed for it and how far it went, wherever that
   * is.
   */
  readonly forgetEnds: () => Promise<void>
  /** Takes away what keeps a slip of the hand from changing the log. */
  readonly disarm: () => Promise<void>
  /** A copy of everything, made while no server runs. */
  readonly copy: () => Promise<TestDatabase>
}

/** Makes databases of one kind for the tests of a file. */
export interface TestDatabases {
  readonly newDatabase: () => Promise<TestDatabase>
}

/** Forgets what was signed, as a statement that both databases understand. */
const FORGET_SIGNED = `DELETE FROM consumer_row WHERE consumer = '${SIGNED_CONSUMER}'`

const onSqlite = (filename: string, newName: () => string): TestDatabase => {
  const open = <A>(f: (db: DatabaseSync) => A): A => {
    const db = new DatabaseSync(filename, { timeout: 10_000 })
    try {
      return f(db)
    } finally {
      db.close()
    }
  }
  const rows = (statement: string) => open((db) => db.prepare(statement).all())
  const run = (...statements: ReadonlyArray<string>) =>
    open((db) => db.exec(`BEGIN IMMEDIATE; ${statements.join("; ")}; COMMIT`))
  return {
    database: filename,
    rows: async (statement) => rows(statement),
    run: async (...statements) => run(...statements),
    forgetEnds: async () => {
      const statements = {
        consumers: `${FORGET_SIGNED}; DELETE FROM log_mark; DELETE FROM consumer`,
        inbox: "DELETE FROM log_seen"
      }
      for (const [name, statement] of Object.entries(statements)) {
        const db = new DatabaseSync(siblingFile(filename, name), { timeout: 10_000 })
        db.exec(statement)
        db.close()
      }
      for (const suffix of ["", "-wal", "-shm"])
        rmSync(siblingFile(filename, "search") + suffix, { force: true })
    },
    disarm: async () => {
      const triggers = rows(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name LIKE 'event%'"
      )
      run(...triggers.map(({ name }) => `DROP TRIGGER ${String(name)}`))
    },
    copy: async () => {
      const target = newName()
      const { code, stderr } = await cairn(["backup", target], { database: filename })
      if (code !== 0) throw new Error(stderr)
      return onSqlite(target, newName)
    }
  }
}

const onPostgres = (postgres: TestPostgres, url: string): TestDatabase => ({
  database: url,
  rows: (statement) => postgres.query(url, statement),
  run: async (...statements) => {
    await postgres.query(url, `BEGIN; ${statements.join("; ")}; COMMIT`)
  },
  forgetEnds: async () => {
    await postgres.query(url, FORGET_SIGNED)
  },
  disarm: async () => {
    await postgres.query(url, "ALTER TABLE event DISABLE TRIGGER ALL")
  },
  copy: async () => onPostgres(postgres, await postgres.newDatabase(url))
})

/** Makes databases of a kind, which are gone after the tests of the `describe` that asks for them. */
export const testDatabases = (kind: (typeof DATABASES)[number]): TestDatabases => {
  switch (kind) {
    case "SQLite":
      return filesOfSqlite()
    case "PostgreSQL":
      return serverOfPostgres()
  }
}

const filesOfSqlite = (): TestDatabases => {
  const folder = temporaryFolder()
  let count = 0
  const newName = () => join(folder, `cairn-${++count}.db`)
  return { newDatabase: async () => onSqlite(newName(), newName) }
}

const serverOfPostgres = (): TestDatabases => {
  let postgres: TestPostgres | undefined
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.stop())
  return {
    newDatabase: async () => {
      if (postgres === undefined) throw new Error("the database server has not started")
      return onPostgres(postgres, await postgres.newDatabase())
    }
  }
}
