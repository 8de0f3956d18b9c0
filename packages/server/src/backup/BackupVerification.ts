/** Whether a backup holds: its files, the hash chain of each log, and what was signed of it. */
import { basename, join } from "node:path"
import { Micros } from "@cairn/core/encoding"
import { storeCause, storeErrorText } from "@cairn/core/log"
import { logHeads, openScratch, pathsOf, putInPlace, stageFilled } from "@cairn/storage-sqlite"
import { Effect } from "effect"
import { verifyAll } from "../command/VerifyAll.ts"
import { layerLog } from "../layers/Log.ts"
import type { StorageConfig } from "../layers/Storage.ts"
import { checkSpace } from "./BackupSpace.ts"
import { BackupBroken, type Manifest, storedFiles } from "./StoredBackups.ts"
import { fetchFile, rereadFile } from "./StoredFiles.ts"

/** Loads the offline verifier, only where it is used: the server is this program too. */
const signatures = Effect.promise(() => import("../command/BackupChecks.ts")).pipe(
  Effect.flatMap(({ checkSignatures }) => checkSignatures)
)

/** Opens a database in files, which brings it up to date, and verifies the log of each of its workspaces. */
export const verifyFiles = (settings: StorageConfig, filename: string) =>
  Effect.gen(function* () {
    const chains = yield* verifyAll
    const checkpoints = yield* signatures
    const findings = [
      ...chains.flatMap(({ workspace_id: id, valid, breaks }) =>
        valid ? [] : [`the hash chain of ${id} is broken (${breaks})`]
      ),
      ...checkpoints.flatMap(({ workspace_id: id, finding }) =>
        finding === null ? [] : [`${id}: ${finding}`]
      )
    ]
    return { chains, checkpoints, findings }
  }).pipe(
    Effect.provide(layerLog({ ...settings, database: { kind: "sqlite", filename }, geoipFiles: [] })),
    // It is closed again.
    Effect.scoped
  )

/** Fetches the files of a backup from the store to a place beside `target`, and checks each of them. */
export const stageStored = (name: string, manifest: Manifest, target: string, now: Micros.Micros) => {
  const stored = storedFiles(name)
  return stageFilled(target, now, stored, (files) =>
    Effect.forEach(manifest.files, (file) => fetchFile(name, stored[file.file], file, files[file.file]), {
      discard: true
    })
  )
}

/** Fails unless the logs end where the manifest says. */
export const compareEnds = (name: string, { logs }: Manifest, filename: string) => {
  const found = new Map(logHeads(filename).map((log) => [log.workspace_id, log]))
  const other = logs.find(({ workspace_id, size, head }) => {
    const log = found.get(workspace_id)
    return log?.size !== size || log.head !== head
  })
  return other === undefined
    ? Effect.void
    : Effect.fail(
        new BackupBroken({ name, finding: `the log of ${other.workspace_id} does not end where it did` })
      )
}

/** Whether an error is of the machine that verifies, and not of the backup. */
const isOfMachine = (error: unknown): boolean => ["disk full", "read-only"].includes(storeCause(error).name)

/**
 * Fetches a backup, restores it into a folder of its own, and verifies what was restored: returns what does
 * not hold. Fails if that could not be found out. Needs the space of the backup.
 */
export const verifyStored = (settings: StorageConfig, folder: string, name: string, manifest: Manifest) =>
  Effect.gen(function* () {
    const now = yield* Micros.now
    const scratch = yield* openScratch(folder, now)
    yield* checkSpace(folder, manifest.bytes)
    const target = join(scratch, basename(pathsOf("cairn.db").log))
    const staged = yield* stageStored(name, manifest, target, now)
    const found = yield* verifyFiles(settings, staged.filename).pipe(
      Effect.catch((error) =>
        isOfMachine(error)
          ? Effect.fail(error)
          : Effect.succeed({ findings: [`it cannot be opened: ${storeErrorText(error)}`] })
      )
    )
    if (found.findings.length > 0) return found.findings
    yield* putInPlace(staged, undefined, { target, backup: name, aside: "" })
    yield* compareEnds(name, manifest, target)
    return []
  }).pipe(
    Effect.catchTag("BackupBroken", ({ finding }) => Effect.succeed([finding])),
    Effect.catchTag("BackupDamaged", ({ filename, finding }) => Effect.succeed([`${filename}: ${finding}`])),
    Effect.scoped
  )

/** Reads the files of a backup again, and returns what is not as it was written. */
export const rereadStored = (name: string, manifest: Manifest) =>
  Effect.forEach(manifest.files, (file) => rereadFile(name, storedFiles(name)[file.file], file), {
    discard: true
  }).pipe(
    Effect.as<ReadonlyArray<string>>([]),
    Effect.catchTag("BackupBroken", ({ finding }) => Effect.succeed([finding]))
  )
