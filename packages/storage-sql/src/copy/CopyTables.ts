/**
 * Copying a database into an empty one: every table in the order of its key, each chunk in its own
 * transaction, so that an interrupted copy continues after the highest key that was copied. Then both sides
 * are read again and compared row by row.
 */
import type { StorageUnavailable } from "@cairn/core/log"
import { Effect, Schema } from "effect"
import { type CopiedTable, copiedTables, type ShapesDiffer } from "./TableShape.ts"
import { CopyRefused, type CopySource, type CopyTarget, keyOf, type Row } from "./TableStore.ts"

/** The progress of a copy. Every row counts twice: copied and compared. */
export interface CopyProgress {
  readonly table: string
  readonly done: number
  readonly total: number
}

/** The result of a copy. */
export interface CopyResult {
  /** Rows by table. */
  readonly tables: Readonly<Record<string, number>>
  readonly rows: number
}

/** A row differs after copying. */
export class CopyDiffers extends Schema.TaggedError<CopyDiffers>()("CopyDiffers", {
  table: Schema.String,
  key: Schema.String
}) {
  override get message(): string {
    return `the copy differs from its source in table ${this.table} at ${this.key}; --restart begins again`
  }
}

/** The errors of {@link copyTables}. */
export type CopyError = CopyDiffers | CopyRefused | ShapesDiffer | StorageUnavailable

/** Rows of one transaction. */
const CHUNK = 1_000
/** The same for tables whose rows hold whole requests: at most a hundred events each. */
const LARGE_ROWS: ReadonlyMap<string, number> = new Map([
  ["inbox", 50],
  ["parked", 50]
])
/**
 * Tables to which a copy only adds. Any other table that has changed since an earlier run is copied again.
 */
const APPEND_ONLY = new Set(["event"])

const chunkOf = ({ name }: CopiedTable): number => LARGE_ROWS.get(name) ?? CHUNK

const textOf = (row: Row | undefined): string =>
  JSON.stringify(row?.map((cell) => (cell instanceof Uint8Array ? Array.from(cell) : cell)) ?? null)

/** The first row that differs, as the text of its key. */
const firstDifference = Effect.fnUntraced(function* (
  source: CopySource,
  target: CopySource,
  table: CopiedTable,
  advance: (rows: number) => void
) {
  const chunk = chunkOf(table)
  for (let after: Row | null = null; ; ) {
    const expected: ReadonlyArray<Row> = yield* source.read(table, after, chunk)
    const found = yield* target.read(table, after, chunk)
    for (let index = 0; index < Math.max(expected.length, found.length); index++) {
      const row = expected[index] ?? found[index] ?? []
      if (textOf(expected[index]) !== textOf(found[index])) return textOf(keyOf(table, row))
    }
    advance(expected.length)
    const last = expected.at(-1)
    if (last === undefined || expected.length < chunk) return undefined
    after = keyOf(table, last)
  }
})

/** Copies the rows after the highest key that is there. */
const copyRest = Effect.fnUntraced(function* (
  source: CopySource,
  target: CopyTarget,
  table: CopiedTable,
  advance: (rows: number) => void
) {
  const chunk = chunkOf(table)
  const last = yield* target.last(table)
  for (let after = last === null ? null : keyOf(table, last); ; ) {
    const rows: ReadonlyArray<Row> = yield* source.read(table, after, chunk)
    const end = rows.at(-1)
    if (end === undefined) return
    yield* target.insert(table, rows)
    advance(rows.length)
    after = keyOf(table, end)
  }
})

/** Fails for an unfinished copy whose log is not the beginning of this one. */
const refuseOther = Effect.fnUntraced(function* (
  source: CopySource,
  target: CopyTarget,
  tables: ReadonlyArray<CopiedTable>
) {
  for (const table of tables.filter(({ name }) => APPEND_ONLY.has(name))) {
    const [found] = yield* target.read(table, null, 1)
    const [expected] = yield* source.read(table, null, 1)
    if (found !== undefined && textOf(found) !== textOf(expected)) {
      const detail = `its first row of ${table.name} is another`
      return yield* new CopyRefused({ database: target.name, reason: "other copy", detail })
    }
  }
})

/** Empties a table, after those that refer to it: they come later and are copied again in turn. */
const clear = Effect.fnUntraced(function* (
  target: CopyTarget,
  tables: ReadonlyArray<CopiedTable>,
  table: CopiedTable
) {
  const cleared = [table]
  for (const later of tables.slice(tables.indexOf(table) + 1)) {
    if (cleared.some(({ name }) => later.references.includes(name))) cleared.push(later)
  }
  for (const each of cleared.reverse()) yield* target.clear(each)
})

/**
 * Copies everything and puts it in place, or continues an earlier run; a copy that is in place already is
 * compared.
 *
 * Costs reading the source twice and writing the target once; a continued run copies only what is missing.
 */
export const copyTables = Effect.fn("copyTables")(function* (
  source: CopySource,
  target: CopyTarget,
  onProgress: (progress: CopyProgress) => void
): Effect.fn.Return<CopyResult, CopyError> {
  const tables = yield* copiedTables(source.shapes, target.shapes).pipe(
    Effect.mapError((error) =>
      target.isInPlace
        ? new CopyRefused({ database: target.name, reason: "not empty", detail: error.message })
        : error
    )
  )
  const counts = new Map<string, number>()
  for (const table of tables) counts.set(table.name, yield* source.count(table))
  const rows = Array.from(counts.values()).reduce((sum, count) => sum + count, 0)
  if (!target.isInPlace) yield* refuseOther(source, target, tables)
  let finished = 0
  for (const table of tables) {
    const { name } = table
    const count = counts.get(name) ?? 0
    let within = 0
    const advance = (more: number) => {
      within = Math.min(within + more, 2 * count)
      onProgress({ table: name, done: finished + within, total: 2 * rows })
    }
    const bring = Effect.gen(function* () {
      if (!target.isInPlace) yield* copyRest(source, target, table, advance)
      within = count
      return yield* firstDifference(source, target, table, advance)
    })
    let difference = yield* bring
    if (difference !== undefined && target.isInPlace) {
      const detail = `it differs in table ${name} at ${difference}`
      return yield* new CopyRefused({ database: target.name, reason: "not empty", detail })
    }
    if (difference !== undefined && !APPEND_ONLY.has(name)) {
      yield* clear(target, tables, table)
      difference = yield* bring
    }
    if (difference !== undefined) return yield* new CopyDiffers({ table: name, key: difference })
    if (table.numbered !== null && !target.isInPlace) {
      yield* target.setLastNumber(table, yield* source.lastNumber(table))
    }
    finished += 2 * count
  }
  if (!target.isInPlace) yield* target.putInPlace
  return { tables: Object.fromEntries(counts), rows }
})
