/** What `cairn restore` is to put in place: fetched or copied, and verified. */
import { dirname } from "node:path"
import type { Micros } from "@cairn/core/encoding"
import { type StagedBackup, stageBackup } from "@cairn/storage-sqlite"
import { Effect } from "effect"
import { checkRoom } from "../backup/BackupSpace.ts"
import { compareEnds, stageStored, verifyFiles } from "../backup/BackupVerification.ts"
import { chosenBackup, isInStore } from "../backup/ChosenBackup.ts"
import type { Manifest } from "../backup/StoredBackups.ts"
import { layerExportStore } from "../layers/ExportStore.ts"
import type { Configuration } from "../settings/Configuration.ts"
import { backupSettings } from "./BackupCommand.ts"
import { CommandFailed } from "./Failure.ts"

/** What is to be put in place. */
export interface ChosenRestore {
  readonly name: string
  readonly staged: StagedBackup
  /** That of a backup of the store. */
  readonly manifest: Manifest | undefined
}

/** Checks the copy of the backup: the chain of each log, what was signed of it, and where it must end. */
export const checkStaged = Effect.fnUntraced(function* (
  settings: Configuration,
  { name, staged: { filename }, manifest }: ChosenRestore
) {
  const { chains, checkpoints, findings } = yield* verifyFiles(settings, filename)
  if (findings.length > 0) {
    return yield* new CommandFailed({
      message: `the backup does not hold, and nothing was changed: ${findings.join("; ")}`,
      kind: "does_not_hold"
    })
  }
  if (manifest !== undefined) yield* compareEnds(name, manifest, filename)
  return { chains, checkpoints }
})

/** Copies what is to be restored beside `target`: the files of a backup, or one of the store. */
export const stageChosen = Effect.fnUntraced(function* (
  settings: Configuration,
  text: string,
  target: string,
  now: Micros.Micros
) {
  if (!isInStore(text)) {
    const chosen: ChosenRestore = {
      name: text,
      staged: yield* stageBackup(text, target, now),
      manifest: undefined
    }
    return chosen
  }
  const { store } = yield* backupSettings(settings)
  return yield* Effect.gen(function* () {
    const { name, manifest } = yield* chosenBackup(text)
    yield* checkRoom(dirname(target), manifest.bytes)
    const chosen: ChosenRestore = { name, staged: yield* stageStored(name, manifest, target, now), manifest }
    return chosen
  }).pipe(Effect.provide(layerExportStore(store)))
})
