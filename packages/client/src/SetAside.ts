/** Events that do not get through while others do wait apart, so that they hold up nothing. */
import { backoff, letGo, type Retry } from "./Backoff.ts"
import { later } from "./Deadline.ts"
import type { CairnError } from "./Errors.ts"
import type { Outcome, PreparedEvent } from "./Prepared.ts"
import type { Sent } from "./Sender.ts"

/** Most events that wait apart; if more do not get through, the whole queue waits. */
const MOST = 100

/** Milliseconds after which a try has certainly failed. */
const LONGEST_TRY = 35_000

/** An event that waits apart. */
interface Held {
  readonly event: PreparedEvent
  tries: number
  /** When it is tried again, by `performance.now()`. */
  at: number
  /** Whether another event got through since: it is the event, and not the service. */
  isSure: boolean
  /** Which of the flushes is the last to wait for a try, and which the last that has had its try. */
  asked: number
  answered: number
}

/** What events that wait apart are sent with. */
export interface SetAsideOptions {
  /** Sends one event. Rejects only when all ends. */
  readonly send: (event: PreparedEvent) => Promise<Sent>
  /** Called when there is something to settle or to send again. */
  readonly wake: () => void
  /** Hears of each try that failed. */
  readonly report: (error: CairnError, event: PreparedEvent) => void
  /** The longest wait now: short while all ends, which waits for each to get through. */
  readonly longestMillis: () => number
  readonly retry?: Retry | undefined
}

/**
 * The events that wait apart, taken from a queue and neither settled nor released. They are sent one at a
 * time, beside what is sent otherwise, each after a wait of its own that doubles: from 2 seconds to 5 minutes
 * unless {@link Retry} says otherwise.
 */
export class SetAside {
  readonly #options: SetAsideOptions
  readonly #held = new Map<string, Held>()
  #outcomes: ReadonlyArray<Outcome> = []
  #asks = 0
  /** Until when one is in progress, unless what it waits for is dead. */
  #sendingUntil = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: SetAsideOptions) {
    this.#options = options
  }

  /** How many there are. */
  get size(): number {
    return this.#held.size
  }

  /**
   * Sets an event aside, unless there are too many. `isMixed`: others got through beside it, so that it is
   * the event that does not; as it is where this is known of another.
   */
  add(event: PreparedEvent, { isMixed, isAsked }: { isMixed: boolean; isAsked: boolean }): boolean {
    if (this.#held.size >= MOST) return false
    const isSure = [...this.#held.values()].some((held) => held.isSure) || isMixed
    const held = { event, tries: 1, at: 0, isSure, asked: isAsked ? this.#asks : 0, answered: 0 }
    this.#wait(held)
    this.#held.set(event.key, held)
    return true
  }

  /** Says that another event got through: all events whose tries failed are tried again soon. */
  confirm(): void {
    for (const held of this.#held.values()) {
      if (held.isSure) continue
      held.isSure = true
      held.at = 0
    }
  }

  /** Tries all of them now. */
  ask(): void {
    this.#asks++
    for (const held of this.#held.values()) {
      held.at = 0
      held.asked = this.#asks
    }
  }

  /** Whether a flush has to wait for one of them. */
  get isAsked(): boolean {
    return this.#outcomes.length > 0 || [...this.#held.values()].some((held) => held.asked > held.answered)
  }

  /** What became of those that got through or were refused. They stay here until they are {@link remove}d. */
  get outcomes(): ReadonlyArray<Outcome> {
    return this.#outcomes
  }

  /** Forgets the settled {@link outcomes}. */
  remove(): void {
    for (const { key } of this.#outcomes) this.#held.delete(key)
    this.#outcomes = []
  }

  /** The events of the outcomes, and others. */
  get events(): ReadonlyArray<PreparedEvent> {
    return [...this.#held.values()].map(({ event }) => event)
  }

  /**
   * Sends the one whose time has come, unless one is in progress; otherwise wakes when the next one's has.
   */
  next(): void {
    clearTimeout(this.#timer)
    if (performance.now() < this.#sendingUntil || this.#outcomes.length > 0) return
    let first: Held | undefined
    for (const held of this.#held.values()) if (first === undefined || held.at < first.at) first = held
    if (first === undefined) return
    const wait = first.at - performance.now()
    if (wait <= 0) return void this.#try(first)
    this.#timer = later(this.#options.wake, wait)
    letGo(this.#timer)
  }

  async #try(held: Held): Promise<void> {
    this.#sendingUntil = performance.now() + LONGEST_TRY
    const { asked } = held
    try {
      const { outcomes, error } = await this.#options.send(held.event)
      if (error === undefined) this.#outcomes = outcomes
      else this.#failed(held, error, asked)
    } catch {
      // All ends: it stays in its queue.
      return
    } finally {
      this.#sendingUntil = 0
    }
    this.#options.wake()
  }

  #failed(held: Held, error: CairnError, asked: number): void {
    held.tries++
    // Of one that may only be unlucky a flush waits for the next try too, and an end for that of each.
    if (held.isSure && this.#options.longestMillis() === Number.POSITIVE_INFINITY) held.answered = asked
    this.#wait(held, error)
    if (held.asked > asked) held.at = 0
    this.#options.report(error, held.event)
  }

  #wait(held: Held, error?: CairnError): void {
    const { baseMillis = 200, maxMillis = 30_000 } = this.#options.retry ?? {}
    const times = held.isSure ? 10 : 1
    const retry = { baseMillis: baseMillis * times, maxMillis: maxMillis * times }
    const wait = Math.min(backoff(held.tries, error, retry), this.#options.longestMillis())
    held.at = performance.now() + wait
  }
}
