/** The file operations of a spool, so that tests can fail each, and kill the process before and after it. */
import { constants } from "node:fs"
import {
  access,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  unlink
} from "node:fs/promises"

/** What a file system says of a file. */
export interface FileState {
  /** The same for two names, or a name and an open file, that are one file. */
  readonly identity: string
  /** Bytes. */
  readonly size: number
  /** When it was last written, in milliseconds since 1970. */
  readonly modified: number
}

/** An open file that is only appended to. */
export interface SpoolFile {
  /** Appends all of it. What fails may leave a part. */
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Resolves once all that was written is on the disk. */
  readonly datasync: () => Promise<void>
  readonly truncate: (length: number) => Promise<void>
  readonly stat: () => Promise<FileState>
  /** Whether it ends in a newline, or is empty. */
  readonly endsInNewline: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/** What a spool does to its folder. Errors are Node's, with their `code`. */
export interface SpoolFiles {
  /**
   * Makes the folder and those above it where they are missing; only its owner may enter it. Fails where this
   * process may not write to it.
   */
  readonly makeFolder: (folder: string) => Promise<void>
  readonly list: (folder: string) => Promise<ReadonlyArray<string>>
  /** Makes a file that only its owner may read; fails with `EEXIST` where there is one. */
  readonly create: (path: string) => Promise<SpoolFile>
  /** Opens a file; fails with `ENOENT` where there is none. */
  readonly open: (path: string) => Promise<SpoolFile>
  readonly read: (path: string) => Promise<Buffer>
  readonly stat: (path: string) => Promise<FileState>
  readonly rename: (from: string, to: string) => Promise<void>
  readonly unlink: (path: string) => Promise<void>
  /** Resolves once the names in the folder are on the disk. */
  readonly syncFolder: (folder: string) => Promise<void>
}

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR } = constants

const stateOf = (found: {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeMs: bigint
}): FileState => ({
  identity: `${found.dev}:${found.ino}`,
  size: Number(found.size),
  modified: Number(found.mtimeMs)
})

const fileOf = (handle: FileHandle): SpoolFile => ({
  // Unlike `write`, it goes on after a part was written.
  write: (bytes) => handle.writeFile(bytes),
  datasync: () => handle.datasync(),
  truncate: (length) => handle.truncate(length),
  stat: async () => stateOf(await handle.stat({ bigint: true })),
  endsInNewline: async () => {
    const { size } = await handle.stat()
    if (size === 0) return true
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
    return buffer[0] === 0x0a
  },
  close: () => handle.close()
})

const syncFolder = async (folder: string): Promise<void> => {
  // Windows writes names by itself, and opens no folder.
  if (process.platform === "win32") return
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Those of the machine. */
export const nodeFiles: SpoolFiles = {
  makeFolder: async (folder) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  },
  list: (folder) => readdir(folder),
  create: async (path) => fileOf(await open(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o600)),
  open: async (path) => fileOf(await open(path, O_RDWR | O_APPEND)),
  read: (path) => readFile(path),
  stat: async (path) => stateOf(await stat(path, { bigint: true })),
  rename,
  unlink,
  syncFolder
}

/** The code of a file system's error, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined => {
  const code = (error as { readonly code?: unknown } | null)?.code
  return typeof code === "string" ? code : undefined
}

/** `undefined` instead of a file that is not there. */
export const unlessMissing = async <A>(work: Promise<A>): Promise<A | undefined> => {
  try {
    return await work
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  }
}
