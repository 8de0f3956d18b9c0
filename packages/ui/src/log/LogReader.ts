/** The state of a log that is read: what is shown, where it comes from, what its reader can do about it. */
import type { Event } from "@cairn/core/event"
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals"
import type { PageClock } from "../locale/ServiceClock.ts"
import { type Filter, type FilterName, filterParameters, timeless, withCondition } from "../place/Filter.ts"
import { type PeriodName, withPeriod } from "../place/Period.ts"
import { type Place, placeParameters } from "../place/Place.ts"
import { type ActorNames, withNames } from "./filter/ActorNames.ts"
import { type FileFormat, type Histogram, type LogSource, type Refusal, RequestRefused } from "./LogSource.ts"
import { type OptionalColumn, withColumns } from "./list/Columns.ts"
import { EventPages } from "./list/EventPages.ts"
import { LiveCount } from "./live/LiveCount.ts"
import type { Templates } from "./sentence/Sentence.ts"
import type { EventVerifier, LogKnowledge, Mark } from "./verification/EventVerifier.ts"
import { type Tally, tallyOf } from "./verification/Tally.ts"

/** Marks that are kept: those of more events than the list keeps. */
const MAX_MARKS = 5_000

/** Events that were opened by id, not from the list. */
type Fetched = { readonly event: Event } | { readonly refusal: Refusal }

/** Milliseconds within which marks are counted once. */
const TALLY_PAUSE = 100

/** Refusals of everything, whatever is asked for. */
const SHUT: ReadonlySet<Refusal["kind"]> = new Set(["expired", "refused", "elsewhere"])

const CHECKING: Mark = { kind: "checking" }

const sameFilter = (one: Filter, other: Filter): boolean =>
  JSON.stringify(filterParameters(one)) === JSON.stringify(filterParameters(other))

/** Of a log that does not tell what is new. */
const NONE: ReadonlySignal<number> = signal(0)

/** What a log is read with. */
export interface LogReaderOptions {
  readonly source: LogSource
  readonly knowledge: LogKnowledge
  /** By which periods are reckoned. */
  readonly clock: PageClock
  /** Whether the reader sees more than one tenant, and may choose among them. */
  readonly acrossTenants?: boolean
  /** Where the reader begins. */
  readonly place: Place
  /** Hears of each move, to write it into the address. */
  readonly moved: (place: Place) => void
  /** The address at which others find a place. */
  readonly addressOf: (place: Place) => string
}

/** All of the state. */
export class LogReader {
  readonly place: Signal<Place>
  /** Whether the reader sees more than one tenant. */
  readonly acrossTenants: boolean
  readonly pages: Signal<EventPages>
  /** Undefined while it is being read, null where it cannot be. */
  readonly histogram = signal<Histogram | null | undefined>(undefined)
  /** Names of actors: of the events that were shown, and of those that the page was given. */
  readonly actors = signal<ActorNames>(new Map())
  /** How many of the events that are kept have verified. */
  readonly tally = signal<Tally>(tallyOf([]))
  /** Whether the page is being printed. */
  readonly isPrinting = signal(false)
  /** The event that the focus is to go to. */
  readonly sought = signal<string | undefined>(undefined)
  /** The columns that an event which was shown has something for. */
  readonly columns = signal<ReadonlySet<OptionalColumn>>(new Set())
  /** The workspace's own sentences; none until they are there. */
  readonly sentences = signal<Templates>({})
  /** Why nothing can be shown at all, whatever the filter; undefined as long as something can. */
  readonly shut: ReadonlySignal<Refusal | undefined>
  /** The event that is open, once it is there. */
  readonly open: ReadonlySignal<Fetched | undefined>

  readonly #source: LogSource
  readonly #clock: PageClock
  readonly #moved: (place: Place) => void
  readonly #addressOf: (place: Place) => string
  readonly #live: LiveCount | undefined
  readonly #knowledge: LogKnowledge
  #verifier: EventVerifier | undefined
  readonly #marks = new Map<string, Signal<Mark>>()
  readonly #fetched = signal<ReadonlyMap<string, Fetched>>(new Map())
  #histogramAbort = new AbortController()
  #hasSettings = false
  #tallyTimer: ReturnType<typeof setTimeout> | undefined

  constructor(options: LogReaderOptions) {
    const { source, knowledge, clock, place, moved, acrossTenants = false } = options
    this.acrossTenants = acrossTenants
    this.#source = source
    this.#clock = clock
    this.#moved = moved
    this.#addressOf = options.addressOf
    this.#live = this.#makeLive()
    this.#knowledge = knowledge
    this.place = signal(place)
    this.pages = signal(this.#makePages())
    this.shut = computed(() => {
      const refusal = this.pages.value.refusal.value
      return refusal !== undefined && SHUT.has(refusal.kind) ? refusal : undefined
    })
    this.open = computed(() => {
      const { event: id } = this.place.value
      if (id === undefined) return undefined
      const pages = this.pages.value
      pages.followed()
      const row = pages.rowOf(id)
      const event = row === undefined ? undefined : pages.at(row)
      return event === undefined ? this.#fetched.value.get(id) : { event }
    })
    this.#begin()
  }

  /**
   * Shows what another filter lets through: within a period that is named, or else within the filter's own
   * times, whose name stays as long as they are the same.
   */
  filterBy(filter: Filter, named?: PeriodName): void {
    const place = this.place.value
    const isSameTime = filter.from === place.filter.from && filter.to === place.filter.to
    const period = named ?? (isSameTime ? place.period : undefined)
    const wanted =
      named === undefined ? filter : withPeriod(filter, named, new Date(this.#clock.now()), place.zone)
    if (period === place.period && sameFilter(place.filter, wanted)) return
    this.#moveTo({ ...place, filter: wanted, period, event: undefined })
    this.refresh()
  }

  /** Goes to a place that was named elsewhere, such as by the page around. */
  goTo(place: Place): void {
    const { event } = place
    const asText = (one: Place) => JSON.stringify(placeParameters({ ...one, event: undefined }))
    const isElsewhere = asText(place) !== asText(this.place.value)
    if (!isElsewhere && event === this.place.value.event) return
    this.#moveTo(place)
    if (isElsewhere) this.refresh()
    if (event !== undefined) this.openEvent(event)
  }

  /** Shows a period that has a name, or all time. */
  choosePeriod(name: PeriodName | undefined): void {
    this.filterBy(timeless(this.place.value.filter), name)
  }

  /** Adds this condition to the filter; an empty value removes it. */
  narrow(name: FilterName, value: string): void {
    this.filterBy(withCondition(this.place.value.filter, name, value))
  }

  /** The most frequent values of a field, to suggest some of them. */
  facets(...asked: Parameters<LogSource["facets"]>): ReturnType<LogSource["facets"]> {
    return this.#source.facets(...asked)
  }

  /** Takes note of names of actors, by which the filter finds their ids. */
  learnNames(actors: Iterable<{ readonly id: string; readonly name: string | null }>): void {
    this.actors.value = withNames(this.actors.value, actors)
  }

  /** Shows times the other way. */
  switchTimes(): void {
    const place = this.place.value
    this.#moveTo({ ...place, timeStyle: place.timeStyle === "relative" ? "absolute" : "relative" })
  }

  /** How many events have been recorded since the list was read. */
  get news(): ReadonlySignal<number> {
    return this.#live?.count ?? NONE
  }

  /** Whether the reader may export what is filtered. */
  get mayExport(): boolean {
    return this.#source.file !== undefined
  }

  /** What is filtered, as a file. */
  async file(format: FileFormat, signal: AbortSignal): Promise<Response> {
    if (this.#source.file === undefined) throw new RequestRefused({ kind: "refused" })
    return this.#source.file(this.place.value, format, signal)
  }

  /** The address of what is filtered, or of one event among it. */
  addressOf(event?: Event): string {
    return this.#addressOf({ ...this.place.value, event: event?.id })
  }

  /** Has the focus go to the row of an event. */
  seek(id: string | undefined): void {
    this.sought.value = id
  }

  /** Turns shortcuts of a single key on and off. */
  switchKeys(): void {
    const place = this.place.value
    this.#moveTo({ ...place, keys: !place.keys })
  }

  /** Goes by the other time of the events. */
  switchClock(): void {
    const place = this.place.value
    this.#moveTo({ ...place, clock: place.clock === "occurred" ? "recorded" : "occurred" })
    this.refresh()
  }

  /** Shows times in the other zone. */
  switchZone(): void {
    const place = this.place.value
    this.#moveTo({ ...place, zone: place.zone === "local" ? "utc" : "local" })
  }

  /** Opens an event, or none. */
  openEvent(id: string | undefined): void {
    this.#moveTo({ ...this.place.value, event: id })
    if (id !== undefined && this.pages.value.rowOf(id) === undefined) this.#fetch(id)
  }

  /** Reads everything again, from the newest event on. */
  refresh(): void {
    batch(() => {
      this.pages.value.close()
      this.#histogramAbort.abort()
      this.#live?.close()
      this.pages.value = this.#makePages()
      this.#begin()
    })
  }

  /** Ends all reading; nothing comes any more. */
  close(): void {
    this.pages.value.close()
    this.#histogramAbort.abort()
    this.#live?.close()
    clearTimeout(this.#tallyTimer)
  }

  /** What is known of an event's authenticity. */
  markOf(event: Event): ReadonlySignal<Mark> {
    const mark = this.#marks.get(event.id) ?? signal(CHECKING)
    this.#marks.set(event.id, mark)
    return mark
  }

  #moveTo(place: Place): void {
    this.place.value = place
    this.#moved(place)
  }

  /** Asks for the first events; for all else once they are there, as it would be in their way. */
  #begin(): void {
    this.pages.value.want(0, 1)
  }

  #makePages(): EventPages {
    let isFirst = true
    return new EventPages(this.#source, this.place.value, (events, signal) => {
      if (isFirst) this.#loadRest()
      isFirst = false
      this.#count()
      this.learnNames(events.map(({ actor }) => actor))
      this.columns.value = withColumns(this.columns.value, events)
      this.#verify(events, signal).catch(() => undefined)
    })
  }

  #makeLive(): LiveCount | undefined {
    const { live, count } = this.#source
    if (live === undefined) return undefined
    return new LiveCount({
      live: (...asked) => live.call(this.#source, ...asked),
      missed: async (signal) => {
        const before = this.pages.value.total.peek()
        return before === undefined
          ? undefined
          : (await count.call(this.#source, this.place.peek(), signal)) - before
      },
      page: document,
      random: Math.random
    })
  }

  /** What is not asked for before the list's first page is there. */
  #loadRest(): void {
    this.#loadHistogram()
    this.#loadSettings()
    const { filter, clock } = this.place.value
    // None that is recorded from now on was recorded before an end; it may well have happened before one.
    if (filter.to === undefined || clock === "occurred") this.#live?.begin(this.place.value)
  }

  /** Counts the marks of the events that are kept, once for many that come together. */
  #count(): void {
    this.#tallyTimer ??= setTimeout(() => {
      this.#tallyTimer = undefined
      const events = Array.from(this.pages.value.kept())
      this.tally.value = tallyOf(events.map(({ id }) => [id, (this.#marks.get(id)?.peek() ?? CHECKING).kind]))
    }, TALLY_PAUSE)
  }

  #loadHistogram(): void {
    this.#histogramAbort.abort()
    this.#histogramAbort = new AbortController()
    const { signal } = this.#histogramAbort
    this.#source.histogram(this.place.value, signal).then(
      (histogram) => {
        if (!signal.aborted) this.histogram.value = histogram
      },
      (error) => {
        if (signal.aborted) return
        // The list shows the error; it also works without the chart.
        this.histogram.value = null
        // It is counted meanwhile.
        if (error instanceof RequestRefused && "seconds" in error.refusal) {
          setTimeout(() => signal.aborted || this.#loadHistogram(), error.refusal.seconds * 1000)
        }
      }
    )
  }

  #fetch(id: string): void {
    const { signal } = new AbortController()
    const tell = (fetched: Fetched) => {
      this.#fetched.value = new Map([[id, fetched]])
    }
    this.#source.event(id, signal).then(
      (event) => {
        tell({ event })
        return this.#verify([event], signal)
      },
      (error: unknown) =>
        tell({ refusal: error instanceof RequestRefused ? error.refusal : { kind: "failed" } })
    )
  }

  #tell(id: string, mark: Mark): void {
    const known = this.#marks.get(id) ?? signal(mark)
    known.value = mark
    this.#count()
    // Added again at the end, so that the entry that was set longest ago is dropped first.
    this.#marks.delete(id)
    this.#marks.set(id, known)
    if (this.#marks.size > MAX_MARKS) {
      const oldest = this.#marks.keys().next()
      if (!oldest.done) this.#marks.delete(oldest.value)
    }
  }

  /** The verifier, which is loaded beside the first proofs: the list is there before. */
  async #loadVerifier(): Promise<EventVerifier> {
    const { EventVerifier } = await import("./verification/EventVerifier.ts")
    this.#verifier ??= new EventVerifier(this.#knowledge)
    return this.#verifier
  }

  async #verify(events: ReadonlyArray<Event>, signal: AbortSignal): Promise<void> {
    const chained = events.filter((event) => event.integrity.event_hash !== null)
    for (const event of events) {
      if (event.integrity.event_hash === null) this.#tell(event.id, { kind: "unchecked", reason: "no_hash" })
    }
    if (chained.length === 0) return
    try {
      const ids = chained.map((event) => event.id)
      const proofs = await this.#source.proofs(ids, signal)
      const verifier = await this.#loadVerifier()
      await verifier.verify(chained, proofs, (id, mark) => this.#tell(id, mark), signal)
    } catch {
      if (signal.aborted) return
      for (const { id } of chained) this.#tell(id, { kind: "unchecked", reason: "unreachable" })
    }
  }

  /** Loads how the workspace tells events, once. */
  #loadSettings(): void {
    if (this.#hasSettings) return
    this.#hasSettings = true
    this.#source.settings?.().then(
      ({ sentences }) => {
        this.sentences.value = sentences
      },
      // Events are worded as they would be without.
      () => undefined
    )
  }

  /** Loads the event that is open at the beginning. */
  start(): void {
    const { event } = this.place.value
    if (event !== undefined) this.openEvent(event)
  }
}
