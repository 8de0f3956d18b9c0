/**
 * Appending lines to a file, durably. It loads nothing but Node, so that the process that does it starts at
 * once.
 */
import { constants } from "node:fs"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { dirname } from "node:path"

const LINE_BREAK = 10

/** The path is not a regular file: a pipe, a device or a socket could block a write for ever. */
class NotRegularFile extends Error {
  /** As errors of the operating system have it. */
  readonly code = "not a regular file"
}

/** Whether the file ends in the middle of a line, as a crash or a full disk leaves it. */
const endsMidLine = async (file: FileHandle, size: number): Promise<boolean> => {
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] !== LINE_BREAK
}

/** Appends whole lines, and returns once they are on the disk. */
export const appendFile = async (path: string, lines: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Not through a symbolic link, which could point outside the folder, and without waiting for the reader of
  // a pipe.
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants
  await using file = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600)
  const stat = await file.stat()
  if (!stat.isFile()) throw new NotRegularFile()
  await file.appendFile((await endsMidLine(file, stat.size)) ? `\n${lines}` : lines)
  await file.sync()
}
