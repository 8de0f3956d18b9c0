/** Has a backup made whenever the newest one that holds is old enough, and says what became of it. */
import { Micros } from "@cairn/core/encoding"
import { ClockGuard, type MeterSet, Meters, storeErrorText } from "@cairn/core/log"
import { Clock, Effect } from "effect"
import { type MadeBackup, newestHeld } from "../backup/BackupMaking.ts"
import type { BackupAnswer, BackupRequest } from "../backup/BackupRequest.ts"
import { listBackups, type StoredBackup, type Verdict } from "../backup/StoredBackups.ts"
import { layerExportStore } from "../layers/ExportStore.ts"
import { BACKUP_METRICS, BACKUP_OUTCOMES } from "../metrics/BackupFamilies.ts"
import type { BackupSettings } from "../settings/BackupSettings.ts"
import { runBackup } from "../thread/BackupProcessClient.ts"

/** Seconds after the start, which has enough to do. */
const FIRST_AFTER = 30
/** Seconds until it is looked again whether one is due, at most: others make them too. */
const LOOK_EVERY = 300
/** Seconds until one that failed is tried again, at most. */
const AGAIN_AFTER = 3_600

/** What the metrics show. */
interface Shown {
  /** The newest that holds; undefined for none. */
  newest: { readonly madeAt: Micros.Micros; readonly verdict: Verdict } | undefined
  /** What is wrong with the newest, or with making one; empty for nothing. */
  wrong: string
}

const meter = Effect.fnUntraced(function* (meters: MeterSet, everySeconds: number) {
  const clock = yield* Clock.Clock
  const wall = () => Number(clock.currentTimeNanosUnsafe() / 1000n)
  const began = clock.monotonicTimeNanosUnsafe()
  const shown: Shown = { newest: undefined, wrong: "" }
  meters.observed(BACKUP_METRICS.backupInterval, () => everySeconds)
  meters.observed(BACKUP_METRICS.backupFailing, () => (shown.wrong === "" ? 0 : 1))
  meters.observed(BACKUP_METRICS.backupAge, () =>
    shown.newest === undefined
      ? Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9
      : Math.max(0, (wall() - shown.newest.madeAt) / Micros.SECOND)
  )
  meters.observed(BACKUP_METRICS.backupBytes, () => shown.newest?.verdict.bytes)
  meters.observed(BACKUP_METRICS.backupTime, () => shown.newest?.verdict.seconds)
  for (const outcome of BACKUP_OUTCOMES) meters.counter(BACKUP_METRICS.backups, { outcome })
  return shown
})

const BROKEN = "A backup does not hold and cannot be restored. See Operations, backups"

const tellMade = Effect.fnUntraced(function* (made: MadeBackup) {
  const { name, findings, seconds, bytes, events, spoiled } = made
  if (made.holds)
    yield* Effect.logInfo("A backup was made, restored and verified").pipe(
      Effect.annotateLogs({ backup: name, events, bytes, seconds })
    )
  for (const broken of [...(made.holds ? [] : [{ name, findings }]), ...spoiled])
    yield* Effect.logError(BROKEN).pipe(
      Effect.annotateLogs({ backup: broken.name, findings: broken.findings.slice(0, 10).join("; ") })
    )
})

/** Counts what became of a backup, says it in the log, and returns what is wrong. */
const tell = Effect.fnUntraced(function* (meters: MeterSet, answer: BackupAnswer) {
  const count = (outcome: (typeof BACKUP_OUTCOMES)[number], by = 1) =>
    meters.counter(BACKUP_METRICS.backups, { outcome }).add(by)
  switch (answer.outcome) {
    case "not_due":
      return ""
    case "failed":
      count("failed")
      yield* Effect.logError("A backup could not be made or verified; trying again later").pipe(
        Effect.annotateLogs({ reason: answer.reason })
      )
      return answer.reason
    case "made":
      count(answer.made.holds ? "holds" : "does_not_hold")
      count("does_not_hold", answer.made.spoiled.length)
      yield* tellMade(answer.made)
      return answer.made.holds ? "" : "does not hold"
  }
})

/** What is wrong with the newest backup that was verified. */
const wrongWith = (all: ReadonlyArray<StoredBackup>): string =>
  all.find(({ state }) => state === "holds" || state === "does_not_hold")?.state === "does_not_hold"
    ? "does not hold"
    : ""

/**
 * Never ends, unless it is switched off; `run` makes one if it is due. When that is follows from what is in
 * the store, so a restart changes nothing.
 */
export const scheduledBackups = Effect.fnUntraced(function* (
  { everySeconds }: Pick<BackupSettings, "everySeconds">,
  run: Effect.Effect<BackupAnswer>
) {
  const meters = yield* Meters
  const clock = yield* ClockGuard
  const shown = yield* meter(meters, everySeconds)
  const monotonic = Effect.map(Clock.Clock, (own) => Number(own.monotonicTimeNanosUnsafe() / 1_000_000_000n))
  /** What was wrong with the last attempt of this process, and when the next may follow. */
  let failed = { wrong: "", until: 0 }

  const look = Effect.gen(function* () {
    const all = yield* listBackups
    const now = yield* Micros.now
    const newest = newestHeld(all, now)
    const verdict = newest?.backup.verdict ?? null
    // Another process may have made one since this one failed.
    if (newest !== undefined && newest.madeAt !== shown.newest?.madeAt) failed = { wrong: "", until: 0 }
    shown.newest = newest === undefined || verdict === null ? undefined : { madeAt: newest.madeAt, verdict }
    shown.wrong = failed.wrong === "" ? wrongWith(all) : failed.wrong
    return newest === undefined ? 0 : everySeconds - (now - newest.madeAt) / Micros.SECOND
  })

  const round = Effect.gen(function* () {
    const due = Math.max(yield* look, failed.until - (yield* monotonic))
    if (due > 0) return Math.min(due, LOOK_EVERY)
    // By a clock that runs ahead, every backup would be old.
    if (!(yield* Effect.isSuccess(clock.now))) return LOOK_EVERY
    const wrong = yield* Effect.flatMap(run, (answer) => tell(meters, answer))
    if (wrong !== "") failed = { wrong, until: (yield* monotonic) + Math.min(everySeconds, AGAIN_AFTER) }
    yield* look
    return Math.min(everySeconds, LOOK_EVERY)
  }).pipe(
    Effect.catch((error) => {
      const isNews = shown.wrong !== error.operation
      shown.wrong = error.operation
      const told = Effect.logError("The store of backups does not work; trying again").pipe(
        Effect.annotateLogs({ reason: `${error.operation}: ${storeErrorText(error.cause)}` })
      )
      return Effect.as(isNews ? told : Effect.void, Math.min(everySeconds, LOOK_EVERY))
    })
  )
  yield* Effect.sleep(Math.min(everySeconds, FIRST_AFTER) * 1_000)
  return yield* round.pipe(
    Effect.flatMap((seconds) => Effect.sleep(seconds * 1_000)),
    Effect.forever
  )
})

/** The backups of a server; nothing where none are made on a schedule. */
export const backupLoop = (
  config: Omit<BackupRequest, "backup"> & { readonly backup: BackupSettings | null }
) => {
  const { database, inboxCapacity, connections, logLevel, backup } = config
  if (backup === null || backup.everySeconds === 0) return Effect.void
  return scheduledBackups(backup, runBackup({ database, inboxCapacity, connections, logLevel, backup })).pipe(
    Effect.provide(layerExportStore(backup.store))
  )
}
