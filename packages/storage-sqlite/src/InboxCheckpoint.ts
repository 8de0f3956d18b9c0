/**
 * Keeps the inbox's write-ahead log small, from the connection that removes rows, so that no accept pays for
 * it.
 *
 * A passive checkpoint copies most pages while accepts continue, but under load it never copies all of them,
 * and only after a complete one does the log begin again. So if the log is long, a blocking checkpoint
 * follows, which has little left to copy.
 */
import type { SqliteDatabase } from "./SqliteClient.ts"

/** Pages beyond which writers must wait for the rest: a few milliseconds. */
const RESTART_PAGES = 8_000

const pagesIn = ({ prepare }: SqliteDatabase, mode: "PASSIVE" | "RESTART"): number =>
  Number(prepare(`PRAGMA wal_checkpoint(${mode})`).get()?.log ?? 0)

/** A function that checkpoints if there is enough to copy; it checks only every few calls. */
export const inboxCheckpoint = (inbox: SqliteDatabase): (() => void) => {
  let calls = 0
  return () => {
    if (++calls % 16 !== 0) return
    const pages = pagesIn(inbox, "PASSIVE")
    if (pages > RESTART_PAGES) pagesIn(inbox, "RESTART")
  }
}
