/**
 * Ingesting without an Effect: from a request to the inbox's queue in one synchronous function, and from the
 * commit to the response in another. An Effect for each of these steps would cost several times as much.
 *
 * It only knows how a request goes well, by the same functions as all other requests. Where something is not
 * in memory, or is not as it should be, the request is passed on: as it came, as long as nothing was counted
 * or read, and else with what is left to be done.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Clock, Effect, Exit, LogLevel, Option, References, Result } from "effect"
import type { HttpMeters } from "../metrics/HttpMeters.ts"
import type { TurnWatch } from "../thread/TurnWatch.ts"
import type { RequestTraces } from "../trace/RequestTraces.ts"
import type { Endpoints } from "./endpoints/Endpoints.ts"
import type { AuthorizedRequest, PromptEndpoints } from "./gate/Endpoint.ts"
import type { ForwardedNotice } from "./gate/ForwardedNotice.ts"
import { admitPromptly, byKey, KEY_HOLDS_NANOS } from "./gate/Gate.ts"
import { type Admission, answerRead, authorized, type Guard, type Wanted } from "./gate/Guard.ts"
import { bodyLimit } from "./gate/RequestBody.ts"
import { SMALL_ANSWER, WIDE } from "./limits/AnswerBudget.ts"
import type { Answer, AnswerHeaders } from "./plumbing/Answer.ts"
import type { ApiError } from "./plumbing/ApiError.ts"
import { collectText, rejectedByType } from "./plumbing/Body.ts"
import { asApiError, type DomainError } from "./plumbing/DomainErrors.ts"
import { Exchange } from "./plumbing/Exchange.ts"
import { type RequestFront, ServerFront } from "./plumbing/NodeServer.ts"
import { isSlow } from "./plumbing/RequestLog.ts"
import { match, type Route } from "./plumbing/Routes.ts"

/** A request that was taken, and what is left to be done for its answer. */
export interface HandedOver {
  readonly exchange: Exchange
  readonly work: Effect.Effect<Answer, ApiError>
}

/** What requests are handled with. */
interface App {
  readonly guard: Guard
  readonly endpoints: Pick<Endpoints, "guarded" | "prompt" | "counted">
  readonly forwarded: ForwardedNotice
  readonly closed: () => Option.Option<ApiError>
  readonly isLeaving: () => boolean
  readonly turns: (typeof TurnWatch)["Service"]
  readonly meters: HttpMeters
  readonly traces: RequestTraces | undefined
  readonly newId: () => string
}

/** What the requests of a server are answered with. */
interface Means extends App {
  readonly prompt: PromptEndpoints
  readonly front: RequestFront
  readonly clock: Clock.Clock
  readonly read: NonNullable<Guard["clock"]["read"]>
  /** The requests that were taken and passed on. */
  readonly handed: WeakMap<object, HandedOver>
  /** The requests that were taken and whose bodies are still to come. */
  readonly reading: Set<Ingesting>
}

/** A route of one of these endpoints. */
interface PromptRoute extends Route {
  readonly name: keyof PromptEndpoints
}

const isPrompt = (route: Route, prompt: PromptEndpoints): route is PromptRoute =>
  Object.hasOwn(prompt, route.name)

const routeOf = ({ method, url }: IncomingMessage, prompt: PromptEndpoints): PromptRoute | undefined => {
  if (method !== "POST" || url === undefined) return undefined
  const found = match(method, url)
  return found.kind === "route" && isPrompt(found.route, prompt) ? found.route : undefined
}

/** Whether a request has a body of JSON in one piece, so that there is nothing to say before it is read. */
const isPlain = ({ headers }: IncomingMessage, { name }: Route): boolean => {
  const length = Number(headers["content-length"])
  if (!(length > 0 && length <= bodyLimit(name))) return false
  if (headers["transfer-encoding"] !== undefined || headers.expect !== undefined) return false
  return rejectedByType(headers) === undefined
}

/** The headers as Node takes them soonest: names and values in turn. */
const flat = (headers: AnswerHeaders, { contentType }: Answer, text: string): Array<string> => {
  const list: Array<string> = []
  for (const name in headers) list.push(name, headers[name] as string)
  list.push("content-type", contentType, "content-length", String(Buffer.byteLength(text)))
  return list
}

/** A request on this way. */
class Ingesting {
  readonly #means: Means
  readonly #wanted: Pick<Wanted, "exchange" | "id">
  readonly #route: PromptRoute
  readonly #admission: Admission
  readonly #since: bigint

  constructor(means: Means, exchange: Exchange, route: PromptRoute, admission: Admission) {
    this.#means = means
    this.#wanted = { exchange, id: "" }
    this.#route = route
    this.#admission = admission
    this.#since = means.clock.monotonicTimeNanosUnsafe()
  }

  /** Reads the body, and goes on once it is there. */
  read(): void {
    this.#means.reading.add(this)
    collectText(this.#wanted.exchange.message, bodyLimit(this.#route.name), this.#proceed)
  }

  /** Ends a request whose body nobody waits for any more, as one is ended whose fiber is interrupted. */
  giveUp(): void {
    const { response } = this.#wanted.exchange
    response.writeHead(503).end()
  }

  readonly #proceed = (text: Result.Result<string, ApiError>): void => {
    this.#means.reading.delete(this)
    const { exchange } = this.#wanted
    // The client has gone away, or nobody waits for it.
    if (exchange.response.destroyed || exchange.response.writableEnded) return
    this.#means.turns.touched(exchange)
    try {
      if (Result.isFailure(text)) this.#handOver(Effect.fail(text.failure))
      else this.#begin(text.success)
    } catch (defect) {
      this.#handOver(Effect.die(defect))
    }
  }

  #begin(body: string): void {
    const { guard, endpoints, prompt, clock, read } = this.#means
    const { name } = this.#route
    const holds = clock.monotonicTimeNanosUnsafe() - this.#since < KEY_HOLDS_NANOS
    const now = read()
    const wanted = () => ({ ...this.#wanted, route: this.#route, endpoint: endpoints.guarded[name] })
    const stillAdmitted = () => byKey(guard, wanted()).still
    if (holds && Result.isSuccess(now)) {
      const read = { body, now: now.success, stillAdmitted }
      const request = authorized(guard, this.#wanted, this.#admission, read)
      if (prompt[name](request, (exit) => this.#end(request, exit))) return
    }
    const admit = holds ? Effect.succeed(this.#admission) : byKey(guard, wanted()).again
    this.#handOver(answerRead(guard, wanted(), { admit, still: stillAdmitted }, body))
  }

  #end(request: AuthorizedRequest, ended: () => Exit.Exit<Answer, DomainError>): void {
    try {
      // The client has gone away.
      if (request.response.destroyed) return
      const exit = ended()
      if (Exit.isSuccess(exit) && this.#isWritten(exit.value)) return
      this.#handOver(this.#means.endpoints.counted(this.#route.name, () => asApiError(exit))(request))
    } catch (defect) {
      this.#handOver(Effect.die(defect))
    }
  }

  /** Writes an answer, unless there is more to do about it than to write it. */
  #isWritten(answer: Answer): boolean {
    const { isLeaving, clock, turns, meters, traces } = this.#means
    const { exchange } = this.#wanted
    const { body, status } = answer
    if (typeof body !== "string" || body.length * WIDE > SMALL_ANSWER) return false
    const millis = clock.currentTimeMillisUnsafe() - exchange.begun
    if (isLeaving() || isSlow(millis)) return false
    turns.touched(exchange)
    meters.answered(exchange, status, millis)
    traces?.end(exchange, status)
    exchange.response.writeHead(status, flat(exchange.headers, answer, body))
    exchange.response.end(body)
    return true
  }

  #handOver(work: HandedOver["work"]): void {
    const { handed, front } = this.#means
    const { exchange } = this.#wanted
    const { message, response } = exchange
    handed.set(message, { exchange, work })
    front.pass(message, response)
  }
}

/** Takes a request, if everything that decides about it is there. */
const take = (means: Means, message: IncomingMessage, response: ServerResponse): boolean => {
  const { prompt, forwarded, closed, clock, guard, turns } = means
  const route = routeOf(message, prompt)
  if (route === undefined || !isPlain(message, route)) return false
  if (forwarded.isDue(message) || Option.isSome(closed())) return false
  const begun = clock.currentTimeMillisUnsafe()
  const exchange = new Exchange({ message, response, url: route.template, begun }, means.newId)
  const admission = admitPromptly(guard, exchange, route)
  if (admission === undefined) return false
  exchange.route = route.template
  means.traces?.begin(exchange)
  turns.touched(exchange)
  new Ingesting(means, exchange, route, admission).read()
  return true
}

/** Takes requests at the server's front, if it can. Tells which were handed over. */
export const makePromptIngest = Effect.fnUntraced(function* (app: App) {
  const handed = new WeakMap<object, HandedOver>()
  const handedOver = (message: object): HandedOver | undefined => handed.get(message)
  const { prompt } = app.endpoints
  const { read } = app.guard.clock
  // A line for each request is written on the other way.
  const isLogged = !LogLevel.isGreaterThan(yield* References.MinimumLogLevel, "Debug")
  if (isLogged || prompt === undefined || read === undefined) return { handedOver }
  const front = yield* ServerFront
  const clock = yield* Clock.Clock
  const means: Means = { ...app, prompt, front, clock, read, handed, reading: new Set() }
  front.take = (message, response) => take(means, message, response)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      front.take = () => false
      // The server has already waited its full time for these requests.
      for (const ingesting of means.reading) ingesting.giveUp()
      means.reading.clear()
    })
  )
  return { handedOver }
})
