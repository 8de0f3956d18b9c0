/**
 * The list as far as it was read: pages that follow each other by cursor, of which those near the reader are
 * kept and the others are read again when the reader comes back. So memory stays flat however far one
 * scrolls.
 */
import type { Event } from "@cairn/core/event"
import { signal } from "@preact/signals"
import type { Clock, Selection } from "../../place/Place.ts"
import { timeOf } from "../clock/EventTime.ts"
import { type LogSource, PAGE_SIZE, type Refusal, RequestRefused } from "../LogSource.ts"

/** Pages that are read at most to find again the events of one among which others have come. */
const MAX_AGAIN = 20

/** Pages kept on either side of the visible ones: a thousand events each way. */
const KEPT = 20

/** What the list needs of the service. */
export type PageSource = Pick<LogSource, "events" | "count">

/** Where an event stands in the list: newest first, and of one time those first that were recorded last. */
type Standing = readonly [time: string, recorded: string]

const standingOf = (event: Event, clock: Clock): Standing => [timeOf(event, clock), event.created_at]

const isBehind = ([time, recorded]: Standing, [endTime, endRecorded]: Standing): boolean =>
  time < endTime || (time === endTime && recorded < endRecorded)

interface KnownPage {
  /** Asks for this page again. */
  readonly selection: Selection
  readonly cursor: string | undefined
  /** The row of its first event: a page of large events has fewer than it might. */
  start: number
  length: number
  /** When the newest of its events was recorded: what is among them and newer has come since. */
  readonly recorded: string
  /** Where its last event stands: what stands behind that is another page's. */
  readonly end: Standing
  /** Undefined while it is not kept. */
  events: ReadonlyArray<Event> | undefined
}

/** The events of one selection, newest first. */
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
  readonly #selection: Selection
  readonly #abort = new AbortController()
  readonly #onPage: (events: ReadonlyArray<Event>, signal: AbortSignal) => void
  readonly #pages: Array<KnownPage> = []
  #nextCursor: string | undefined
  #reading = false
  #wanted: readonly [number, number] = [0, 0]

  /** Passes every page that arrives to `onPage`, with a signal that ends with the list. */
  constructor(
    source: PageSource,
    selection: Selection,
    onPage: (events: ReadonlyArray<Event>, signal: AbortSignal) => void
  ) {
    this.#source = source
    this.#selection = selection
    this.#onPage = onPage
  }

  /** Draws the calling component again at each change. */
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

  /** Whether the event of a row is there. */
  readonly has = (row: number): boolean => this.at(row) !== undefined

  /** The row of an event that is kept. */
  rowOf(id: string): number | undefined {
    for (const page of this.#pages) {
      const place = page.events?.findIndex((event) => event.id === id) ?? -1
      if (place >= 0) return page.start + place
    }
    return undefined
  }

  /** The events that are kept, in their order. */
  *kept(): Iterable<Event> {
    for (const { events } of this.#pages) yield* events ?? []
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

  /**
   * The next page to read: one in sight that is not kept, the one after the last, or one beside those in
   * sight, so that a scroll finds it there.
   */
  #missing(): number | undefined {
    const [first, end] = this.#wanted
    const firstPage = this.#pageOf(first)
    const lastPage = this.#pageOf(Math.max(first, end - 1))
    const isLetGo = (index: number) => {
      const page = this.#pages[index]
      return page !== undefined && page.events === undefined
    }
    for (let index = firstPage; index <= lastPage; index++) {
      if (isLetGo(index)) return index
    }
    // Of a list that is not scrolled yet, little is read: it may be all that its reader wants.
    const ahead = first > 0 ? PAGE_SIZE : PAGE_SIZE / 2
    if (end + ahead > this.rows && !this.complete.peek()) return this.#pages.length
    return [lastPage + 1, firstPage - 1].find(isLetGo)
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
    const events = known === undefined ? await this.#readNext() : await this.#readAgain(known)
    if (this.#abort.signal.aborted) return
    this.#forget()
    this.version.value++
    this.#onPage(events, this.#abort.signal)
  }

  /** Reads the page after the last. */
  async #readNext(): Promise<ReadonlyArray<Event>> {
    const cursor = this.#nextCursor
    const isFirst = this.#pages.length === 0
    const { data, pagination } = await this.#source.events(this.#selection, cursor, this.#abort.signal)
    if (this.#abort.signal.aborted) return data
    const { filter, clock } = this.#selection
    const [newest] = data
    // The first page has no cursor: without an end, it would move on with the log.
    const selection =
      isFirst && newest !== undefined
        ? { clock, filter: { ...filter, to: timeOf(newest, clock) } }
        : this.#selection
    const recorded = data.reduce((last, { created_at: at }) => (at > last ? at : last), "")
    const last = data.at(-1)
    this.#pages.push({
      selection,
      cursor,
      start: this.rows,
      length: data.length,
      recorded,
      end: last === undefined ? ["", ""] : standingOf(last, clock),
      events: data
    })
    this.#nextCursor = pagination.next_cursor ?? undefined
    this.complete.value = !pagination.has_more || pagination.next_cursor === null
    if (isFirst && this.complete.peek()) this.total.value = data.length
    else if (isFirst) this.#count().catch(() => undefined)
    return data
  }

  /**
   * Reads a page that was let go. By the time of occurrence others may stand among its events meanwhile: they
   * are left out, so that every row holds the event that it held. Events that were removed are no rows any
   * more, and those of the next page do not move up into theirs: they would be there twice.
   */
  async #readAgain(page: KnownPage): Promise<ReadonlyArray<Event>> {
    const [events, later]: [Array<Event>, Array<Event>] = [[], []]
    let { cursor } = page
    for (let read = 0; read < MAX_AGAIN; read++) {
      const { data, pagination } = await this.#source.events(page.selection, cursor, this.#abort.signal)
      const own = data.filter((event) => !isBehind(standingOf(event, page.selection.clock), page.end))
      for (const event of own) (event.created_at > page.recorded ? later : events).push(event)
      cursor = pagination.next_cursor ?? undefined
      if (this.#abort.signal.aborted) break
      const isWhole = events.length >= page.length || own.length < data.length || cursor === undefined
      if (!isWhole) continue
      this.#shorten(page, events.length)
      page.events = events
      return events
    }
    // More have come than are read: better one of them in a row than none.
    page.events = [...events, ...later].slice(0, page.length)
    return page.events
  }

  /** Takes the rows of removed events out of the list. */
  #shorten(page: KnownPage, length: number): void {
    const removed = page.length - length
    if (removed === 0) return
    page.length = length
    for (const after of this.#pages.slice(this.#pages.indexOf(page) + 1)) after.start -= removed
    if (this.total.value !== undefined) this.total.value -= removed
  }

  /** Counts apart from reading, and again where the service says when. */
  async #count(): Promise<void> {
    const { signal: ended } = this.#abort
    while (!ended.aborted) {
      try {
        const total = await this.#source.count(this.#selection, ended)
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
