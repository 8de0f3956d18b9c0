/** `cairn restore` where the database is PostgreSQL: the backup is verified as files, and then copied. */
import { join } from "node:path"
import { Micros } from "@cairn/core/encoding"
import { copyTables } from "@cairn/storage-sql"
import { copySource, logHeads, openScratch, putInPlace, type WorkspaceLoss } from "@cairn/storage-sqlite"
import { Effect } from "effect"
import { postgres } from "../backup/DatabaseCopy.ts"
import { defaultFolder } from "../settings/BackupSettings.ts"
import type { Configuration } from "../settings/Configuration.ts"
import { nameOf } from "../settings/Database.ts"
import { secretKeyAdvice } from "./BackupCommand.ts"
import { CommandFailed } from "./Failure.ts"
import { drawProgress, endProgress } from "./ProgressBar.ts"
import { checkStaged, stageChosen } from "./RestoreStage.ts"
import { reportRestore, stampOf } from "./RestoreText.ts"

const AFTER_LOSS =
  "Clients that sent the lost events may send them again. A log that lacks events which a checkpoint was signed for is not signed until cairn recover --accept-loss"

/** What the logs that are there have more than those of the backup. */
const lossesAgainst = (
  present: ReadonlyArray<{ readonly workspace_id: string; readonly name: string; readonly events: number }>,
  filename: string
): ReadonlyArray<WorkspaceLoss> => {
  const kept = new Map(logHeads(filename).map((log) => [log.workspace_id, log.events]))
  return present.map(({ workspace_id, name, events }) => {
    const inBackup = kept.get(workspace_id) ?? null
    return {
      workspace_id,
      name,
      events_now: events,
      events_in_backup: inBackup,
      events_lost: Math.max(0, events - (inBackup ?? 0)),
      waiting_lost: 0
    }
  })
}

/** Copies the files into the database, where servers do not find them until all are there. */
const copyInto = (url: string, name: string, filename: string, aside: string | undefined) =>
  Effect.gen(function* () {
    const source = yield* copySource(filename)
    // What a restore that was interrupted has left is not continued: it may be of another backup.
    const target = yield* Effect.flatMap(postgres, ({ copyTarget }) => copyTarget(url, name, true, aside))
    yield* copyTables(source, target, ({ table, done, total }) => drawProgress(done, total, table))
  }).pipe(Effect.ensuring(Effect.sync(endProgress)), Effect.scoped)

/** Restores to the database at `url`, which must be empty, or is replaced. */
export const toPostgres = (
  settings: Configuration,
  url: string,
  flags: {
    readonly backup: string
    readonly replace: boolean
    readonly dryRun: boolean
    readonly json: boolean
  }
) =>
  Effect.gen(function* () {
    const name = nameOf(settings.database)
    const now = yield* Micros.now
    const scratch = yield* openScratch(settings.backup?.folder ?? defaultFolder(settings.database), now)
    const target = join(scratch, "cairn.db")
    const chosen = yield* stageChosen(settings, flags.backup, target, now)
    const { name: backup, staged } = chosen
    const checked = yield* checkStaged(settings, chosen)
    const present = yield* Effect.flatMap(postgres, ({ presentLogs }) => presentLogs(url, name))
    const found = { losses: lossesAgainst(present ?? [], staged.filename), unreadable: [] }
    const isTaken = present !== undefined
    const refused = isTaken && !flags.replace && !flags.dryRun
    const aside = isTaken && flags.replace ? `cairn_replaced_${stampOf(now).toLowerCase()}` : undefined
    if (!flags.dryRun && !refused) {
      yield* putInPlace(staged, undefined, { target, backup, aside: "" })
      yield* copyInto(url, name, target, aside)
    }
    const outcome = {
      dryRun: flags.dryRun,
      refused,
      aside: aside === undefined || flags.dryRun ? null : `the schema ${aside}`,
      afterLoss: AFTER_LOSS
    }
    yield* reportRestore(flags.json, backup, name, checked, found, outcome, secretKeyAdvice(settings))
    if (refused)
      return yield* new CommandFailed({
        message: `there is a database at ${name}: --replace puts the backup in its place and keeps it in a schema of its own`
      })
  }).pipe(Effect.scoped)
