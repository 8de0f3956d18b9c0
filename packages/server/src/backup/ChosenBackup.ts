/** Which backup of the store is meant: by its name, or the newest that holds. */
import { Effect } from "effect"
import { CommandFailed } from "../command/Failure.ts"
import { isBackupName, listBackups, readManifest } from "./StoredBackups.ts"

const LATEST = "latest"

/** Whether a text means a backup in the store; a file of that name can be given as `./latest`. */
export const isInStore = (text: string): boolean => text === LATEST || isBackupName(text)

const hint = "cairn backup list shows what there is"

/** The backup that is meant, with its manifest. */
export const chosenBackup = Effect.fnUntraced(function* (text: string) {
  const all = yield* listBackups
  const found =
    text === LATEST ? all.find(({ state }) => state === "holds") : all.find((one) => one.name === text)
  if (found === undefined) {
    const none = all.length === 0 ? "there are no backups in CAIRN_BACKUP_STORE" : undefined
    const missing =
      text === LATEST ? "no backup in CAIRN_BACKUP_STORE is known to hold" : `there is no backup ${text}`
    return yield* new CommandFailed({ message: none ?? `${missing}: ${hint}` })
  }
  return { name: found.name, ...(yield* readManifest(found.name)) }
})
