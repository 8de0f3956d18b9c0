/** Appending lines to a file, durably. It loads nothing but Node, so that the process that does it starts at once. */
import { constants } from "node:fs"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { dirname } from "node:path"

const LINE_BREAK = 10

/** What lies there is no file that can be written to its end: a pipe, a device or a socket may not take a byte for as long as it likes. */
class NotRegularFile extends Error {
  /** As errors of the system have one. */
  readonly code = "no regular file"
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
  // Not through a link: what lies elsewhere is not ours to write. Nor does it wait for the other end of a pipe.
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants
  await using file = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600)
  const stat = await file.stat()
  if (!stat.isFile()) throw new NotRegularFile()
  await file.appendFile((await endsMidLine(file, stat.size)) ? `\n${lines}` : lines)
  await file.sync()
}
