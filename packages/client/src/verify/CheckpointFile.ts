/**
 * A checkpoint kept in a file, for Node.
 *
 * @packageDocumentation
 */
import { open, readFile, rename } from "node:fs/promises"
import { dirname } from "node:path"
import type { CheckpointStore } from "./CheckpointKeeper.ts"

const sync = async (path: string, flags: string, text?: string): Promise<void> => {
  const file = await open(path, flags, 0o600)
  try {
    if (text !== undefined) await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Keeps a checkpoint in a file, which is replaced whole: killed at any moment, it has the old note or the new
 * one. One process at a time should write it.
 */
export const checkpointFile = (path: string): CheckpointStore => ({
  load: async () => {
    try {
      return await readFile(path, "utf8")
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
      throw error
    }
  },
  save: async (note) => {
    await sync(`${path}.new`, "w", note)
    await rename(`${path}.new`, path)
    // Windows cannot open a folder, and needs no sync of it.
    if (process.platform !== "win32") await sync(dirname(path), "r")
  }
})
