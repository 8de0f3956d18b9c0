/**
 * Connections of `node:sqlite` that go wrong at the worst time: at a commit. Several processes of Cairn are
 * played in this one, each with connections of its own; what one has not committed when it crashes is gone,
 * as it is when a process is killed.
 */
import { DatabaseSync } from "node:sqlite"

/** What a commit can come to. */
export type Fault =
  /** It is done, and the caller is told that it failed. */
  | "lose"
  /** It is not done, because the disk is full. */
  | "refuse"
  /** The process ends: a moment before the commit, or a moment after. */
  | "crash"

/** Result codes of SQLite. */
const SQLITE_IOERR = 10
const SQLITE_FULL = 13

const failed = (errcode: number, message: string) => Object.assign(new Error(message), { errcode })

/** The connections of one process. */
export interface Connections {
  /** Runs `open`, whose connections are this process's. One process at a time. */
  readonly open: <A>(open: () => Promise<A>) => Promise<A>
  /** Lets a commit go wrong: the next one, or one that comes `later` ones after it. */
  readonly arm: (fault: Fault, later: number, isAfterwards: boolean) => void
  /** Whether the process has crashed. */
  readonly isGone: () => boolean
}

interface State {
  armed: { readonly fault: Fault; later: number; readonly isAfterwards: boolean } | undefined
  isGone: boolean
}

const owners = new WeakMap<DatabaseSync, State>()
let opening: State | undefined
let turn: Promise<unknown> = Promise.resolve()
let count = 0

/** How many commits have gone wrong. */
export const faults = (): number => count

const run = DatabaseSync.prototype.exec

const commit = (db: DatabaseSync, state: State): void => {
  const { armed } = state
  if (armed === undefined || armed.later-- > 0) {
    run.call(db, "COMMIT")
    return
  }
  state.armed = undefined
  count++
  const { fault, isAfterwards } = armed
  if (fault === "refuse") throw failed(SQLITE_FULL, "the disk is full")
  run.call(db, fault === "lose" || isAfterwards ? "COMMIT" : "ROLLBACK")
  state.isGone = fault === "crash"
  throw failed(SQLITE_IOERR, fault === "crash" ? "the process has ended" : "the answer was lost")
}

DatabaseSync.prototype.exec = function (sql: string): void {
  if (opening !== undefined && !owners.has(this)) owners.set(this, opening)
  const state = owners.get(this)
  if (state?.isGone) throw failed(SQLITE_IOERR, "the process has ended")
  if (state !== undefined && sql === "COMMIT") commit(this, state)
  else run.call(this, sql)
}

/** The connections of a process that begins. */
export const connections = (): Connections => {
  const state: State = { armed: undefined, isGone: false }
  return {
    open: (open) => {
      const opened = turn.then(async () => {
        opening = state
        try {
          return await open()
        } finally {
          opening = undefined
        }
      })
      turn = opened.catch(() => undefined)
      return opened
    },
    arm: (fault, later, isAfterwards) => {
      state.armed = { fault, later, isAfterwards }
    },
    isGone: () => state.isGone
  }
}
