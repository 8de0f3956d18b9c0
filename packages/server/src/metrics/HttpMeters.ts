/** What requests are metered by: how many there were, how long they took, and why they were refused. */
import { type MeterSet, Meters, type MetricCounter, type MetricHistogram } from "@cairn/core/log"
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
  readonly requests: CountersBy<number>
}

/** The counters of a family by one of its labels, each made when it is first needed. */
class CountersBy<Value extends string | number> {
  readonly #known = new Map<Value, MetricCounter>()
  readonly #make: (value: Value) => MetricCounter

  constructor(make: (value: Value) => MetricCounter) {
    this.#make = make
  }

  of(value: Value): MetricCounter {
    return this.#known.get(value) ?? this.#new(value)
  }

  #new(value: Value): MetricCounter {
    const counter = this.#make(value)
    this.#known.set(value, counter)
    return counter
  }
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
  readonly #errors: CountersBy<string>
  readonly #limits: CountersBy<string>

  constructor(meters: MeterSet) {
    this.#meters = meters
    this.#limits = new CountersBy((limit) => meters.counter(SERVER_METRICS.limited, { limit }))
    this.#errors = new CountersBy((code) => meters.counter(SERVER_METRICS.errors, { code }))
    for (const limit of LIMITS) this.#limits.of(limit)
    for (const code of SERVER_METRICS.errors.labels.code) this.#errors.of(code)
  }

  /** A request was answered, so many milliseconds after it came. */
  answered({ route, method }: Answered, status: number, millis: number): void {
    const { duration, requests } = this.#meterOf(route, method)
    // The wall clock may have stepped back.
    duration.observe(millis > 0 ? millis / 1_000 : 0)
    requests.of(status).value += 1
  }

  /** A request was refused, or failed. */
  refused({ code, limit }: Pick<ApiError, "code" | "limit">): void {
    this.#errors.of(code).value += 1
    if (limit !== undefined) this.#limits.of(limit).value += 1
  }

  #meterOf(route: string, method: string): RouteMeter {
    return this.#routes.get(route)?.get(method) ?? this.#newMeter(route, method)
  }

  #newMeter(route: string, method: string): RouteMeter {
    const labels = labelsOf(route, method)
    const meter: RouteMeter = {
      duration: this.#meters.histogram(SERVER_METRICS.requestDuration, labels),
      requests: new CountersBy((status) =>
        this.#meters.counter(SERVER_METRICS.requests, { ...labels, status: String(status) })
      )
    }
    const methods = this.#routes.get(route) ?? new Map<string, RouteMeter>()
    this.#routes.set(route, methods.set(method, meter))
    return meter
  }
}

const labelsOf = (route: string, method: string) =>
  route === ""
    ? { method: OTHER, route: OTHER }
    : { method: KNOWN_METHODS.has(method) ? method : OTHER, route }

/** Those of the server. */
export const makeHttpMeters = Effect.map(Meters, (meters) => new HttpMeters(meters))
