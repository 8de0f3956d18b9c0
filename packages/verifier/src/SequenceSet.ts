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

  /** Takes a sequence out, if it is there. */
  delete(sequence: number): void {
    const number = pageOf(sequence)
    const page = this.#pages.get(number)
    if (page === undefined) return
    const bit = sequence - number * PAGE
    page[Math.floor(bit / WORD)] = (page[Math.floor(bit / WORD)] ?? 0) & ~(1 << (bit % WORD))
    if (page.every((word) => word === 0)) this.#pages.delete(number)
  }

  /** Takes out what is below `sequence`; pages that were not added in ascending order may stay. */
  deleteBelow(sequence: number): void {
    const last = pageOf(sequence)
    for (const number of this.#pages.keys()) {
      if (number >= last) break
      this.#pages.delete(number)
    }
    if (this.#pages.has(last)) for (let at = last * PAGE; at < sequence; at++) this.delete(at)
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
