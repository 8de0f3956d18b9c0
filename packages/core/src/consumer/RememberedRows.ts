/**
 * The rows that a consumer read or wrote last: of the next batch, most rows are the same ones.
 *
 * They are those of one version of its position. Whatever else changes rows changes the version too, be it
 * another process, an operator or an erasure, and then they are read again.
 */
import { Effect, Option } from "effect"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type { ConsumerPosition, ConsumerRow, ConsumersShape } from "./Consumers.ts"

/** Characters of keys and values that are kept, over all workspaces: some megabytes. */
const MOST_KEPT = 4_000_000

/** What a row takes that holds nothing. */
const ROW = 100

interface Known {
  readonly version: number
  /** By their keys; `undefined` for one that is known not to be there. */
  readonly rows: Map<string, ConsumerRow | undefined>
  size: number
}

/** The rows of one consumer, of any number of workspaces. */
export interface RememberedRows {
  /** The rows of these keys at a position that was opened. */
  readonly read: (
    position: ConsumerPosition,
    keys: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<ConsumerRow>, StorageUnavailable>
  /** These rows were committed from a position, or refused, and so it stands now. */
  readonly committed: (
    from: ConsumerPosition,
    rows: ReadonlyArray<ConsumerRow>,
    to: Option.Option<ConsumerPosition>
  ) => void
}

const sizeOf = (key: string, row: ConsumerRow | undefined): number =>
  ROW + key.length + (row?.value.length ?? 0)

/** Puts a row behind the others, of which the first are forgotten first. */
const put = (known: Known, key: string, row: ConsumerRow | undefined): void => {
  if (known.rows.has(key)) drop(known, key)
  known.rows.set(key, row)
  known.size += sizeOf(key, row)
}

/** Forgets a row; answers what it took. */
const drop = (known: Known, key: string): number => {
  const size = sizeOf(key, known.rows.get(key))
  known.rows.delete(key)
  known.size -= size
  return size
}

/** Begins to remember. */
export const makeRememberedRows = (consumers: Pick<ConsumersShape, "rows">): RememberedRows => {
  /** By workspace, the one that was used last at the end. */
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
      // What was committed while the store was asked is newer.
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
