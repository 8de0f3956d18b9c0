/**
 * The checks of the files of a database: SQLite's own `integrity_check`, which holds every row against every
 * index, and the words of events against the search index.
 *
 * Everything is read through connections that cannot write. They run for minutes on a large database and are
 * synchronous, so they belong into a process of their own, see `StoreCheck`.
 */
import { existsSync } from "node:fs"
import { basename } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { MAX_DAMAGES, type StoreDamage, storeFindings } from "@cairn/core/verification"
import { EVENTS_CHECKED } from "@cairn/storage-sql"
import { Effect } from "effect"
import { checkSearch } from "./SearchFrames.ts"
import { siblingFile } from "./SiblingFile.ts"

/** Most lines that SQLite lists of one table; those about one index are one damage. */
const MAX_LINES = 100

const MISSING = /^row \d+ missing from index (.+)$/
const MISCOUNTED = /^wrong # of entries in index (.+)$/

/** What the lines of an `integrity_check` say, one damage an index. */
const damagesOf = (file: string, lines: ReadonlyArray<string>): ReadonlyArray<StoreDamage> => {
  const missing = new Map<string, number>()
  const others: Array<StoreDamage> = []
  for (const line of lines) {
    const index = MISSING.exec(line)?.[1] ?? MISCOUNTED.exec(line)?.[1]
    if (index === undefined) others.push({ where: file, what: line })
    else missing.set(index, (missing.get(index) ?? 0) + (MISSING.test(line) ? 1 : 0))
  }
  const indexes = Array.from(missing, ([index, rows]) => ({
    where: `${file}, index ${index}`,
    what:
      rows === 0
        ? "it has entries without a row"
        : `${rows >= MAX_LINES - 1 ? "at least " : ""}${rows} rows of its table are not in it`
  }))
  return [...indexes, ...others]
}

const textOf = (row: Record<string, unknown>): string => String(Object.values(row)[0])

/** What a failure to read the files means. */
const unread = (where: string, error: unknown): ReadonlyArray<StoreDamage> => [
  { where, what: error instanceof Error ? error.message : String(error) }
]

/** Opens a file only to read, and says what a failure to read it means. */
const reading = (
  filename: string,
  check: (db: DatabaseSync) => ReadonlyArray<StoreDamage>
): ReadonlyArray<StoreDamage> => {
  const where = basename(filename)
  try {
    const db = new DatabaseSync(filename, { readOnly: true, timeout: 5_000 })
    try {
      return check(db)
    } finally {
      db.close()
    }
  } catch (error) {
    return unread(where, error)
  }
}

/**
 * One table after the other, each in a transaction of its own: while it is open, what is written in the
 * meantime stays in the write-ahead log.
 */
const checkFile = (filename: string): ReadonlyArray<StoreDamage> =>
  reading(filename, (db) => {
    const file = basename(filename)
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all().map(textOf)
    const lines = tables.flatMap((table) =>
      db
        .prepare(`PRAGMA integrity_check("${table.replaceAll('"', '""')}")`)
        .all()
        .map(textOf)
    )
    const orphans = db
      .prepare("PRAGMA foreign_key_check")
      .all()
      .slice(0, MAX_DAMAGES)
      .map(({ table, parent }) => ({
        where: `${file}, table ${table}`,
        what: `a row refers to one of ${parent} that is not there`
      }))
    return [
      ...damagesOf(
        file,
        lines.filter((line) => line !== "ok")
      ),
      ...orphans
    ]
  })

/** Checks the database whose log is in a file. */
export const checkFiles = Effect.fnUntraced(function* (filename: string) {
  const files = [filename, ...["inbox", "search", "consumers"].map((name) => siblingFile(filename, name))]
  const there = files.filter((file) => existsSync(file))
  const damages = there.flatMap(checkFile)
  const words = yield* checkSearch(filename).pipe(
    Effect.catchTag("SqlError", (error) => Effect.succeed(unread("the search index", error)))
  )
  return storeFindings({
    damages: [...damages, ...words],
    checked: [
      ...there.map((file) => `${basename(file)}: integrity_check, foreign_key_check`),
      `the words and values of up to ${EVENTS_CHECKED.toLocaleString("en")} events in the search index`
    ],
    not_checked: files.filter((file) => !there.includes(file)).map((file) => `${basename(file)}: not there`)
  })
})
