/** What the doctor asks the machine and its kernel: apart, so that tests can answer in their place. */
import { randomBytes } from "node:crypto"
import { access, constants, open, readFile, stat, statfs, unlink } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"

/** Room on a file system. */
export interface Room {
  readonly bytes: number
  readonly freeBytes: number
  /** 0 where the file system does not count them. */
  readonly files: number
  readonly freeFiles: number
}

/** An entry of a folder's or a file's rights. */
export interface Rights {
  readonly owner: number
  readonly mode: number
  readonly isFolder: boolean
  readonly bytes: number
}

/** The machine. */
export interface Machine {
  readonly nodeVersion: string
  /** The user of the process; null on a system without such numbers. */
  readonly user: number | null
  /** The text of a file of the kernel, such as `/proc/self/limits`; null if it is not there. */
  readonly kernelFile: (path: string) => Effect.Effect<string | null>
  /** Room where a path is, which must exist. */
  readonly room: (path: string) => Effect.Effect<Room, Error>
  /** Null if nothing is there. */
  readonly rights: (path: string) => Effect.Effect<Rights | null, Error>
  /** Why the process may not write to a file or folder, as the system's code; null if it may. */
  readonly refusesWrites: (path: string) => Effect.Effect<string | null>
  /** Milliseconds that each of some small writes to a folder took to be on disk. */
  readonly syncMillis: (folder: string) => Effect.Effect<ReadonlyArray<number>, Error>
}

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

/** The system's code of an error, such as `ENOSPC`; its text if it has none. */
export const codeOf = (error: Error): string => ("code" in error ? String(error.code) : error.message)

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, Error> =>
  Effect.tryPromise({ try: run, catch: asError })

const roomAt = (path: string) =>
  attempt(async (): Promise<Room> => {
    const { bsize, blocks, bavail, files, ffree } = await statfs(path)
    return { bytes: bsize * blocks, freeBytes: bsize * bavail, files, freeFiles: ffree }
  })

const rightsOf = (path: string) =>
  attempt(async (): Promise<Rights | null> => {
    try {
      const found = await stat(path)
      return {
        owner: found.uid,
        mode: found.mode & 0o777,
        isFolder: found.isDirectory(),
        bytes: found.size
      }
    } catch (error) {
      if (codeOf(asError(error)) === "ENOENT") return null
      throw error
    }
  })

/** Writes that are measured: one alone may meet a busy moment. */
const PROBES = 5
/** Bytes of each, as a small commit has them. */
const PROBE_BYTES = 4_096

/** Appends to a file of its own, which is removed, and waits for the disk each time. */
const measureSync = async (folder: string): Promise<ReadonlyArray<number>> => {
  const path = join(folder, `.cairn-doctor-${process.pid}-${randomBytes(4).toString("hex")}`)
  const handle = await open(path, "wx", 0o600)
  try {
    // Has no name from here on, so that nothing is left of it, however the process ends.
    await unlink(path)
    const taken: Array<number> = []
    for (let probe = 0; probe < PROBES; probe++) {
      const began = performance.now()
      await handle.appendFile(Buffer.alloc(PROBE_BYTES))
      await handle.sync()
      taken.push(performance.now() - began)
    }
    return taken
  } finally {
    await handle.close()
  }
}

/** This machine. */
export const thisMachine: Machine = {
  nodeVersion: process.versions.node,
  user: process.geteuid?.() ?? null,
  kernelFile: (path) =>
    Effect.orElseSucceed(
      attempt(() => readFile(path, "utf8")),
      () => null
    ),
  room: roomAt,
  rights: rightsOf,
  refusesWrites: (path) =>
    attempt(() => access(path, constants.W_OK)).pipe(
      Effect.as(null),
      Effect.catch((error) => Effect.succeed(codeOf(error)))
    ),
  syncMillis: (folder) => attempt(() => measureSync(folder))
}
