/** What `cairn restore` is to put in place: fetched or copied, and verified. */
import { dirname } from "node:path"
import type { Micros } from "@cairn/core/encoding"
import { type StagedBackup, stageBackup } from "@cairn/storage-sqlite"
import { Effect } from "effect"
import { checkRoom } from "../backup/BackupSpace.ts"
import { stageStored, verifyFiles } from "../backup/BackupVerification.ts"
import { chosenBackup, isInStore } from "../backup/ChosenBackup.ts"
import { layerExportStore } from "../layers/ExportStore.ts"
import type { Configuration } from "../settings/Configuration.ts"
import { backupSettings } from "./BackupCommand.ts"
import { CommandFailed } from "./Failure.ts"

/** Checks the copy of the backup: the chain of each log, and what was signed of it. */
export const checkStaged = Effect.fnUntraced(function* (settings: Configuration, { filename }: StagedBackup) {
  const { chains, checkpoints, findings } = yield* verifyFiles(settings, filename)
  if (findings.length > 0) {
    return yield* new CommandFailed({
      message: `the backup does not hold, and nothing was changed: ${findings.join("; ")}`,
      kind: "does_not_hold"
    })
  }
  return { chains, checkpoints }
})

/** Copies what is to be restored beside `target`: the files of a backup, or one of the store. */
export const stageChosen = Effect.fnUntraced(function* (
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
