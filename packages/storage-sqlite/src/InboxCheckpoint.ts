/**
 * Keeps the inbox's write-ahead log small, from the connection that removes rows, so that no accept pays for
 * it.
 *
 * A passive checkpoint copies most pages while accepts continue, but under load it never copies all of them,
 * and only after a complete one does the log begin again. So if the log is long, a blocking checkpoint
 * follows, which has little left to copy. Once it has the lock of writers, it waits for readers; for one that
 * reads for long, as a backup does, it would wait in vain.
 */
import { BUSY_TIMEOUT_MILLIS, type SqliteDatabase } from "./SqliteClient.ts"

/** Pages that are copied together: 4 MiB. */
const COPY_PAGES = 1_000
/** Pages beyond which writers must wait for the rest, a few milliseconds: 8 MiB. */
const RESTART_PAGES = 2_000
/** How long the blocking one waits for the lock and for readers. */
const RESTART_MILLIS = 100

/**
 * Pages beyond which the connection that accepts copies them itself, with a commit: 16 MiB. It comes to that
 * where the other connection does something long.
 */
export const MOST_INBOX_PAGES = 4_000

/** To what the log is cut that a long read made longer. */
export const INBOX_JOURNAL_MIB = 16

/** A function that checkpoints if there is enough to copy; where there is not, it costs microseconds. */
export const inboxCheckpoint = ({ db, prepare }: SqliteDatabase): (() => void) => {
  /** Pages at which the next blocking one is due. */
  let restartAt = RESTART_PAGES
  const checkpoint = (mode: "NOOP" | "PASSIVE" | "RESTART") => {
    const row = prepare(`PRAGMA wal_checkpoint(${mode})`).get()
    const pages = Number(row?.log)
    return { isBusy: row?.busy !== 0, pages, left: pages - Number(row?.checkpointed) }
  }
  return () => {
    const before = checkpoint("NOOP")
    if (before.pages < RESTART_PAGES) restartAt = RESTART_PAGES
    if (before.left < COPY_PAGES && before.pages < restartAt) return
    const { pages, left } = checkpoint("PASSIVE")
    // What is left is what somebody still reads without.
    if (pages < restartAt || left > COPY_PAGES) return
    db.exec(`PRAGMA busy_timeout = ${RESTART_MILLIS}`)
    try {
      restartAt = checkpoint("RESTART").isBusy ? pages + COPY_PAGES : RESTART_PAGES
    } finally {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MILLIS}`)
    }
  }
}
