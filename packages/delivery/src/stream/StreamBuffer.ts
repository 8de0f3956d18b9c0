/** What a stream has read of its log and not sent yet, so that the next look reads on from there. */

import type { Reading } from "@cairn/core/consumer"
import type { Micros } from "@cairn/core/encoding"
import type { StorageUnavailable } from "@cairn/core/log"
import type { BatchLimits, StreamRecord } from "@cairn/core/outbound"
import { Effect } from "effect"

/**
 * Most rows looked at for one batch, and most characters of their contents: a filter that few events match
 * must not make a turn long.
 */
const MOST_READ = 5_000
const MOST_READ_SIZE = 8_388_608

/** Records that were read and not sent yet. */
export interface BufferedRecords {
  /** The position that they follow. */
  readonly after: number
  readonly records: ReadonlyArray<StreamRecord>
  /** Up to here the log was read. */
  readonly readTo: number
  /** Whether that was its end. */
  readonly atEnd: boolean
  /** When the first of the records was read. */
  readonly since: Micros.Micros
}

/** Where records come from. */
export interface RecordSource {
  /** Reads the log on after a sequence. */
  readonly readOn: (after: number) => Effect.Effect<Reading, StorageUnavailable>
  /** The records of the events that the stream wants. */
  readonly recordsOf: (reading: Reading) => Effect.Effect<ReadonlyArray<StreamRecord>>
  /** What makes a batch full. */
  readonly limits: BatchLimits
}

/** Characters of records' texts. */
const sizeOf = (records: ReadonlyArray<StreamRecord>): number =>
  records.reduce((sum, { text }) => sum + text.length, 0)

const lookedThrough = ({ events }: Reading): number => events.reduce((sum, { size }) => sum + size, 0)

/** Reads on from what is known until there is enough for a batch, or the log ends. */
const fillUp = Effect.fnUntraced(function* (
  { readOn, recordsOf, limits }: RecordSource,
  known: BufferedRecords
) {
  const records = [...known.records]
  let { readTo } = known
  let atEnd = false
  let size = sizeOf(records)
  let rows = 0
  let looked = 0
  const isFull = () => records.length >= limits.events || size >= limits.size
  while (!atEnd && !isFull() && rows < MOST_READ && looked < MOST_READ_SIZE) {
    const reading = yield* readOn(readTo)
    const found = yield* recordsOf(reading)
    records.push(...found)
    size += sizeOf(found)
    rows += reading.readTo - readTo
    looked += lookedThrough(reading)
    readTo = reading.readTo
    atEnd = reading.atEnd
  }
  return { ...known, records, readTo, atEnd } satisfies BufferedRecords
})

/** The buffer of one stream. */
export class StreamBuffer {
  readonly #source: RecordSource
  #held: BufferedRecords | undefined

  constructor(source: RecordSource) {
    this.#source = source
  }

  /** What is there to send after a position. */
  fill(after: number, now: Micros.Micros): Effect.Effect<BufferedRecords, StorageUnavailable> {
    return Effect.suspend(() => fillUp(this.#source, this.#known(after, now))).pipe(
      Effect.tap((filled) =>
        Effect.sync(() => {
          this.#held = filled
        })
      )
    )
  }

  /** The same, read again: events that were erased in the meantime are missing. */
  refill(after: number, now: Micros.Micros): Effect.Effect<BufferedRecords, StorageUnavailable> {
    return Effect.suspend(() => {
      this.#held = undefined
      return this.fill(after, now)
    })
  }

  /** Keeps what is left of a buffer whose first `count` records were sent up to a sequence. */
  keepAfter(sequence: number, count: number, { records, readTo, since }: BufferedRecords): void {
    this.#held = { after: sequence, records: records.slice(count), readTo, atEnd: false, since }
  }

  #known(after: number, now: Micros.Micros): BufferedRecords {
    const known = this.#held?.after === after ? this.#held : undefined
    if (known === undefined) return { after, records: [], readTo: after, atEnd: false, since: now }
    return known.records.length === 0 ? { ...known, since: now } : known
  }
}
