/** What the tests of the spool share. */
import { rmSync } from "node:fs"
import { quickFolder } from "@cairn/testing/TestFolders"
import { afterAll } from "@effect/vitest"
import type { PendingEvents, PreparedEvent } from "../../src/index.ts"
import type { SpoolFile, SpoolFiles } from "../../src/spool/SpoolFiles.ts"
import { nodeFiles } from "../../src/spool/SpoolFiles.ts"

/** Makes folders, which are removed after the tests of the file. */
export const newFolders = (): (() => string) => {
  const made: Array<string> = []
  afterAll(() => {
    for (const folder of made) rmSync(folder, { recursive: true, force: true })
  })
  return () => {
    const folder = quickFolder("cairn-spool-")
    made.push(folder)
    return folder
  }
}

/** The event with this key. */
export const eventOf = (key: string, more: object = {}): PreparedEvent => ({
  key,
  json: JSON.stringify({ actor_id: "ada", action: "spool.tried", idempotency_key: key, ...more })
})

/** The keys of all that waits, which is taken and given back. */
export const keysIn = async (queue: PendingEvents): Promise<ReadonlyArray<string>> => {
  const taken = await queue.take({ count: 1_000_000, bytes: 2 ** 40 })
  await queue.release(taken)
  return taken.map(({ key }) => key)
}

/** Says of events that the service has them. */
export const settle = (queue: PendingEvents, keys: ReadonlyArray<string>): Promise<void> =>
  queue.settle(keys.map((key) => ({ key, status: "queued", id: `evt_${key}` })))

/** One call of a file operation. */
export interface Operation {
  readonly name: keyof SpoolFiles | keyof SpoolFile
  readonly path: string
  readonly bytes?: Uint8Array
}

/** What runs a file operation, or fails, or does something else before or after it. */
export type Around = (operation: Operation, run: (bytes?: Uint8Array) => Promise<unknown>) => Promise<unknown>

/** The machine's file operations, each through `around`. */
export const filesThrough = (around: Around): SpoolFiles => {
  const through = <A>(operation: Operation, run: (bytes?: Uint8Array) => Promise<A>): Promise<A> =>
    around(operation, run) as Promise<A>
  const fileThrough = (path: string, file: SpoolFile): SpoolFile => ({
    write: (bytes) => through({ name: "write", path, bytes }, (instead = bytes) => file.write(instead)),
    datasync: () => through({ name: "datasync", path }, file.datasync),
    truncate: (length) => through({ name: "truncate", path }, () => file.truncate(length)),
    stat: () => file.stat(),
    endsInNewline: () => file.endsInNewline(),
    close: () => file.close()
  })
  return {
    makeFolder: (path) => through({ name: "makeFolder", path }, () => nodeFiles.makeFolder(path)),
    list: (path) => through({ name: "list", path }, () => nodeFiles.list(path)),
    create: (path) =>
      through({ name: "create", path }, async () => fileThrough(path, await nodeFiles.create(path))),
    open: (path) =>
      through({ name: "open", path }, async () => fileThrough(path, await nodeFiles.open(path))),
    read: (path) => through({ name: "read", path }, () => nodeFiles.read(path)),
    stat: (path) => through({ name: "stat", path }, () => nodeFiles.stat(path)),
    rename: (path, to) => through({ name: "rename", path }, () => nodeFiles.rename(path, to)),
    unlink: (path) => through({ name: "unlink", path }, () => nodeFiles.unlink(path)),
    syncFolder: (path) => through({ name: "syncFolder", path }, () => nodeFiles.syncFolder(path))
  }
}

/** An error of a file system. */
export const diskError = (code: string): Error => Object.assign(new Error(`${code}: the disk`), { code })
