/** Whether a folder has room for what is about to be written to it. */
import { freeBytes } from "@cairn/storage-sqlite"
import { Effect, Schema } from "effect"

const MEBIBYTE = 1024 * 1024

/** What must stay free besides: write-ahead logs, and what others write meanwhile. */
const SPARE = 64 * MEBIBYTE

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / MEBIBYTE)} MiB`

/** The folder has not enough room. */
export class NoSpaceForBackup extends Schema.TaggedError<NoSpaceForBackup>()("NoSpaceForBackup", {
  folder: Schema.String,
  needed: Schema.Number,
  free: Schema.Number
}) {
  override get message(): string {
    return `a backup needs ${mebibytes(this.needed)} in ${this.folder}, which has ${mebibytes(this.free)}: CAIRN_BACKUP_FOLDER names another folder`
  }
}

/** Fails unless so many bytes fit into a folder. */
export const checkSpace = (folder: string, bytes: number): Effect.Effect<void, NoSpaceForBackup> =>
  Effect.suspend(() => {
    const needed = bytes + SPARE
    const free = freeBytes(folder)
    return free < needed ? Effect.fail(new NoSpaceForBackup({ folder, needed, free })) : Effect.void
  })
