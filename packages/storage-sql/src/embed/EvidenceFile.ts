/** Evidence as a file. */
import { type FileHandle, open, unlink } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { AuditLogError } from "@cairn/core/audit-log"

const isOfFile = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error

const failure = (file: string, error: unknown): unknown => {
  if (!isOfFile(error)) return error
  const because = { cause: error }
  return error.code === "EEXIST"
    ? new AuditLogError("file_exists", `${file} is there already`, because)
    : new AuditLogError("file_not_written", `${file} could not be written: ${error.message}`, because)
}

const create = async (file: string): Promise<FileHandle> => {
  try {
    return await open(file, "wx")
  } catch (error) {
    throw failure(file, error)
  }
}

/**
 * Writes the text, compressed, to a file that must not exist. When it returns, the file is on disk. A failure
 * leaves no file.
 */
export const writeEvidence = async (file: string, text: AsyncIterable<string>): Promise<void> => {
  const target = await create(file)
  try {
    await pipeline(Readable.from(text), createGzip(), target.createWriteStream({ flush: true }))
  } catch (error) {
    await target.close().catch(() => {})
    await unlink(file).catch(() => {})
    throw failure(file, error)
  }
}
