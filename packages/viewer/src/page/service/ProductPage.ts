/**
 * The page of a product that has the viewer in a frame. Both send messages `{ type: "cairn.viewer.…", … }`.
 *
 * What is heard comes from that page's window and, where the address names its origin, from that origin
 * alone. What is reported goes to that origin alone: without one, only that the token has expired is
 * reported.
 */

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const PREFIX = "cairn.viewer."

/** Milliseconds within which a token that is asked for again was of no use. */
const USELESS = 10_000

/** Longest pause before a token is asked for again, in seconds. */
const LONGEST_PAUSE = 60

/** What the product's page may say, and what is done then. */
export interface Heard {
  /** It gives a token. */
  readonly token: (token: string) => void
  /** It names a place, as the address's query does. */
  readonly place: (parameters: URLSearchParams) => void
  /** It chooses how the page looks. */
  readonly appearance: (parameters: URLSearchParams) => void
}

/** The page around. */
export class ProductPage {
  readonly #window: Window
  readonly #origin: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #givenAt = Number.NEGATIVE_INFINITY
  #inVain = 0

  constructor(window: Window, origin: string | undefined) {
    this.#window = window
    this.#origin = origin
  }

  /** Whether it says which origin it has, and can be sent messages. */
  get isNamed(): boolean {
    return this.#origin !== undefined
  }

  /** Tells it something. */
  tell(name: "ready" | "height" | "place", members: Readonly<Record<string, unknown>>): void {
    if (this.#origin !== undefined)
      this.#window.postMessage({ type: PREFIX + name, ...members }, this.#origin)
  }

  /**
   * Asks for another token, because this one has `expired` or soon will. If the last one was of no use, each
   * time after a longer pause.
   */
  ask(name: "expiring" | "expired"): void {
    this.#inVain = performance.now() - this.#givenAt < USELESS ? this.#inVain + 1 : 0
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      // That it has expired says nothing that the page around does not know.
      () => this.#window.postMessage({ type: PREFIX + name }, this.#origin ?? "*"),
      Math.min(2 ** this.#inVain - 1, LONGEST_PAUSE) * 1000
    )
  }

  /** Hears what it says from now on. */
  listen(heard: Heard): void {
    addEventListener("message", ({ source, origin, data }) => {
      if (source !== this.#window || !isObject(data)) return
      if (this.#origin !== undefined && origin !== this.#origin) return
      const query = new URLSearchParams(typeof data.query === "string" ? data.query : "")
      switch (data.type) {
        case `${PREFIX}token`:
          if (typeof data.token !== "string") return
          clearTimeout(this.#timer)
          this.#givenAt = performance.now()
          return heard.token(data.token)
        case `${PREFIX}place`:
          return heard.place(query)
        case `${PREFIX}appearance`:
          return heard.appearance(query)
      }
    })
  }
}
