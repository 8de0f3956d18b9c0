/** Folders for the files of tests: in memory where the machine has room, and copied from one another. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Where Linux keeps files in memory. */
const MEMORY = "/dev/shm"

/** Containers often have 64 MiB there. */
const ENOUGH_BYTES = 2 ** 31

const hasRoom = (folder: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= ENOUGH_BYTES
  } catch {
    return false
  }
}

/**
 * Makes a folder for files that no test expects to survive a power failure. In memory, a database does not
 * wait for the disk at each commit.
 */
export const quickFolder = (prefix: string): string =>
  mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), prefix))

/**
 * Fills folders with copies of the files of one, which `prepare` is given empty before the first copy is
 * made. The folder of a copy is made if it is not there.
 */
export const folderCopies = (
  prepare: (folder: string) => Promise<void>
): ((folder: string) => Promise<void>) => {
  const makeFiles = async () => {
    const folder = quickFolder("cairn-original-")
    try {
      await prepare(folder)
      return readdirSync(folder).map((name) => ({ name, bytes: readFileSync(join(folder, name)) }))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  let files: ReturnType<typeof makeFiles> | undefined
  return async (folder) => {
    files ??= makeFiles()
    mkdirSync(folder, { recursive: true })
    for (const { name, bytes } of await files) writeFileSync(join(folder, name), bytes)
  }
}
