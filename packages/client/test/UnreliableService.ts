/** A service and a network that fail in each way they can, by a seed, and what became of events in them. */
import type { SeededRandom } from "@cairn/testing"

interface Sent {
  readonly idempotency_key: string
  readonly metadata: { readonly kind: "good" | "wrong" | "malformed" | "blocked" }
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

const lost = (): never => {
  throw new TypeError("fetch failed")
}

/**
 * A service behind a network. Events of the kind `wrong` are refused, a body with one that is `malformed` is
 * refused whole, and one that is `blocked` never gets through; all others are recorded once for each key.
 */
export class UnreliableService {
  readonly recorded = new Map<string, number>()
  readonly #random: SeededRandom
  /** Fails of a hundred requests. */
  #failing: number
  #isBlocking = true

  constructor(random: SeededRandom, failing: number) {
    this.#random = random
    this.#failing = failing
  }

  /** From now on nothing fails, and nothing is blocked. */
  heal(): void {
    this.#failing = 0
    this.#isBlocking = false
  }

  readonly fetch = async (_: unknown, init: RequestInit = {}): Promise<Response> => {
    const body = JSON.parse(String(init.body))
    const events: ReadonlyArray<Sent> = body.events ?? [body]
    await new Promise((resolve) => setTimeout(resolve, this.#random.below(3)))
    if (this.#isBlocking && events.some(({ metadata }) => metadata.kind === "blocked")) {
      return new Response("<html>blocked</html>", { status: 403 })
    }
    if (this.#random.below(100) >= this.#failing) return this.#answer(events, body.events !== undefined)
    return this.#random.pick<() => Response | Promise<Response>>([
      lost,
      () => json(503, { error: "unavailable", message: "later" }, { "retry-after": "0" }),
      () => json(429, { error: "rate_limited", message: "later" }, { "retry-after": "0" }),
      () => json(500, { error: "internal", message: "failed" }),
      () => new Response("<html>bad gateway</html>", { status: 502 }),
      () => json(401, { error: "unauthenticated", message: "no key" }),
      // What was recorded, and its answer lost on the way, or cut, or of another form.
      () => {
        this.#answer(events, body.events !== undefined)
        return lost()
      },
      () => {
        this.#answer(events, body.events !== undefined)
        return new Response('{"events":[{"id"', { status: 202 })
      },
      () => {
        this.#answer(events, body.events !== undefined)
        return json(202, { events: [] })
      }
    ])()
  }

  #answer(events: ReadonlyArray<Sent>, isBatch: boolean): Response {
    if (events.some(({ metadata }) => metadata.kind === "malformed")) {
      return json(400, { error: "malformed_json", message: "a key is repeated" })
    }
    const items = events.map(({ idempotency_key: key, metadata }) => {
      if (metadata.kind === "wrong") {
        return { id: null, status: "rejected", error: "validation_failed", message: "wrong" }
      }
      const status = this.recorded.has(key) ? "duplicate" : "queued"
      this.recorded.set(key, (this.recorded.get(key) ?? 0) + (status === "queued" ? 1 : 0))
      return { id: `id-${key}`, status }
    })
    const [first] = items
    if (!isBatch && first?.status !== "rejected") return json(202, first)
    return items.every(({ status }) => status === "rejected")
      ? json(422, { error: "validation_failed", message: "wrong", ...(isBatch ? { events: items } : {}) })
      : json(202, { events: items })
  }
}
