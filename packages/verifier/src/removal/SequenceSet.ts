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

/** The bits of a word that are below this one. */
const bitsBelow = (bit: number): number => (bit <= 0 ? 0 : bit >= WORD ? 0xffff_ffff : 2 ** bit - 1)

/** Whole numbers, negative ones too. Made for those that come in ascending order. */
export class SequenceSet {
  readonly #pages = new Map<number, Uint32Array>()
  /** The numbers of those that came in ascending order. */
  readonly #order: Array<number> = []

  /** Adds a sequence; false if there is no room for it. */
  add(sequence: number): boolean {
    const number = pageOf(sequence)
    let page = this.#pages.get(number)
    if (page === undefined) {
      if (this.#pages.size === MAX_PAGES) return false
      page = new Uint32Array(PAGE / WORD)
      this.#pages.set(number, page)
      if (number > (this.#order.at(-1) ?? Number.NEGATIVE_INFINITY)) this.#order.push(number)
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

  /** Removes a sequence, if it is there; returns whether it was. */
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
   * Removes what is from `first` on and below `end`; pages that were not added in ascending order may stay.
   * Returns how many were removed. Costs a search, a step for each page that goes, and one for each word of
   * the pages at the ends.
   */
  deleteFrom(first: number, end: number): number {
    const begin = this.#indexOf(pageOf(first))
    const left: Array<number> = []
    let gone = 0
    let index = begin
    for (; index < this.#order.length; index++) {
      const number = this.#order[index] ?? 0
      if (number * PAGE >= end) break
      gone += this.#deleteInPage(number, first - number * PAGE, end - number * PAGE)
      if (this.#pages.has(number)) left.push(number)
    }
    if (left.length < index - begin) this.#order.splice(begin, index - begin, ...left)
    return gone
  }

  /** Removes what lies between two bits of a page; returns how many there were. */
  #deleteInPage(number: number, first: number, end: number): number {
    const page = this.#pages.get(number)
    if (page === undefined) return 0
    let gone = 0
    for (let word = 0; word < page.length; word++) {
      const mask = (bitsBelow(end - word * WORD) & ~bitsBelow(first - word * WORD)) >>> 0
      const before = page[word] ?? 0
      gone += bitsOf((before & mask) >>> 0)
      page[word] = before & ~mask
    }
    this.#dropEmpty(number, page)
    return gone
  }

  /** Where the first page stands that is not below this one. */
  #indexOf(number: number): number {
    let [low, high] = [0, this.#order.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#order[middle] ?? 0) < number) low = middle + 1
      else high = middle
    }
    return low
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
