/** What requests are metered by: how many there were, how long they took, and why they were refused. */
import {
  type MeterSet,
  Meters,
  type MetricCounter,
  type MetricFamily,
  type MetricHistogram
} from "@cairn/core/log"
import { Effect } from "effect"
import type { ApiError } from "../http/plumbing/ApiError.ts"
import { LIMITS, SERVER_METRICS } from "./ServerFamilies.ts"

/** A request that was answered. */
interface Answered {
  readonly method: string
  /** The path's template; empty where none was found. */
  readonly route: string
}

/** What is metered of a method on a route. */
interface RouteMeter {
  readonly duration: MetricHistogram
  /** By status. */
  readonly requests: Map<number, MetricCounter>
}

/** The methods that the contract has: no other is shown, whatever clients send. */
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS"
])

const OTHER = "other"

/** The meters of a server's requests. A request that is known costs three look-ups and three additions. */
export class HttpMeters {
  readonly #meters: MeterSet
  readonly #routes = new Map<string, Map<string, RouteMeter>>()
  readonly #errors = new Map<string, MetricCounter>()
  readonly #limits = new Map<string, MetricCounter>()

  constructor(meters: MeterSet) {
    this.#meters = meters
    for (const limit of LIMITS) this.#of(this.#limits, SERVER_METRICS.limited, "limit", limit)
    for (const code of SERVER_METRICS.errors.labels.code)
      this.#of(this.#errors, SERVER_METRICS.errors, "code", code)
  }

  /** A request was answered, so many milliseconds after it came. */
  answered({ route, method }: Answered, status: number, millis: number): void {
    const { duration, requests } = this.#meterOf(route, method)
    // The wall clock may have stepped back.
    duration.observe(millis > 0 ? millis / 1_000 : 0)
    const counter = requests.get(status) ?? this.#counterOf(requests, route, method, status)
    counter.value += 1
  }

  /** A request was refused, or failed. */
  refused({ code, limit }: Pick<ApiError, "code" | "limit">): void {
    this.#of(this.#errors, SERVER_METRICS.errors, "code", code).value += 1
    if (limit !== undefined) this.#of(this.#limits, SERVER_METRICS.limited, "limit", limit).value += 1
  }

  #meterOf(route: string, method: string): RouteMeter {
    return this.#routes.get(route)?.get(method) ?? this.#newMeter(route, method)
  }

  #newMeter(route: string, method: string): RouteMeter {
    const labels = labelsOf(route, method)
    const meter: RouteMeter = {
      duration: this.#meters.histogram(SERVER_METRICS.requestDuration, labels),
      requests: new Map()
    }
    const methods = this.#routes.get(route) ?? new Map<string, RouteMeter>()
    this.#routes.set(route, methods.set(method, meter))
    return meter
  }

  #counterOf(
    requests: Map<number, MetricCounter>,
    route: string,
    method: string,
    status: number
  ): MetricCounter {
    const labels = { ...labelsOf(route, method), status: String(status) }
    const counter = this.#meters.counter(SERVER_METRICS.requests, labels)
    requests.set(status, counter)
    return counter
  }

  #of(
    counters: Map<string, MetricCounter>,
    family: MetricFamily,
    label: string,
    value: string
  ): MetricCounter {
    const known = counters.get(value)
    if (known !== undefined) return known
    const counter = this.#meters.counter(family, { [label]: value })
    counters.set(value, counter)
    return counter
  }
}

const labelsOf = (route: string, method: string) =>
  route === ""
    ? { method: OTHER, route: OTHER }
    : { method: KNOWN_METHODS.has(method) ? method : OTHER, route }

/** Those of the server. */
export const makeHttpMeters = Effect.map(Meters, (meters) => new HttpMeters(meters))
