/** A set of sequences as bits, in pages that come and go: one bit an event where many are near each other. */

/** Sequences of a page. */
const PAGE = 4_096
const WORD = 32

/** Most pages, 160 MB of them: a log of a thousand million events whose every page has some. */
const MAX_PAGES = 262_144

/** Sequences one after the other, both ends included. */
export interface SequenceRun {
  readonly first: number
  readonly last: number
}

const pageOf = (sequence: number): number => Math.floor(sequence / PAGE)

/** How many bits are set in 32. */
const bitsOf = (word: number): number => {
  let bits = word - ((word >>> 1) & 0x5555_5555)
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333)
  return (((bits + (bits >>> 4)) & 0x0f0f_0f0f) * 0x0101_0101) >>> 24
}

/** Whole numbers, negative ones too. Made for those that come in ascending order. */
export class SequenceSet {
  readonly #pages = new Map<number, Uint32Array>()

  /** Adds a sequence; false if there is no room for it. */
  add(sequence: number): boolean {
    const number = pageOf(sequence)
    let page = this.#pages.get(number)
    if (page === undefined) {
      if (this.#pages.size === MAX_PAGES) return false
      page = new Uint32Array(PAGE / WORD)
      this.#pages.set(number, page)
    }
    const bit = sequence - number * PAGE
    page[Math.floor(bit / WORD)] = (page[Math.floor(bit / WORD)] ?? 0) | (1 << (bit % WORD))
    return true
  }

  /** Whether a sequence is in the set. */
  has(sequence: number): boolean {
    const number = pageOf(sequence)
    const bit = sequence - number * PAGE
    return ((this.#pages.get(number)?.[Math.floor(bit / WORD)] ?? 0) & (1 << (bit % WORD))) !== 0
  }

  /** Takes a sequence out, if it is there; says whether it was. */
  delete(sequence: number): boolean {
    if (!this.has(sequence)) return false
    const number = pageOf(sequence)
    const page = this.#pages.get(number) ?? new Uint32Array(PAGE / WORD)
    const bit = sequence - number * PAGE
    page[Math.floor(bit / WORD)] = (page[Math.floor(bit / WORD)] ?? 0) & ~(1 << (bit % WORD))
    this.#dropEmpty(number, page)
    return true
  }

  /**
   * Takes out what is below `sequence`; pages that were not added in ascending order may stay. Answers how many those were. Costs a step for
   * each page that goes, and one for each word of the page that `sequence` lies in.
   */
  deleteBelow(sequence: number): number {
    const last = pageOf(sequence)
    let gone = 0
    for (const [number, page] of this.#pages) {
      if (number >= last) break
      for (const word of page) gone += bitsOf(word)
      this.#pages.delete(number)
    }
    const page = this.#pages.get(last)
    if (page === undefined) return gone
    const end = sequence - last * PAGE
    for (let word = 0; word * WORD < end; word++) {
      const below = end - word * WORD
      const mask = below >= WORD ? 0xffff_ffff : (1 << below) - 1
      const before = page[word] ?? 0
      gone += bitsOf((before & mask) >>> 0)
      page[word] = before & ~mask
    }
    this.#dropEmpty(last, page)
    return gone
  }

  #dropEmpty(number: number, page: Uint32Array): void {
    if (page.every((word) => word === 0)) this.#pages.delete(number)
  }

  /** What is in the set, in ascending order, as the longest runs. */
  *runs(): Generator<SequenceRun> {
    let run: SequenceRun | undefined
    for (const [number, page] of [...this.#pages].toSorted(([one], [other]) => one - other)) {
      for (let bit = 0; bit < PAGE; bit++) {
        if (((page[Math.floor(bit / WORD)] ?? 0) & (1 << (bit % WORD))) === 0) continue
        const sequence = number * PAGE + bit
        if (run !== undefined && run.last === sequence - 1) run = { first: run.first, last: sequence }
        else {
          if (run !== undefined) yield run
          run = { first: sequence, last: sequence }
        }
      }
    }
    if (run !== undefined) yield run
  }
}
