/** Whether a folder has room for what is about to be written to it. */
import { existsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { freeBytes } from "@cairn/storage-sqlite"
import { Effect, Schema } from "effect"

const MEBIBYTE = 1024 * 1024

/** What must stay free besides: write-ahead logs, and what others write meanwhile. */
const SPARE = 64 * MEBIBYTE

/** The folder, or the one above it that is there. */
const existing = (folder: string): string =>
  existsSync(folder) ? folder : existing(dirname(resolve(folder)))

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / MEBIBYTE)} MiB`

/** A folder has not enough room. */
export class NoSpaceForBackup extends Schema.TaggedError<NoSpaceForBackup>()("NoSpaceForBackup", {
  folder: Schema.String,
  needed: Schema.Number,
  free: Schema.Number,
  /** What can be done about it. */
  hint: Schema.String
}) {
  override get message(): string {
    return `a backup needs ${mebibytes(this.needed)} in ${this.folder}, which has ${mebibytes(this.free)}: ${this.hint}`
  }
}

const check = (folder: string, bytes: number, hint: string): Effect.Effect<void, NoSpaceForBackup> =>
  Effect.suspend(() => {
    const needed = bytes + SPARE
    const free = freeBytes(folder)
    return free < needed ? Effect.fail(new NoSpaceForBackup({ folder, needed, free, hint })) : Effect.void
  })

/** Fails unless so many bytes fit into the folder where backups are made and verified. */
export const checkSpace = (folder: string, bytes: number) =>
  check(folder, bytes, "CAIRN_BACKUP_FOLDER names another folder")

/** Fails unless so many bytes fit into the folder that is restored to. */
export const checkRoom = (folder: string, bytes: number) =>
  check(existing(folder), bytes, "make room there, and restore again")
