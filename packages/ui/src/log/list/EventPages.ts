/**
 * The list as far as it was read: pages that follow each other by cursor, of which those near the reader are
 * kept and the others are read again when the reader comes back. So memory stays flat however far one
 * scrolls.
 */
import type { Event } from "@cairn/core/event"
import { signal } from "@preact/signals"
import type { Filter } from "../../place/Filter.ts"
import { type LogSource, PAGE_SIZE, type Refusal, RequestRefused } from "../LogSource.ts"

/** Pages kept on either side of the visible ones: a thousand events each way. */
const KEPT = 20

/** What the list needs of the service. */
export type PageSource = Pick<LogSource, "events" | "count">

interface KnownPage {
  /** Asks for this page again, and gets the same events. */
  readonly filter: Filter
  readonly cursor: string | undefined
  /** The row of its first event: a page of large events has fewer than it might. */
  readonly start: number
  readonly length: number
  /** Undefined while it is not kept. */
  events: ReadonlyArray<Event> | undefined
}

/** The events under one filter, newest first. */
export class EventPages {
  /** Counts changes, so that the list is drawn again. */
  readonly version = signal(0)
  /** Events that match the filter; undefined until they are counted, which may take longer than the list. */
  readonly total = signal<number | undefined>(undefined)
  /** Whether they could not be counted; the list shows its events all the same. */
  readonly uncounted = signal(false)
  /** Why reading stopped; undefined while it goes on. */
  readonly refusal = signal<Refusal | undefined>(undefined)
  /** Whether the last row is the last event. */
  readonly complete = signal(false)

  readonly #source: PageSource
  readonly #filter: Filter
  readonly #abort = new AbortController()
  readonly #onPage: (events: ReadonlyArray<Event>, signal: AbortSignal) => void
  readonly #pages: Array<KnownPage> = []
  #nextCursor: string | undefined
  #reading = false
  #wanted: readonly [number, number] = [0, 0]

  /** Passes every page that arrives to `onPage`, with a signal that ends with the list. */
  constructor(
    source: PageSource,
    filter: Filter,
    onPage: (events: ReadonlyArray<Event>, signal: AbortSignal) => void
  ) {
    this.#source = source
    this.#filter = filter
    this.#onPage = onPage
  }

  /** Has whoever calls it drawn again at each change. */
  followed(): number {
    return this.version.value
  }

  /** Rows that are known of: those of all pages read so far. */
  get rows(): number {
    const last = this.#pages.at(-1)
    return last === undefined ? 0 : last.start + last.length
  }

  /** The event of a row; undefined while it is not there. */
  at(row: number): Event | undefined {
    const page = this.#pages[this.#pageOf(row)]
    return page?.events?.[row - page.start]
  }

  /** The row of an event that is kept. */
  rowOf(id: string): number | undefined {
    for (const page of this.#pages) {
      const place = page.events?.findIndex((event) => event.id === id) ?? -1
      if (place >= 0) return page.start + place
    }
    return undefined
  }

  /** Reads the missing rows, and those that follow them. */
  want(first: number, end: number): void {
    this.#wanted = [first, end]
    this.#read().catch(() => undefined)
  }

  /** Goes on after a refusal. */
  retry(): void {
    this.refusal.value = undefined
    this.#read().catch(() => undefined)
  }

  /** Ends the list; nothing comes any more. */
  close(): void {
    this.#abort.abort()
  }

  /** The page that has a row, or the last one if none has. */
  #pageOf(row: number): number {
    let [low, high] = [0, this.#pages.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#pages[middle]?.start ?? 0) <= row) low = middle
      else high = middle - 1
    }
    return low
  }

  /** The next page to read: one in sight that is not kept, or the one after the last. */
  #missing(): number | undefined {
    const [first, end] = this.#wanted
    const firstPage = this.#pageOf(first)
    const lastPage = this.#pageOf(Math.max(first, end - 1))
    for (let index = firstPage; index <= lastPage && index < this.#pages.length; index++) {
      if (this.#pages[index]?.events === undefined) return index
    }
    const runsOut = end + PAGE_SIZE / 2 > this.rows
    return runsOut && !this.complete.peek() ? this.#pages.length : undefined
  }

  async #read(): Promise<void> {
    if (this.#reading) return
    this.#reading = true
    try {
      for (let index = this.#missing(); index !== undefined; index = this.#missing()) {
        if (this.#abort.signal.aborted || this.refusal.value !== undefined) return
        await this.#readPage(index)
      }
    } catch (error) {
      if (this.#abort.signal.aborted) return
      this.refusal.value = error instanceof RequestRefused ? error.refusal : { kind: "failed" }
    } finally {
      this.#reading = false
    }
  }

  async #readPage(index: number): Promise<void> {
    const known = this.#pages[index]
    const filter = known?.filter ?? this.#filter
    const cursor = known === undefined ? this.#nextCursor : known.cursor
    const { data, pagination } = await this.#source.events(filter, cursor, this.#abort.signal)
    if (this.#abort.signal.aborted) return
    if (known === undefined) {
      const newest = data[0]?.created_at
      // The first page has no cursor: without an end, it would move on with the log.
      const again = index === 0 && newest !== undefined ? { ...filter, to: newest } : filter
      this.#pages.push({ filter: again, cursor, start: this.rows, length: data.length, events: data })
      this.#nextCursor = pagination.next_cursor ?? undefined
      this.complete.value = !pagination.has_more || pagination.next_cursor === null
      if (index === 0 && this.complete.peek()) this.total.value = data.length
      else if (index === 0) this.#count().catch(() => undefined)
    } else {
      known.events = data.slice(0, known.length)
    }
    this.#forget()
    this.version.value++
    this.#onPage(data, this.#abort.signal)
  }

  /** Counts apart from reading, and again where the service says when. */
  async #count(): Promise<void> {
    const { signal: ended } = this.#abort
    while (!ended.aborted) {
      try {
        const total = await this.#source.count(this.#filter, ended)
        if (!ended.aborted) this.total.value = total
        return
      } catch (error) {
        const refusal = error instanceof RequestRefused ? error.refusal : undefined
        if (refusal === undefined || !("seconds" in refusal)) {
          this.uncounted.value = true
          return
        }
        await new Promise((resolve) => setTimeout(resolve, refusal.seconds * 1_000))
      }
    }
  }

  #forget(): void {
    const [first, end] = this.#wanted
    const [from, to] = [this.#pageOf(first) - KEPT, this.#pageOf(end) + KEPT]
    for (const [index, page] of this.#pages.entries()) {
      if (index < from || index > to) page.events = undefined
    }
  }
}
