/**
 * Watches for long turns of the event loop, in which no request is answered: counts them, and logs which
 * routes ran in them and what they waited for.
 *
 * A turn in which a request began or ended is measured from there to its end, once for all of its requests.
 * What runs long without either is found by a timer that comes late; its length is known to within the
 * timer's period then, and its routes are those of the requests that began or ended in it or in the moment
 * before it.
 */
import { LOG_METRICS, Meters, StoreWait } from "@cairn/core/log"
import { Clock, Context, Effect, Layer } from "effect"
import { SERVER_METRICS } from "../metrics/ServerFamilies.ts"
import type { ThreadName } from "../metrics/ThreadMeters.ts"

/** A turn that is longer than this many milliseconds is counted. */
export const LONG_TURN_MILLIS = 200
/** How often the timer comes, in milliseconds. */
const PERIOD_MILLIS = 50
/** How often there is a look at what was gathered: nearly always nothing. */
const LOOK_EVERY = "1 second"
/** Least milliseconds between two lines. */
const LINE_EVERY_MILLIS = 60_000
/** Most routes that one line names. */
const MOST_ROUTES = 16

/** Something whose route is known once the turn is over. */
interface Routed {
  readonly route: string
}

/** What a line says of the turns since the one before it. */
export interface LongTurns {
  /** How many there were. */
  readonly turns: number
  /**
   * The longest of them, in milliseconds, and what most of it was spent in: waiting for a commit, or running
   * code.
   */
  readonly longest: number
  readonly spentIn: "commit" | "code"
  /** Routes whose requests began or ended in them. */
  readonly routes: ReadonlyArray<string>
}

/**
 * Gathers turns, at the cost of a comparison for each request and an immediate for each turn that has any.
 */
export class TurnLog {
  readonly #now: () => number
  readonly #late: (millis: number) => void
  readonly #requests = new Set<Routed>()
  /** Since the timer came last. */
  readonly #recent = new Set<Routed>()
  #begun: number | undefined
  #tickedAt: number
  #committed = 0
  #noted = false
  #turns = 0
  #uncounted = 0
  #longest = 0
  #longestCommitted = 0
  readonly #routes = new Set<string>()

  /**
   * `now` is a clock in milliseconds that never steps back; `late` gets how many of them the timer was late,
   * each time that it comes.
   */
  constructor(now: () => number, late: (millis: number) => void = () => {}) {
    this.#now = now
    this.#late = late
    this.#tickedAt = now()
  }

  /** A request begins or ends in this turn. */
  readonly touched = (request: Routed): void => {
    if (this.#begun !== undefined && this.#requests.has(request)) return
    this.#requests.add(request)
    this.#recent.add(request)
    this.#begin(0)
  }

  /** The thread stood still for a commit, after which its requests end. */
  readonly committed = (millis: number): void => {
    this.#committed += millis
    this.#begin(millis)
  }

  /** The timer comes. */
  readonly tick = (): void => {
    const now = this.#now()
    // The turn that kept the timer began before the timer was due.
    const late = now - this.#tickedAt - PERIOD_MILLIS
    this.#tickedAt = now
    this.#late(Math.max(0, late))
    if (late > LONG_TURN_MILLIS && !this.#noted) this.#note(late, this.#recent)
    this.#noted = false
    this.#recent.clear()
  }

  /** How many long turns there were since the last call. */
  count(): number {
    const counted = this.#uncounted
    this.#uncounted = 0
    return counted
  }

  /** What the next line says; each turn is reported once. */
  take(): LongTurns | undefined {
    if (this.#turns === 0) return undefined
    const spentIn = this.#longestCommitted * 2 >= this.#longest ? "commit" : "code"
    const routes = [...this.#routes].sort()
    const taken = { turns: this.#turns, longest: Math.round(this.#longest), spentIn, routes } as const
    this.#turns = 0
    this.#longest = 0
    this.#longestCommitted = 0
    this.#routes.clear()
    return taken
  }

  #begin(ago: number): void {
    if (this.#begun !== undefined) return
    this.#begun = this.#now() - ago
    setImmediate(this.#ended)
  }

  readonly #ended = (): void => {
    const took = this.#now() - (this.#begun ?? this.#now())
    this.#begun = undefined
    if (took > LONG_TURN_MILLIS) {
      // The timer, which is late for the same reason, is not to count it again.
      this.#noted = true
      this.#note(took, this.#requests)
    }
    this.#requests.clear()
    this.#committed = 0
  }

  #note(millis: number, requests: Iterable<Routed>): void {
    this.#turns += 1
    this.#uncounted += 1
    for (const { route } of requests) {
      if (route !== "" && this.#routes.size < MOST_ROUTES) this.#routes.add(route)
    }
    if (millis <= this.#longest) return
    this.#longest = millis
    this.#longestCommitted = this.#committed
  }
}

/** Notified of every request that begins or ends; does nothing unless {@link layer} is provided. */
export const TurnWatch = Context.Reference<{ readonly touched: (request: Routed) => void }>(
  "@cairn/server/TurnWatch",
  { defaultValue: () => ({ touched: () => {} }) }
)

/** Logs the long turns, at most one line a minute. Never ends. */
export const report = Effect.fnUntraced(function* (turns: TurnLog, thread: ThreadName = "main") {
  const longTurns = (yield* Meters).counter(SERVER_METRICS.longTurns, { thread })
  let loggedAt = Number.NEGATIVE_INFINITY
  let total = 0
  const look = Effect.gen(function* () {
    longTurns.value += turns.count()
    const now = yield* Clock.currentTimeMillis
    if (Math.abs(now - loggedAt) < LINE_EVERY_MILLIS) return
    const said = turns.take()
    if (said === undefined) return
    loggedAt = now
    total += said.turns
    const { longest, spentIn, routes } = said
    yield* Effect.logWarning(
      `The event loop${thread === "main" ? "" : ` of the ${thread} thread`} stood still for up to ${longest} ms, in which no request was answered`
    ).pipe(
      Effect.annotateLogs({
        thread,
        turns: said.turns,
        total,
        longest,
        spentIn,
        [thread === "main" ? "routes" : "work"]: routes.join(" ")
      })
    )
  })
  return yield* Effect.forever(Effect.andThen(Effect.sleep(LOOK_EVERY), look))
})

/** Watches the thread that it is built on. */
export const layer = (thread: ThreadName) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const meters = yield* Meters
      const delay = meters.histogram(SERVER_METRICS.loopDelay, { thread })
      const commits = meters.histogram(LOG_METRICS.databaseTime, { operation: "accept" })
      const turns = new TurnLog(
        () => performance.now(),
        (millis) => delay.observe(millis / 1_000)
      )
      const committed = (millis: number): void => {
        turns.committed(millis)
        commits.observe(millis / 1_000)
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => setInterval(turns.tick, PERIOD_MILLIS)),
        (timer) => Effect.sync(() => clearInterval(timer))
      )
      yield* Effect.forkScoped(report(turns, thread))
      return Context.make(TurnWatch, { touched: turns.touched }).pipe(Context.add(StoreWait, committed))
    })
  )
