/** A database under test, as the rows see it whatever its product. */
import { setTimeout as sleep } from "node:timers/promises"
import type { StoragePorts } from "@cairn/core/storage-ports"
import type { Layer } from "effect"
import type { Product } from "../Row.ts"

/** Milliseconds between two looks at the chains. */
const LOOK_EVERY = 20

/** A row as the bare driver gives it. */
export type BareRow = Readonly<Record<string, unknown>>

/** A database of its own, empty when it is made. */
export interface LogDatabase {
  readonly product: Product
  /** What a server needs to use it. */
  readonly environment: Readonly<Record<string, string>>
  /** The file of the command that uses it: this commit's bundle unless set. */
  readonly bin?: string
  /** The adapter over it. */
  readonly storage: Layer.Layer<StoragePorts, unknown>
  /** A statement through the bare driver, on one connection, prepared once. */
  readonly query: (statement: string) => Promise<ReadonlyArray<BareRow>>
  /**
   * Runs what only fills it: without waiting for the disk, where that is faster. Afterwards everything is as
   * it was.
   */
  readonly bulk: (task: () => Promise<void>) => Promise<void>
  /**
   * Leaves it as it would be after running for a while: statistics taken, dead rows and the write-ahead log
   * cleared.
   */
  readonly settle: () => Promise<void>
  /**
   * Bytes on disk: of everything but the search index, and of that. Of a settled database that no server has
   * open.
   */
  readonly size: () => Promise<{ readonly log: number; readonly search: number }>
  /** Bytes of its write-ahead files at this moment, all together. */
  readonly writeAhead: () => Promise<number>
  /** The database's own processes; none where it runs within the server's. */
  readonly processes: () => ReadonlyArray<number>
  readonly remove: () => Promise<void>
}

/** A product under test. */
export interface DatabaseServer {
  readonly product: Product
  /** What a commit of it promises, as it says itself. */
  readonly durability: string
  readonly newDatabase: () => Promise<LogDatabase>
  /**
   * The limit of rows 2 and 3: rows a second of a loop that inserts the same events with the bare driver,
   * 1,000 a transaction, with the same indexes.
   */
  readonly bareInserts: () => Promise<number>
  readonly stop: () => Promise<void>
}

/** Events in the chains of the database. */
export const chained = async ({ query }: LogDatabase): Promise<number> => {
  const [row] = await query("SELECT sum(sequence) AS n FROM head")
  return Number(row?.n ?? 0)
}

/** Waits until the chains have this many; the seconds it took. */
export const untilChained = async (database: LogDatabase, events: number): Promise<number> => {
  const begun = performance.now()
  while ((await chained(database)) < events) await sleep(LOOK_EVERY)
  return (performance.now() - begun) / 1000
}
