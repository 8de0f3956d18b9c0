/** Counts how many events have each value of a field, from parts of a log, the newest part first. */
import { compareOwn, type FacetPart, NO_TEXT, partEnd } from "./FacetPart.ts"
import { type BytesPrefix, bytesPrefix } from "./FacetPrefix.ts"
import { FACET_VALUES, type FacetValue } from "./Facets.ts"

/** Keeps a byte order mark at the beginning of a value, which is a part of it. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * Values of parts that were merged, in the same order as those of a part. A text is stored as the number of
 * an entry among those of all parts, less the run's base: the lower it is, the newer is the text.
 */
interface Run {
  readonly size: number
  readonly base: number
  readonly keys: Uint32Array
  readonly counts: Uint32Array
  readonly owns: Uint32Array
  readonly types: Uint32Array
  readonly labels: Uint32Array
}

/** What a value of a run takes of memory. */
const RUN_BYTES = 20

const NOTHING = new Uint32Array()
const EMPTY: Run = {
  size: 0,
  base: 0,
  keys: NOTHING,
  counts: NOTHING,
  owns: NOTHING,
  types: NOTHING,
  labels: NOTHING
}

/** An entry of a part. */
interface Entry {
  readonly part: FacetPart
  readonly index: number
}

/** The entries of a part that have a text. */
const entriesWith = (texts: Uint32Array): Uint32Array => {
  const entries = new Uint32Array(texts.length >>> 1)
  for (let index = 0; index < entries.length; index++)
    entries[index] = texts[2 * index] === NO_TEXT ? NO_TEXT : index
  return entries
}

const runOf = ({ size, keys, counts, owns, types, labels }: FacetPart, base: number): Run => ({
  size,
  base,
  keys,
  counts,
  owns: entriesWith(owns),
  types: entriesWith(types),
  labels: entriesWith(labels)
})

/** How many events a value of a run has; none where it is not in it. */
const countAt = ({ counts }: Run, at: number): number => (at < 0 ? 0 : (counts[at] ?? 0))

/** The entry of a value of a run among those of all parts. */
const entryAt = (texts: Uint32Array, base: number, at: number): number => {
  if (at < 0) return NO_TEXT
  const entry = texts[at] ?? NO_TEXT
  return entry === NO_TEXT ? NO_TEXT : base + entry
}

/** The newest of two entries. */
const newest = (
  { base }: Run,
  texts: Uint32Array,
  at: number,
  { base: otherBase }: Run,
  otherTexts: Uint32Array,
  otherAt: number
): number => Math.min(entryAt(texts, base, at), entryAt(otherTexts, otherBase, otherAt))

const emptyRun = (most: number): Run => ({
  size: most,
  base: 0,
  keys: new Uint32Array(most),
  counts: new Uint32Array(most),
  owns: new Uint32Array(most).fill(NO_TEXT),
  types: new Uint32Array(most).fill(NO_TEXT),
  labels: new Uint32Array(most).fill(NO_TEXT)
})

const shortened = ({ base, keys, counts, owns, types, labels }: Run, size: number): Run => ({
  size,
  base,
  keys: keys.slice(0, size),
  counts: counts.slice(0, size),
  owns: owns.slice(0, size),
  types: types.slice(0, size),
  labels: labels.slice(0, size)
})

/** Adds a value of a run to one of another, which has the newest of their texts then. */
const addValue = (to: Run, index: number, from: Run, at: number): void => {
  to.keys[index] = from.keys[at] ?? 0
  to.counts[index] = (to.counts[index] ?? 0) + (from.counts[at] ?? 0)
  to.owns[index] = Math.min(to.owns[index] ?? NO_TEXT, from.owns[at] ?? NO_TEXT)
  to.types[index] = Math.min(to.types[index] ?? NO_TEXT, from.types[at] ?? NO_TEXT)
  to.labels[index] = Math.min(to.labels[index] ?? NO_TEXT, from.labels[at] ?? NO_TEXT)
}

/** All values of some runs, one run after another. */
const concatenated = (runs: ReadonlyArray<Run>): Run => {
  const all = emptyRun(runs.reduce((sum, { size }) => sum + size, 0))
  let size = 0
  for (const { base, ...run } of runs) {
    all.keys.set(run.keys, size)
    all.counts.set(run.counts, size)
    for (let at = 0; at < run.size; at++) {
      all.owns[size + at] = entryAt(run.owns, base, at)
      all.types[size + at] = entryAt(run.types, base, at)
      all.labels[size + at] = entryAt(run.labels, base, at)
    }
    size += run.size
  }
  return all
}

const KEY_HALF = 10

/** Where the values are in the order of their keys (a radix sort by the two halves of a key). */
const orderOf = (keys: Uint32Array): Uint32Array => {
  let order = Uint32Array.from(keys.keys())
  for (const shift of [0, KEY_HALF]) {
    const half = (at: number): number => ((keys[at] ?? 0) >>> shift) & ((1 << KEY_HALF) - 1)
    const places = new Uint32Array((1 << KEY_HALF) + 1)
    for (const at of order) places[half(at) + 1] = (places[half(at) + 1] ?? 0) + 1
    for (let value = 1; value < places.length; value++)
      places[value] = (places[value] ?? 0) + (places[value - 1] ?? 0)
    const sorted = new Uint32Array(order.length)
    for (const at of order) {
      const place = places[half(at)] ?? 0
      sorted[place] = at
      places[half(at)] = place + 1
    }
    order = sorted
  }
  return order
}

/** A value by the entries of its texts. */
interface Ranked {
  readonly count: number
  readonly own: number
  readonly type: number
  readonly label: number
}

/** Collects the most frequent values. */
class Ranking {
  readonly #compare: (own: number, other: number) => number
  readonly #isWanted: (own: number, label: number) => boolean
  readonly top: Array<Ranked> = []

  constructor(
    compare: (own: number, other: number) => number,
    isWanted: (own: number, label: number) => boolean
  ) {
    this.#compare = compare
    this.#isWanted = isWanted
  }

  /** Adds a value, which is in one run or in both. */
  add(one: Run, at: number, other: Run, otherAt: number): void {
    const { top } = this
    const count = countAt(one, at) + countAt(other, otherAt)
    const last = top[FACET_VALUES - 1]
    if (last !== undefined && count < last.count) return
    const own = newest(one, one.owns, at, other, other.owns, otherAt)
    if (last !== undefined && !this.#isBefore(count, own, last)) return
    const label = newest(one, one.labels, at, other, other.labels, otherAt)
    if (!this.#isWanted(own, label)) return
    const type = newest(one, one.types, at, other, other.types, otherAt)
    const place = top.findIndex((ranked) => this.#isBefore(count, own, ranked))
    top.splice(place < 0 ? top.length : place, 0, { count, own, type, label })
    top.length = Math.min(top.length, FACET_VALUES)
  }

  #isBefore(count: number, own: number, other: Ranked): boolean {
    return count > other.count || (count === other.count && this.#compare(own, other.own) < 0)
  }
}

/** Counts the values of one field. */
export class FacetTally {
  readonly #parts: Array<FacetPart> = []
  /** The number of the first entry of each part. */
  readonly #bases: Array<number> = []
  #entries = 0
  #runs: Array<Run> = []

  get parts(): ReadonlyArray<FacetPart> {
    return this.#parts
  }

  /** What it takes of memory beside its parts, in bytes. */
  get size(): number {
    return this.#runs.reduce((sum, { size }) => sum + RUN_BYTES * size, 0)
  }

  /** Counts the values of a part, whose events are older than those of the parts before. */
  add(part: FacetPart): void {
    const base = this.#addPart(part)
    this.#runs.push(runOf(part, base))
  }

  /** Counts what another has counted, whose events are older than those that were added before. */
  addAll(other: FacetTally): void {
    const base = this.#entries
    for (const part of other.#parts) this.#addPart(part)
    for (const run of other.#runs) this.#runs.push({ ...run, base: base + run.base })
  }

  /** Makes what follows of it quick. */
  merge(): void {
    this.#runs = [this.#merged(this.#runs)]
  }

  #addPart(part: FacetPart): number {
    const base = this.#entries
    this.#parts.push(part)
    this.#bases.push(base)
    this.#entries += part.size
    return base
  }

  #entry(entry: number): Entry {
    const bases = this.#bases
    let low = 0
    let high = bases.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((bases[middle] ?? 0) <= entry) low = middle
      else high = middle - 1
    }
    const part = this.#parts[low]
    if (part === undefined) throw new RangeError(`there is no entry ${entry}`)
    return { part, index: entry - (bases[low] ?? 0) }
  }

  #compare(one: number, other: number): number {
    const { part, index } = this.#entry(one)
    const { part: next, index: at } = this.#entry(other)
    return compareOwn(
      part.bytes,
      part.owns[2 * index] ?? 0,
      part.owns[2 * index + 1] ?? 0,
      next.bytes,
      next.owns[2 * at] ?? 0,
      next.owns[2 * at + 1] ?? 0
    )
  }

  /** Makes one run of several: costs the same for each value, however many runs there are. */
  #merged(runs: ReadonlyArray<Run>): Run {
    const [only = EMPTY] = runs
    if (runs.length < 2) return only
    const all = concatenated(runs)
    const order = orderOf(all.keys)
    const merged = emptyRun(order.length)
    let size = 0
    const write = (same: Uint32Array): void => {
      for (const at of same) addValue(merged, size, all, at)
      size++
    }
    for (let first = 0, end = 0; first < order.length; first = end) {
      const key = all.keys[order[first] ?? 0]
      while (end < order.length && all.keys[order[end] ?? 0] === key) end++
      const run = order.subarray(first, end)
      if (run.length === 1 || this.#areSame(all, run)) write(run)
      else for (const same of this.#told(all, run)) write(same)
    }
    return shortened(merged, size)
  }

  #areSame({ owns }: Run, run: Uint32Array): boolean {
    const own = owns[run[0] ?? 0] ?? 0
    return run.every((at, index) => index === 0 || this.#compare(own, owns[at] ?? 0) === 0)
  }

  /** Values of one key in their order, each with all that are the same. */
  #told({ owns }: Run, run: Uint32Array): ReadonlyArray<Uint32Array> {
    const compare = (at: number, other: number): number => this.#compare(owns[at] ?? 0, owns[other] ?? 0)
    const sorted = run.toSorted(compare)
    const told: Array<Uint32Array> = []
    for (let first = 0, end = 0; first < sorted.length; first = end) {
      while (end < sorted.length && compare(sorted[first] ?? 0, sorted[end] ?? 0) === 0) end++
      told.push(sorted.subarray(first, end))
    }
    return told
  }

  /** The most frequent of the values that a prefix means; equal ones in the order of their bytes. */
  top(prefix: string): ReadonlyArray<FacetValue> {
    const [longest = EMPTY, ...others] = this.#runs.toSorted((one, other) => other.size - one.size)
    // What is kept for others is long, and is not copied.
    const rest = this.#merged(others)
    const wanted = bytesPrefix(prefix)
    const ranking = new Ranking(
      (own, other) => this.#compare(own, other),
      (own, label) => this.#isWanted(wanted, own, label)
    )
    let a = 0
    let b = 0
    while (a < longest.size || b < rest.size) {
      const key = a < longest.size ? (longest.keys[a] ?? 0) : NO_TEXT
      const otherKey = b < rest.size ? (rest.keys[b] ?? 0) : NO_TEXT
      let order = key - otherKey
      if (order === 0)
        order = this.#compare(entryAt(longest.owns, longest.base, a), entryAt(rest.owns, rest.base, b))
      ranking.add(longest, order <= 0 ? a : -1, rest, order >= 0 ? b : -1)
      if (order <= 0) a++
      if (order >= 0) b++
    }
    return ranking.top.map((ranked) => this.#facet(ranked))
  }

  #isWanted({ isValue, isLabel }: BytesPrefix, own: number, label: number): boolean {
    const { part, index } = this.#entry(own)
    const begin = part.owns[2 * index] ?? 0
    if (isValue(part.bytes, begin, partEnd(part.bytes, begin, part.owns[2 * index + 1] ?? 0))) return true
    if (label === NO_TEXT) return false
    const { part: named, index: at } = this.#entry(label)
    return isLabel(named.bytes, named.labels[2 * at] ?? 0, named.labels[2 * at + 1] ?? 0)
  }

  #text(entry: number, of: "types" | "labels"): string | null {
    if (entry === NO_TEXT) return null
    const { part, index } = this.#entry(entry)
    return decoder.decode(part.bytes.subarray(part[of][2 * index], part[of][2 * index + 1]))
  }

  #facet({ count, own, type, label }: Ranked): FacetValue {
    const { part, index } = this.#entry(own)
    const begin = part.owns[2 * index] ?? 0
    const end = partEnd(part.bytes, begin, part.owns[2 * index + 1] ?? 0)
    return {
      value: decoder.decode(part.bytes.subarray(begin, end)),
      label: this.#text(label, "labels"),
      type: this.#text(type, "types"),
      count
    }
  }
}
