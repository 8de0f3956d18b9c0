/** Checks of the folders that the service writes to, and of the disks below them. */
import { existsSync } from "node:fs"
import { Effect } from "effect"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, type Finding, fault, warning } from "../Check.ts"
import { isInMemory, isNetwork, mountOf } from "../Mounts.ts"
import type { Patient } from "../Patient.ts"
import { dataPlace, nearestFolder, type Place, placesOf } from "../Places.ts"
import { shellWord } from "../ShellWords.ts"
import { Skipped } from "../Skipped.ts"

/** The variables that name folders. */
const NAMES = [
  SETTINGS.database,
  SETTINGS.exportStore,
  SETTINGS.archiveStore,
  SETTINGS.backupStore,
  SETTINGS.backupFolder,
  SETTINGS.streamFolder
].map(({ name }) => name)

const ofPlaces =
  (judge: (place: Place, patient: Patient) => Effect.Effect<ReadonlyArray<Finding>, unknown>) =>
  (patient: Patient) =>
    Effect.map(
      Effect.forEach(placesOf(patient), (place) => judge(place, patient)),
      (found) => found.flat()
    )

/** The user that a process without rights runs as, for a command. */
const userOf = ({ machine: { user } }: Patient): string => (user === null ? "USER" : String(user))

const folders: Check = {
  id: "folders",
  title: "Folders",
  looks:
    "Whether the folders of the database, of exports, archives, backups and log streams can be written to",
  needs: NAMES,
  run: ofPlaces((place, patient) =>
    Effect.gen(function* () {
      const { folder, holds, variable } = place
      const there = nearestFolder(folder)
      const rights = yield* patient.machine.rights(there)
      if (rights !== null && !rights.isFolder)
        return [fault(`${there}, where ${holds} should be, is not a folder`, `correct ${variable}`)]
      const code = yield* patient.machine.refusesWrites(there)
      if (code === null) return []
      const mend =
        code === "EROFS"
          ? `mount ${there} writable, or let ${variable} name another folder`
          : `chown ${userOf(patient)} ${shellWord(there)}, as root`
      return [fault(`${holds} cannot be written to ${there} (${code})`, mend)]
    })
  )
}

const fileSystem: Check = {
  id: "file-system",
  title: "File system",
  looks: "Whether the files of SQLite are on a network file system, which breaks its locks, or in memory",
  needs: [SETTINGS.database.name],
  database: "sqlite",
  run: (patient) =>
    Effect.gen(function* () {
      const place = dataPlace(patient)
      const mounts = yield* patient.machine.kernelFile("/proc/self/mountinfo")
      if (place === undefined || mounts === null)
        return yield* new Skipped({ reason: "the system does not list its mounts" })
      const mount = mountOf(mounts, nearestFolder(place.folder))
      if (mount === undefined) return []
      if (isNetwork(mount)) {
        return [
          fault(
            `the database is on a network file system (${mount.type}, mounted at ${mount.path}), which breaks the locks of SQLite`,
            "stop the servers, move the files to a local disk and change CAIRN_DATABASE_URL; or cairn copy --from SQLITE --to POSTGRES"
          )
        ]
      }
      return isInMemory(mount)
        ? [
            warning(
              `the database is in memory (${mount.type}, mounted at ${mount.path}), and gone with the next start of the machine`,
              "stop the servers, move the files to a disk and change CAIRN_DATABASE_URL"
            )
          ]
        : []
    })
}

const MEBIBYTE = 1024 * 1024
const GIBIBYTE = 1024 * MEBIBYTE

/** Little enough that a busy day, or a `VACUUM`, uses it up. */
const LITTLE = { share: 0.05, bytes: 2 * GIBIBYTE }
const NOTHING_LEFT = 64 * MEBIBYTE

const diskSpace: Check = {
  id: "disk-space",
  title: "Room on disks",
  looks: `Whether less than ${LITTLE.share * 100} % and ${LITTLE.bytes / GIBIBYTE} GiB of a disk is free, or next to nothing`,
  needs: NAMES,
  run: ofPlaces(({ folder, holds, variable }, { machine }) =>
    Effect.gen(function* () {
      const there = nearestFolder(folder)
      const { bytes, freeBytes } = yield* machine.room(there)
      if (bytes === 0) return []
      const free = `${Math.floor(freeBytes / MEBIBYTE)} MiB of the disk with ${holds} (${there}) are free`
      const mend = `make room on the disk of ${there} (df -h ${shellWord(there)}), or move it and change ${variable}`
      if (freeBytes < NOTHING_LEFT) return [fault(free, mend)]
      return freeBytes < LITTLE.bytes && freeBytes / bytes < LITTLE.share ? [warning(free, mend)] : []
    })
  )
}

/** Shares of all files that a disk can have. */
const FEW_FILES = { warning: 0.05, error: 0.005 }

const diskFiles: Check = {
  id: "disk-files",
  title: "Files on disks",
  looks: "Whether a disk can hardly take another file (inodes)",
  needs: NAMES,
  run: ofPlaces(({ folder, holds }, { machine }) =>
    Effect.gen(function* () {
      const there = nearestFolder(folder)
      const { files, freeFiles } = yield* machine.room(there)
      if (files === 0) return []
      const cause = `the disk with ${holds} (${there}) can take ${freeFiles} more files`
      const mend = `remove files that nobody needs (df -i ${shellWord(there)})`
      if (freeFiles / files < FEW_FILES.error) return [fault(cause, mend)]
      return freeFiles / files < FEW_FILES.warning ? [warning(cause, mend)] : []
    })
  )
}

/** Milliseconds that a write may take to be on disk. */
const SLOW = { warning: 50, error: 500 }

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0

const syncTime: Check = {
  id: "disk-sync",
  title: "Time to reach the disk",
  looks: `Whether a small write takes more than ${SLOW.warning} ms to reach the disk of the database: each commit waits for that`,
  needs: [SETTINGS.database.name],
  database: "sqlite",
  run: (patient) =>
    Effect.gen(function* () {
      const place = dataPlace(patient)
      if (place === undefined || !existsSync(place.folder))
        return yield* new Skipped({ reason: "the folder of the database is not there yet" })
      const code = yield* patient.machine.refusesWrites(place.folder)
      if (code !== null) return yield* new Skipped({ reason: "the folder cannot be written to, see folders" })
      const taken = median(yield* patient.machine.syncMillis(place.folder))
      const cause = `a write takes ${Math.round(taken)} ms to reach the disk of ${place.folder}`
      const mend = "move the database to a disk that is faster (local SSD or NVMe), or that others use less"
      if (taken > SLOW.error) return [fault(cause, mend)]
      return taken > SLOW.warning ? [warning(cause, mend)] : []
    })
}

/** Checks of folders and disks. */
export const FOLDER_CHECKS: ReadonlyArray<Check> = [folders, fileSystem, diskSpace, diskFiles, syncTime]
