/**
 * The state of alert rules between batches: rows with keys, so that a batch reads and writes only the rows
 * that its events concern.
 *
 * A row past its `expiresAt` counts as absent, so a store may remove such rows at any time without any effect
 * on alerts.
 */
import { Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"

/** The key of a row within a workspace. */
export interface AlertStateKey {
  /** The rule that it belongs to; empty for rows that belong to the workspace, independent of its rules. */
  readonly ruleId: string
  /** At most 600 characters. */
  readonly key: string
}

/** One row. */
export interface AlertStateRow extends AlertStateKey {
  /** JSON. */
  readonly value: string
  /** Once an event at or after this time was evaluated, the row has no meaning; null if it always has one. */
  readonly expiresAt: Micros | null
}

/** Rows by {@link stateId}. */
export type AlertStateRows = ReadonlyMap<string, AlertStateRow>

/** A key as text. Rule ids have no space. */
export const stateId = ({ ruleId, key }: AlertStateKey): string => `${ruleId} ${key}`

/**
 * The rows after a batch: the changed rows replace the old ones, and rows that expired by `at` are left out.
 */
export const mergeState = (
  rows: AlertStateRows,
  changed: Iterable<AlertStateRow>,
  at: Micros
): AlertStateRows => {
  const merged = new Map(rows)
  for (const row of changed) merged.set(stateId(row), row)
  for (const [id, { expiresAt }] of merged) {
    if (expiresAt !== null && expiresAt <= at) merged.delete(id)
  }
  return merged
}

/** How the value of a row is encoded. Creating a codec costs as much as reading many rows. */
export interface RowCodec<S> {
  readonly decode: (value: string) => S
  readonly encode: (value: S) => string
}

/**
 * Rows whose value is JSON that `schema` describes, without transformation. A stored value that the schema
 * does not match is a defect.
 */
export const rowCodec = <S>(schema: Schema.Codec<S, S>): RowCodec<S> => ({
  decode: Schema.decodeUnknownSync(Schema.fromJsonString(schema)),
  encode: (value) => JSON.stringify(value)
})

/** The rows of one kind while a batch is evaluated, decoded. */
export interface StateTable<S> {
  /** The row's value at the time of the event at `at`. */
  readonly get: (key: string, at: Micros) => S | undefined
  readonly set: (key: string, value: S, expiresAt: Micros | null) => void
  /** The rows that were set since the table was opened, with their current values. */
  readonly changed: () => ReadonlyArray<AlertStateRow>
}

/** Opens the rows of `ruleId`. */
export const stateTable = <S>(
  { decode, encode }: RowCodec<S>,
  ruleId: string,
  stored: AlertStateRows
): StateTable<S> => {
  interface Open {
    readonly value: S
    readonly expiresAt: Micros | null
  }
  const read = new Map<string, Open>()
  const written = new Map<string, Open>()
  const find = (key: string): Open | undefined => {
    const open = written.get(key) ?? read.get(key)
    if (open !== undefined) return open
    const row = stored.get(stateId({ ruleId, key }))
    if (row === undefined) return undefined
    const decoded = { value: decode(row.value), expiresAt: row.expiresAt }
    read.set(key, decoded)
    return decoded
  }
  return {
    get: (key, at) => {
      const open = find(key)
      return open === undefined || (open.expiresAt !== null && open.expiresAt <= at) ? undefined : open.value
    },
    set: (key, value, expiresAt) => {
      written.set(key, { value, expiresAt })
    },
    changed: () =>
      [...written].map(([key, { value, expiresAt }]) => ({ ruleId, key, value: encode(value), expiresAt }))
  }
}
