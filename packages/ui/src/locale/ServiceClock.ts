/** What time it is by the service's clock, for what a page says of times: "3 minutes ago", or expired. */
import { signal } from "@preact/signals"

/** Milliseconds by which the browser's clock may be wrong: an answer is on its way for a while, too. */
const TOLERATED = 60_000

/** Milliseconds by which two answers may differ: they tell whole seconds. */
const STEADY = 2_000

/** A clock that a page reads. */
export interface PageClock {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
}

/**
 * The browser's clock, put right by the service's answers where it is wrong by more than a minute. It decides
 * on words, periods and states that a page shows, and on nothing else: events are verified without it.
 */
export class ServiceClock implements PageClock {
  readonly #browser: () => number
  /** Components that have read the time are drawn again once it is put right. */
  readonly #offset = signal(0)

  constructor(browser: () => number = Date.now) {
    this.#browser = browser
  }

  readonly now = (): number => this.#browser() + this.#offset.value

  /**
   * An answer has just come to what was asked at `asked` by the browser's clock. One that was on its way for
   * long, lay in a store meanwhile, or has a date in no form of HTTP, tells nothing.
   */
  hear({ headers }: Pick<Response, "headers">, asked: number): void {
    const now = this.#browser()
    const text = headers.get("date")
    const date = new Date(text ?? "")
    if (Math.abs(now - asked) > TOLERATED || Number(headers.get("age")) > 0 || date.toUTCString() !== text)
      return
    const offset = date.getTime() - now
    const right = Math.abs(offset) > TOLERATED ? offset : 0
    if (Math.abs(right - this.#offset.value) > STEADY) this.#offset.value = right
  }

  /** Requests whose answers put it right. */
  listening(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (address, init) => {
      const asked = this.#browser()
      const answer = await fetch(address, init)
      this.hear(answer, asked)
      return answer
    }
  }
}
