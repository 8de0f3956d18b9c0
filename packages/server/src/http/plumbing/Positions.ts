/**
 * `X-Cairn-Position`: how far the database was written when a change had been made, and what a read must see.
 */
import {
  formatPosition,
  laterPosition,
  type ReachedPosition,
  Replicas,
  type ReplicasShape,
  type StorePosition
} from "@cairn/core/log"
import { Effect, Option } from "effect"
import { makePositionSeal, type PositionSeal } from "../../secret/PositionSeal.ts"
import { ReadNeeds } from "../../thread/ReadNeeds.ts"
import type { AuthorizedRequest, Endpoint } from "../gate/Endpoint.ts"
import type { Answer } from "./Answer.ts"
import { type ApiError, invalidParameter } from "./ApiError.ts"
import type { Exchange } from "./Exchange.ts"
import { type ChangeSeen, makeOwnChanges } from "./OwnChanges.ts"

const NAME = "X-Cairn-Position"
const HEADER = "x-cairn-position"

/** A page that follows another must know all that the other has shown. */
const FOLLOWS = /(?:^|&)cursor=/

/** Ingesting, after which nobody reads but who sends the position. */
const isIngest = ({ route }: Exchange): boolean =>
  route === "/api/v1/events" || route === "/api/v1/events/batch"

/** The positions of a server's answers. */
export interface Positions {
  /** The answer to a change that was made, with the position at which it is seen. */
  readonly confirmed: (exchange: Exchange, given: Answer) => Effect.Effect<Answer>
  /** An endpoint whose reads see what the request needs. */
  readonly reading: (endpoint: Endpoint) => Endpoint
}

/** What a request says that it has seen; undefined for nothing, `unknown` if this server cannot tell what. */
const readHeader = (
  { open }: PositionSeal,
  { response }: AuthorizedRequest
): Effect.Effect<ChangeSeen | undefined, ApiError> => {
  const text = response.req.headers[HEADER]
  if (text === undefined) return Effect.succeed(undefined)
  const position = typeof text === "string" ? open(text) : undefined
  return position === undefined
    ? Effect.fail(invalidParameter(NAME, "must be the value of a previous response"))
    : Effect.succeed(position)
}

/** Both; one of another database alone, which no replica of this one has. */
const both = (asked: StorePosition, own: StorePosition): StorePosition =>
  asked.system === own.system && asked.timeline < own.timeline ? own : laterPosition(own, asked)

const makeOver = (position: ReplicasShape["position"], seal: PositionSeal): Positions => {
  /** The changes of this server that were not events. */
  const changes = makeOwnChanges()
  /** The newest one, sealed once for all whose changes one question to the database covers. */
  let newest: { readonly at: ReachedPosition; readonly text: string } | undefined

  const sealed = (at: ReachedPosition): string => {
    if (newest?.at === at) return newest.text
    const text = seal.seal(at)
    newest = { at, text }
    return text
  }

  const needsOf = (workspaceId: string, asked: ChangeSeen | undefined): string => {
    const own = changes.of(workspaceId)
    if (own === "unknown" || asked === "unknown") return "now"
    const needed = asked === undefined || own === undefined ? (asked ?? own) : both(asked, own)
    return needed === undefined ? "" : formatPosition(needed)
  }

  const confirmed = (exchange: Exchange, given: Answer): Effect.Effect<Answer> => {
    const isChange = exchange.method !== "GET" && exchange.method !== "HEAD" && given.status < 400
    if (position === null || !isChange) return Effect.succeed(given)
    const answered = changes.asking()
    return Effect.map(Effect.option(position), (found) => {
      const at = Option.getOrUndefined(found)
      const { workspaceId } = exchange
      if (workspaceId !== undefined && !isIngest(exchange)) answered(workspaceId, at ?? "unknown")
      return at === undefined ? given : { ...given, headers: { ...given.headers, [HEADER]: sealed(at) } }
    })
  }

  const reading =
    (endpoint: Endpoint): Endpoint =>
    (request) =>
      Effect.flatMap(readHeader(seal, request), (asked) => {
        if (position === null) return endpoint(request)
        const follows =
          FOLLOWS.test(request.query) || request.response.req.headers["if-none-match"] !== undefined
        const needs = follows ? "now" : needsOf(request.profile.workspace.id, asked)
        return Effect.provideService(endpoint(request), ReadNeeds, needs)
      })

  return { confirmed, reading }
}

/**
 * Makes them, sealed with these keys, newest first. Where there are no replicas there are none, and what
 * requests say of them is only checked.
 */
export const makePositions = (secretKeys: ReadonlyArray<string>): Effect.Effect<Positions> =>
  Effect.map(Replicas, ({ position }) => makeOver(position, makePositionSeal(secretKeys)))
