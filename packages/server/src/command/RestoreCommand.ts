/** `cairn restore` */
import { basename, resolve } from "node:path"
import { Micros } from "@cairn/core/encoding"
import {
  closePresent,
  DatabaseInUse,
  finishRestore,
  isHalfRestored,
  isThere,
  lossesOf,
  openPresent,
  type PresentDatabase,
  putInPlace,
  RestoreFailed,
  RestoreRefused,
  type StagedBackup
} from "@cairn/storage-sqlite"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { isInStore } from "../backup/ChosenBackup.ts"
import type { Configuration } from "../settings/Configuration.ts"
import { keyAdvice } from "./BackupCommand.ts"
import { CommandFailed } from "./Failure.ts"
import { checkStaged, stageChosen } from "./RestoreStage.ts"
import { type FoundLosses, reportRestore, stampOf } from "./RestoreText.ts"
import { toPostgres } from "./RestoreToPostgres.ts"
import { configuration, json, print } from "./Shared.ts"

const AFTER_LOSS =
  "Clients that sent the lost events may send them again. No checkpoint of these logs is signed until cairn recover --accept-loss"

/** Opens the database that is there until the scope ends; `undefined` if there is none. */
const openTarget = (filename: string, alone: boolean) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => (isThere(filename) ? openPresent(filename, alone) : undefined),
      catch: (cause) =>
        cause instanceof DatabaseInUse
          ? new RestoreRefused({ filename, reason: "in use" })
          : new RestoreFailed({ filename, cause })
    }),
    (present) => Effect.sync(() => present && closePresent(present))
  )

/** What is lost; what cannot be read is not known. */
const compare = (present: PresentDatabase | undefined, staged: StagedBackup): FoundLosses => {
  if (present === undefined) return { losses: [], unreadable: [] }
  const { unreadable } = present
  try {
    return { losses: lossesOf(present, staged.filename), unreadable }
  } catch (error) {
    return { losses: [], unreadable: [...unreadable, error instanceof Error ? error.message : String(error)] }
  }
}

/** What an interrupted restore has left to do comes first, whatever is to be restored now. */
const finish = (filename: string, asJson: boolean) =>
  Effect.gen(function* () {
    const plan = yield* Effect.try({
      try: () => finishRestore(filename),
      catch: (cause) => new RestoreFailed({ filename, cause })
    })
    yield* print(
      asJson,
      { database: filename, finished: plan },
      `An interrupted restore of ${plan?.backup} to ${filename} was finished, and nothing else was done`
    )
  })

const flagsOfRestore = {
  backup: Argument.String("backup").pipe(
    Argument.withDescription(
      "The file that cairn backup wrote, with the others beside it; or the name of a backup in CAIRN_BACKUP_STORE, or latest"
    )
  ),
  replace: Flag.Boolean("replace").pipe(
    Flag.withDescription("Replace the existing database, which is kept in a folder or another schema"),
    Flag.withDefault(false)
  ),
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Check the backup and show what would be lost, and change nothing"),
    Flag.withDefault(false)
  ),
  json
}

/** What the flags ask for. */
interface Asked {
  readonly backup: string
  readonly replace: boolean
  readonly dryRun: boolean
  readonly json: boolean
}

const restoreFiles = (settings: Configuration, filename: string, flags: Asked, refused: boolean) =>
  Effect.gen(function* () {
    // Held to the end, so that nobody writes what would be lost unseen.
    const present = yield* openTarget(filename, flags.replace && !flags.dryRun)
    const now = yield* Micros.now
    const chosen = yield* stageChosen(settings, flags.backup, filename, now)
    const { name, staged } = chosen
    const checked = yield* checkStaged(settings, chosen)
    const found = compare(present, staged)
    const to = {
      target: filename,
      backup: isInStore(flags.backup) ? name : resolve(name),
      aside: `${basename(filename)}.replaced-${stampOf(now)}`
    }
    const aside = flags.dryRun || refused ? null : yield* putInPlace(staged, present, to)
    const key = keyAdvice(settings.secretKeys.length > 0, filename)
    const outcome = { dryRun: flags.dryRun, refused, aside, afterLoss: AFTER_LOSS }
    yield* reportRestore(flags.json, name, filename, checked, found, outcome, key)
  }).pipe(Effect.scoped)

const toSqlite = Effect.fnUntraced(function* (settings: Configuration, filename: string, flags: Asked) {
  if (isHalfRestored(filename)) {
    if (flags.dryRun)
      return yield* new CommandFailed({
        message: `a restore of ${filename} was interrupted: run cairn restore without --dry-run, which finishes it`
      })
    return yield* finish(filename, flags.json)
  }
  const refused = isThere(filename) && !flags.replace && !flags.dryRun
  yield* restoreFiles(settings, filename, flags, refused)
  if (refused)
    return yield* new CommandFailed({
      message: `there is a database at ${filename}: --replace puts the backup in its place and keeps it aside`
    })
})

/** `cairn restore` */
export const restoreCommand = Command.make(
  "restore",
  flagsOfRestore,
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const { database } = settings
    yield* database.kind === "sqlite"
      ? toSqlite(settings, database.filename, flags)
      : toPostgres(settings, database.url, flags)
  })
).pipe(
  Command.withExamples([
    { command: "cairn restore latest --dry-run" },
    { command: "cairn restore /backups/2026-07-01/cairn.db --replace" }
  ]),
  Command.withDescription(
    "Put a backup back as the database, once its files, hash chains and signed checkpoints are verified. Stop the servers first"
  )
)
