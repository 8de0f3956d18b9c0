/** Checks of the backups that are in the store. */
import { Micros } from "@cairn/core/encoding"
import { Effect } from "effect"
import { newestHeld } from "../../backup/BackupMaking.ts"
import { listBackups } from "../../backup/StoredBackups.ts"
import { layerExportStore } from "../../layers/ExportStore.ts"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, type Finding, fault, warning } from "../Check.ts"
import { notInTime, within } from "../Deadline.ts"
import { Skipped } from "../Skipped.ts"

/** One is made when the newest is of this age; a failed one is tried again within an hour. */
const LATE = 2

const backups: Check = {
  id: "backups",
  title: "Backups",
  looks: `Whether the newest backup holds, and one that holds is not older than ${LATE} times \`CAIRN_BACKUP_EVERY_SECONDS\``,
  needs: [SETTINGS.database, SETTINGS.backupStore, SETTINGS.backupEvery].map(({ name }) => name),
  run: ({ settings: { backup }, limits: { peer } }) =>
    Effect.gen(function* () {
      if (backup === null) return yield* new Skipped({ reason: "CAIRN_BACKUP_STORE is not set" })
      const all = yield* listBackups.pipe(
        Effect.provide(layerExportStore(backup.store)),
        within(peer, notInTime),
        Effect.catch(() => new Skipped({ reason: "the store of backups cannot be read" }))
      )
      if (all.length === 0) return yield* new Skipped({ reason: "there are no backups yet" })
      const found: Array<Finding> = []
      const newest = all.find(({ state }) => state === "holds" || state === "does_not_hold")
      if (newest?.state === "does_not_hold")
        found.push(
          fault(
            `the newest backup, ${newest.name}, does not hold and cannot be restored`,
            "cairn backup makes another; if that does not hold either, look at the disk of the store and of CAIRN_BACKUP_FOLDER, and run cairn verify"
          )
        )
      const now = yield* Micros.now
      const held = newestHeld(all, now)
      if (held === undefined)
        return newest?.state === "does_not_hold"
          ? found
          : [fault("no backup in the store is known to hold", "cairn backup")]
      const seconds = Math.floor((now - held.madeAt) / Micros.SECOND)
      if (backup.everySeconds > 0 && seconds > LATE * backup.everySeconds)
        found.push(
          warning(
            `the newest backup that holds is ${seconds} seconds old, and one is due every ${backup.everySeconds}`,
            "cairn backup says why none is made; a server with the role worker or all makes them"
          )
        )
      return found
    })
}

/** Checks of the backups. */
export const BACKUP_CHECKS: ReadonlyArray<Check> = [backups]
