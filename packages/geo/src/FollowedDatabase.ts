/**
 * A database file that is followed: when it is replaced or rewritten, the new one is read in full and checked
 * before it takes the place of the old one, which stays in use for as long as there is no better.
 */
import { Effect, Result } from "effect"
import type { Database } from "./Database.ts"
import { readDatabase, stampOf, type UnreadableDatabase } from "./DatabaseFile.ts"

/** A file as it was last read. */
export interface FollowedDatabase {
  /**
   * The record of a canonical address; null when there is none, when the file was never readable, or when it
   * is damaged there.
   */
  readonly get: (address: string, family: 4 | 6) => unknown
  /**
   * Reads the file if it changed since it was last read, and costs one `stat` if it did not. While the new
   * one is read, both are in memory. Never fails: a file that cannot be read is a warning, once for each of
   * its states.
   */
  readonly refresh: Effect.Effect<void>
}

/** Follows a file, which is not read before the first {@link FollowedDatabase.refresh}. */
export const follow = Effect.fnUntraced(function* (file: string) {
  const runFork = Effect.runForkWith(yield* Effect.context())
  let current: Database | undefined
  /**
   * The state of the file that `current` came from, or that was found damaged: reading it again would bring
   * nothing new.
   */
  let settled: string | undefined
  /** What was last warned of. */
  let warned: string | undefined
  /** Whether a damaged record of `current` was warned of. */
  let recordWarned = false

  const warn = Effect.fnUntraced(function* (
    { reason, cause }: UnreadableDatabase,
    stamp: string | undefined
  ) {
    const warning = `${reason} ${stamp}`
    if (warning === warned) return
    warned = warning
    yield* Effect.logWarning(
      current === undefined
        ? "A geolocation database cannot be read: its places are null"
        : "A geolocation database cannot be read again: the previous version stays in use"
    ).pipe(Effect.annotateLogs({ file, reason, cause: String(cause) }))
  })

  const load = Effect.fnUntraced(function* (stamp: string) {
    const read = yield* Effect.result(readDatabase(file, stamp))
    if (Result.isFailure(read)) {
      if (read.failure.reason === "damaged") settled = stamp
      return yield* warn(read.failure, stamp)
    }
    current = read.success
    settled = stamp
    warned = undefined
    recordWarned = false
    yield* Effect.logDebug("A geolocation database was read").pipe(
      Effect.annotateLogs({ file, bytes: current.bytes })
    )
  })

  const refresh = Effect.gen(function* () {
    const stamp = yield* Effect.result(stampOf(file))
    if (Result.isFailure(stamp)) return yield* warn(stamp.failure, undefined)
    if (stamp.success !== settled) return yield* load(stamp.success)
    // It is back as it was, so that its next disappearance is news.
    warned = undefined
  })

  const get = (address: string, family: 4 | 6): unknown => {
    if (current === undefined || !current.families.includes(family)) return null
    const record = current.get(address)
    if (Result.isSuccess(record)) return record.success
    if (!recordWarned) {
      recordWarned = true
      // Without the address: whose it is does not belong in a log.
      runFork(
        Effect.logWarning("A geolocation database is damaged: some of its places are null").pipe(
          Effect.annotateLogs({ file, cause: String(record.failure.cause) })
        )
      )
    }
    return null
  }

  return { get, refresh } satisfies FollowedDatabase
})
