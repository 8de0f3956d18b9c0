/** `cairn restore` */
import { basename, dirname, resolve } from "node:path"
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
  type StagedBackup,
  stageBackup,
  type WorkspaceLoss
} from "@cairn/storage-sqlite"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { checkRoom } from "../backup/BackupSpace.ts"
import { stageStored, verifyFiles } from "../backup/BackupVerification.ts"
import { chosenBackup, isInStore } from "../backup/ChosenBackup.ts"
import { layerExportStore } from "../layers/ExportStore.ts"
import type { Configuration } from "../settings/Configuration.ts"
import { backupSettings, keyAdvice } from "./BackupCommand.ts"
import { CommandFailed } from "./Failure.ts"
import { configuration, json, print } from "./Shared.ts"

const ON_POSTGRES =
  "restore undoes cairn backup, which is of SQLite. On PostgreSQL: stop the servers, bring the database back with pg_restore (from pg_dump) or to a point in time, then run cairn verify and cairn recover; see docs/Operations.md"

/** Checks the copy of the backup: the chain of each log, and what was signed of it. */
const check = Effect.fnUntraced(function* (settings: Configuration, { filename }: StagedBackup) {
  const { chains, checkpoints, findings } = yield* verifyFiles(settings, filename)
  if (findings.length > 0) {
    return yield* new CommandFailed({
      message: `the backup does not hold, and nothing was changed: ${findings.join("; ")}`,
      kind: "does_not_hold"
    })
  }
  return { chains, checkpoints }
})

/** Copies what is to be restored beside the database: of a file, or of a backup in the store. */
const stage = Effect.fnUntraced(function* (
  settings: Configuration,
  text: string,
  target: string,
  now: Micros.Micros
) {
  if (!isInStore(text)) return { name: text, staged: yield* stageBackup(text, target, now) }
  const { store } = yield* backupSettings(settings)
  return yield* Effect.gen(function* () {
    const { name, manifest } = yield* chosenBackup(text)
    yield* checkRoom(dirname(target), manifest.bytes)
    return { name, staged: yield* stageStored(name, manifest, target, now) }
  }).pipe(Effect.provide(layerExportStore(store)))
})

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
const compare = (present: PresentDatabase | undefined, staged: StagedBackup) => {
  if (present === undefined) return { losses: [], unreadable: [] }
  const { unreadable } = present
  try {
    return { losses: lossesOf(present, staged.filename), unreadable }
  } catch (error) {
    return { losses: [], unreadable: [...unreadable, error instanceof Error ? error.message : String(error)] }
  }
}

const lossLine = (loss: WorkspaceLoss, done: boolean): ReadonlyArray<string> => {
  const { workspace_id, name, events_now, events_in_backup, events_lost, waiting_lost } = loss
  if (events_lost + waiting_lost === 0 && events_in_backup !== null) return []
  const waiting = waiting_lost === 0 ? "" : ` and ${waiting_lost} that wait`
  const inBackup =
    events_in_backup === null ? "the backup lacks the workspace" : `${events_in_backup} in the backup`
  const [had, lost] = done ? ["had", "are lost"] : ["has", "would be lost"]
  return [
    `${name} (${workspace_id}) ${had} ${events_now} events, ${inBackup}: ${events_lost}${waiting} ${lost}`
  ]
}

/** What the command has found, and whether it goes on. */
interface Outcome {
  readonly dryRun: boolean
  readonly refused: boolean
  readonly aside: string | null
}

const linesOf = (
  { losses, unreadable }: ReturnType<typeof compare>,
  database: string,
  { dryRun, refused, aside }: Outcome
): ReadonlyArray<string> => {
  const done = !dryRun && !refused
  const lines = losses.flatMap((loss) => lossLine(loss, done))
  return [
    ...lines,
    ...(unreadable.length === 0
      ? []
      : [`What else is lost is not known, since what is there cannot be read: ${unreadable.join("; ")}`]),
    ...(done ? [`Restored to ${database}`] : ["Nothing was changed"]),
    ...(aside === null ? [] : [`The database that was there is in ${aside}`]),
    ...(done && lines.length > 0
      ? [
          "Whoever sent the lost events may send them again. No checkpoint of these logs is signed until cairn recover --accept-loss"
        ]
      : [])
  ]
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
      "The file that cairn backup has written, with the others beside it; or, of CAIRN_BACKUP_STORE, the name of a backup or latest"
    )
  ),
  replace: Flag.Boolean("replace").pipe(
    Flag.withDescription("Replace the database that is there, which is kept in a folder beside it"),
    Flag.withDefault(false)
  ),
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Check the backup and show what would be lost, and change nothing"),
    Flag.withDefault(false)
  ),
  json
}

/** `cairn restore` */
export const restoreCommand = Command.make(
  "restore",
  flagsOfRestore,
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const { database } = settings
    if (database.kind !== "sqlite") return yield* new CommandFailed({ message: ON_POSTGRES })
    const { filename } = database
    if (isHalfRestored(filename)) {
      if (flags.dryRun)
        return yield* new CommandFailed({
          message: `a restore of ${filename} was interrupted: run cairn restore without --dry-run, which finishes it`
        })
      return yield* finish(filename, flags.json)
    }
    const refused = isThere(filename) && !flags.replace && !flags.dryRun
    yield* Effect.gen(function* () {
      // Held to the end, so that nobody writes what would be lost unseen.
      const present = yield* openTarget(filename, flags.replace && !flags.dryRun)
      const now = yield* Micros.now
      const { name, staged } = yield* stage(settings, flags.backup, filename, now)
      const { chains, checkpoints } = yield* check(settings, staged)
      const found = compare(present, staged)
      const stamp = Micros.format(now).slice(0, "2026-01-01T00:00:00".length).replace(/[-:]/g, "")
      const aside =
        flags.dryRun || refused
          ? null
          : yield* putInPlace(staged, present, {
              target: filename,
              backup: isInStore(flags.backup) ? name : resolve(name),
              aside: `${basename(filename)}.replaced-${stamp}`
            })
      const outcome = { dryRun: flags.dryRun, refused, aside }
      const events = chains.reduce((sum, { events_checked }) => sum + events_checked, 0)
      const key = keyAdvice(settings.secretKeys.length > 0, filename)
      yield* print(
        flags.json,
        {
          backup: name,
          database: filename,
          restored: !flags.dryRun && !refused,
          replaced: aside,
          events,
          chains,
          checkpoints,
          losses: found.losses,
          unreadable: found.unreadable,
          secret_key: key
        },
        [
          `${name} holds: ${events} events in ${chains.length} workspaces, ${checkpoints.length} signed checkpoints`,
          ...linesOf(found, filename, outcome),
          ...(outcome.dryRun || refused ? [] : [key])
        ].join("\n")
      )
    }).pipe(Effect.scoped)
    if (refused)
      return yield* new CommandFailed({
        message: `there is a database at ${filename}: --replace puts the backup in its place and keeps it aside`
      })
  })
).pipe(
  Command.withExamples([
    { command: "cairn restore latest --dry-run" },
    { command: "cairn restore /backups/2026-07-01/cairn.db --replace" }
  ]),
  Command.withDescription(
    "Put a backup of the SQLite database back, once its files, hash chains and signed checkpoints are verified. Stop the servers first"
  )
)
