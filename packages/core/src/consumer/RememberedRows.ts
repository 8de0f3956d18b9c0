/**
 * A cache of the rows that a consumer last read or wrote: most rows of the next batch are the same.
 *
 * The rows belong to one version of the consumer's position. Anything else that changes rows, such as another
 * process, an operator or an erasure, also changes the version, and then they are read again.
 */
import { Effect, Option } from "effect"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type { ConsumerPosition, ConsumerRow, ConsumersShape } from "./Consumers.ts"

/** Characters of keys and values that are cached, over all workspaces: some megabytes. */
const MOST_KEPT = 4_000_000

/** The size that an empty row counts with. */
const ROW = 100

interface Known {
  readonly version: number
  /** The rows by key; `undefined` for a row that is known not to exist. */
  readonly rows: Map<string, ConsumerRow | undefined>
  size: number
}

/** The rows of one consumer, in any number of workspaces. */
export interface RememberedRows {
  /** The rows with these keys, at a position that was opened. */
  readonly read: (
    position: ConsumerPosition,
    keys: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<ConsumerRow>, StorageUnavailable>
  /** Called after a commit of these rows, whether it succeeded or not, with the resulting position. */
  readonly committed: (
    from: ConsumerPosition,
    rows: ReadonlyArray<ConsumerRow>,
    to: Option.Option<ConsumerPosition>
  ) => void
}

const sizeOf = (key: string, row: ConsumerRow | undefined): number =>
  ROW + key.length + (row?.value.length ?? 0)

/** Puts a row last in the order of removal; the first are removed first. */
const put = (known: Known, key: string, row: ConsumerRow | undefined): void => {
  if (known.rows.has(key)) drop(known, key)
  known.rows.set(key, row)
  known.size += sizeOf(key, row)
}

/** Removes a row and returns its size. */
const drop = (known: Known, key: string): number => {
  const size = sizeOf(key, known.rows.get(key))
  known.rows.delete(key)
  known.size -= size
  return size
}

/** Makes an empty cache. */
export const makeRememberedRows = (consumers: Pick<ConsumersShape, "rows">): RememberedRows => {
  /** By workspace; the most recently used is last. */
  const kept = new Map<string, Known>()

  const recall = ({ workspaceId, version }: ConsumerPosition): Known => {
    const known = kept.get(workspaceId)
    return known?.version === version ? known : { version, rows: new Map(), size: 0 }
  }

  const keep = (workspaceId: string, known: Known): void => {
    kept.delete(workspaceId)
    kept.set(workspaceId, known)
    let size = 0
    for (const one of kept.values()) size += one.size
    for (const [oldest, one] of kept) {
      for (const key of one.rows.keys()) {
        if (size <= MOST_KEPT) return
        size -= drop(one, key)
      }
      if (oldest !== workspaceId) kept.delete(oldest)
    }
  }

  const read = Effect.fnUntraced(function* (position: ConsumerPosition, keys: ReadonlyArray<string>) {
    const known = recall(position)
    const missing = keys.filter((key) => !known.rows.has(key))
    if (missing.length > 0) {
      const found = new Map((yield* consumers.rows(position, missing)).map((row) => [row.key, row]))
      // Rows that were committed during the read are newer.
      for (const key of missing) if (!known.rows.has(key)) put(known, key, found.get(key))
    }
    const rows = keys.flatMap((key) => known.rows.get(key) ?? [])
    keep(position.workspaceId, known)
    return rows
  })

  return {
    read,
    committed: (from, rows, to) => {
      const known = recall(from)
      if (Option.isNone(to)) {
        kept.delete(from.workspaceId)
        return
      }
      for (const row of rows) put(known, row.key, row)
      keep(from.workspaceId, { ...known, version: to.value.version })
    }
  }
}
