/** Evidence as a file. */
import { createWriteStream } from "node:fs"
import { unlink } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { AuditLogError } from "@cairn/core/audit-log"

const isOfFile = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error

/**
 * Writes the text, compressed, to a file that must not exist. When it returns, the file is on disk. A failure
 * leaves no file.
 */
export const writeEvidence = async (file: string, text: AsyncIterable<string>): Promise<void> => {
  const target = createWriteStream(file, { flags: "wx", flush: true })
  try {
    await pipeline(Readable.from(text), createGzip(), target)
  } catch (error) {
    if (!isOfFile(error)) {
      await unlink(file).catch(() => {})
      throw error
    }
    if (error.code === "EEXIST")
      throw new AuditLogError("file_exists", `${file} is there already`, { cause: error })
    if (target.bytesWritten > 0) await unlink(file).catch(() => {})
    throw new AuditLogError("file_not_written", `${file} could not be written: ${error.message}`, {
      cause: error
    })
  }
}
