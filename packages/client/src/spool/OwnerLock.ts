/**
 * An owner's lock: a socket that it listens on for as long as it lives. The operating system closes it with
 * the process, however that ends, so that nobody has to guess from process ids or times who is still there.
 *
 * It only saves work: an owner that is taken for dead while it lives notices that its segment was renamed,
 * and writes again (`Segment`).
 */
import { connect, createServer, type Server } from "node:net"
import { join } from "node:path"
import { codeOf, type SpoolFiles } from "./SpoolFiles.ts"

/** Most bytes of a socket's path: 104 with the closing zero on macOS, 108 on Linux. */
const MOST_BYTES = 103

/** Where an owner's socket may be, the best place first. `folder` is a real path. */
export const lockPlaces = (folder: string, owner: string): ReadonlyArray<string> => {
  if (process.platform === "win32") return [`\\\\.\\pipe\\cairn-${owner}`]
  // Not the folder for temporary files from the environment: other processes may have another there.
  const elsewhere = `/tmp/cairn-${owner}.sock`
  const beside = join(folder, `${owner}.sock`)
  return Buffer.byteLength(beside) > MOST_BYTES ? [elsewhere] : [beside, elsewhere]
}

const listen = (path: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once("error", reject)
    // A worker of Node's cluster would listen in its primary otherwise, and live for as long as that.
    server.listen({ path, exclusive: true }, () => {
      server.removeListener("error", reject)
      // A connection that failed says nothing about the lock.
      server.on("error", () => {})
      server.unref()
      resolve(server)
    })
  })

/** Whether somebody listens there. An owner that cannot be asked is taken for alive. */
const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ path })
    const end = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once("connect", () => end(true))
    socket.once("error", (error) => end(!["ECONNREFUSED", "ENOENT"].includes(codeOf(error) ?? "")))
  })

/** Whether an owner is gone: nobody listens at any place where it would. */
export const isDead = async (folder: string, owner: string): Promise<boolean> => {
  for (const path of lockPlaces(folder, owner)) if (await answers(path)) return false
  return true
}

/** A lock that is held. */
export interface OwnerLock {
  /** Listens again where somebody removed the socket. */
  readonly keep: () => Promise<void>
  readonly release: () => Promise<void>
}

/** Takes an owner's lock. Rejects where nothing can be listened on. */
export const takeLock = async (files: SpoolFiles, folder: string, owner: string): Promise<OwnerLock> => {
  const open = async (): Promise<Server> => {
    let failure: unknown
    // Some file systems hold no sockets.
    for (const path of lockPlaces(folder, owner)) {
      try {
        return await listen(path)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }
  const close = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
  let server = await open()
  return {
    keep: async () => {
      if (!(await isDead(folder, owner))) return
      await close(server)
      // What is left of it would keep the new one away.
      for (const path of lockPlaces(folder, owner)) await files.unlink(path).catch(() => {})
      server = await open()
    },
    release: () => close(server)
  }
}
