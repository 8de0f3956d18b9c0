/** Whether somebody keeps a file of SQLite locked. */
import { statSync } from "node:fs"
import { FILE_NAMES, filesOf } from "@cairn/storage-sqlite"
import { Effect } from "effect"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, fault } from "../Check.ts"
import type { Machine } from "../Machine.ts"
import { Skipped } from "../Skipped.ts"

/** How often it is looked, and how long after: nothing of Cairn holds a lock so long without a commit. */
const LOOKS = 5
const PAUSE_MILLIS = 500

/** The byte of a `-shm` file that who writes has locked (WAL_WRITE_LOCK). */
const WRITE_BYTE = 120
const LOCK = /^\d+: (?:POSIX|OFDLCK) +ADVISORY +WRITE (\d+) \w+:\w+:(\d+) (\d+) (\d+|EOF)$/

/** The process that has the lock on writing of a file; undefined if none has. */
export const writerOf = (locks: string, inode: number): number | undefined => {
  for (const line of locks.split("\n")) {
    const [, pid, of, first, last] = LOCK.exec(line.trim()) ?? []
    if (Number(of) !== inode || Number(first) > WRITE_BYTE) continue
    if (last === "EOF" || Number(last) >= WRITE_BYTE) return Number(pid)
  }
  return undefined
}

const stat = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })

/** Who has the lock on each file, and what tells whether it was written since. */
const look = (files: ReadonlyArray<string>, machine: Machine) =>
  Effect.map(machine.kernelFile("/proc/locks"), (locks) =>
    locks === null
      ? undefined
      : new Map(
          files.flatMap((file) => {
            const pid = writerOf(locks, Number(stat(`${file}-shm`)?.ino ?? -1n))
            const wal = stat(`${file}-wal`)
            return pid === undefined
              ? []
              : [[file, { pid, written: `${wal?.mtimeNs} ${wal?.size}` }] as const]
          })
        )
  )

const locks: Check = {
  id: "write-locks",
  title: "Locks on the files",
  looks: `Whether a program has kept a file of SQLite locked for ${((LOOKS - 1) * PAUSE_MILLIS) / 1_000} seconds and commits nothing: events wait for it, and are refused`,
  needs: [SETTINGS.database.name],
  database: "sqlite",
  run: ({ settings: { database }, machine }) =>
    Effect.gen(function* () {
      const names = database.kind === "sqlite" ? filesOf(database.filename) : undefined
      const first =
        names &&
        (yield* look(
          FILE_NAMES.map((name) => names[name]),
          machine
        ))
      if (first === undefined) return yield* new Skipped({ reason: "the system does not list its locks" })
      let held = first
      for (let left = LOOKS - 1; left > 0 && held.size > 0; left--) {
        yield* Effect.sleep(PAUSE_MILLIS)
        const now = yield* look([...held.keys()], machine)
        held = new Map(
          [...held].filter(([file, { pid, written }]) => {
            const still = now?.get(file)
            return still?.pid === pid && still.written === written
          })
        )
      }
      return Array.from(held, ([file, { pid }]) =>
        fault(
          `process ${pid} keeps ${file} locked and commits nothing: other writers wait there, and then fail`,
          `let it end its transaction, or end it: ps -p ${pid}, then kill ${pid}`
        )
      )
    })
}

/** Checks of locks. */
export const LOCK_CHECKS: ReadonlyArray<Check> = [locks]
