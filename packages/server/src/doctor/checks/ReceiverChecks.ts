/** Checks of where customers let things be sent: guarded as a delivery is, and sent nothing. */
import { LogStreams, Webhooks } from "@cairn/core/outbound"
import {
  decodeDestination,
  type OutboundFailed,
  OutboundGuard,
  type OutboundPlace,
  placeOfUrl,
  reachOutbound
} from "@cairn/delivery"
import { Effect, Result } from "effect"
import { layerOutboundGuard } from "../../layers/OutboundGuard.ts"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, type Finding, warning } from "../Check.ts"
import { Skipped } from "../Skipped.ts"
import { upToDate } from "../WholeDatabase.ts"
import { layerSealed } from "./SecretKeyChecks.ts"

/** A destination of a customer. */
interface Receiver {
  readonly id: string
  /** Undefined if its address cannot be read. */
  readonly place: OutboundPlace | undefined
  /** Why it is refused before a connection, if it is. */
  readonly refusal: string | undefined
}

/** Why a receiver is not reached; undefined if it is. */
interface Outcome {
  readonly id: string
  readonly why: "refused" | "unreadable" | OutboundFailed["reason"] | undefined
}

const outcome = (id: string, why: Outcome["why"]): Outcome => ({ id, why })

/** Receivers that are connected to at a time, and at most. */
const RECEIVERS = { atOnce: 16, most: 500 }

const REACH_MILLIS = 4_000

/** What the guard or the network says about a receiver, which is the customer's to mend. */
const unreached = (receivers: ReadonlyArray<Receiver>) =>
  Effect.gen(function* () {
    const guard = yield* OutboundGuard
    const outcomes = yield* Effect.forEach(
      receivers.slice(0, RECEIVERS.most),
      ({ id, place, refusal }): Effect.Effect<Outcome> => {
        if (refusal !== undefined) return Effect.succeed(outcome(id, "refused"))
        if (place === undefined) return Effect.succeed(outcome(id, "unreadable"))
        return reachOutbound(guard, place, REACH_MILLIS).pipe(
          Effect.as(outcome(id, undefined)),
          Effect.catchTags({
            OutboundRefused: () => Effect.succeed(outcome(id, "refused")),
            OutboundFailed: ({ reason }) => Effect.succeed(outcome(id, reason))
          })
        )
      },
      { concurrency: RECEIVERS.atOnce }
    )
    return Map.groupBy(
      outcomes.flatMap(({ id, why }) => (why === undefined ? [] : [{ id, why }])),
      ({ why }) => why
    )
  })

const WHY = {
  refused: [
    "lead to an address that is not public, or to none",
    "correct their addresses; CAIRN_OUTBOUND_ALLOW and CAIRN_OUTBOUND_HTTP say what else may be called"
  ],
  unreadable: ["have an address that cannot be read", "enter their destinations again"],
  timeout: [
    "do not take a connection in time",
    "tell their owners, or open the way out of this machine (firewall)"
  ],
  connection: ["refuse a connection", "tell their owners, or open the way out of this machine (firewall)"],
  certificate: ["have a certificate that is not trusted", "tell their owners to renew it"]
} as const

/** One finding for each reason: of a thousand that cannot be reached it says so once. */
const ofReceivers = (
  kind: string,
  found: Effect.Success<ReturnType<typeof unreached>>
): ReadonlyArray<Finding> =>
  Array.from(found, ([why, failing]) => {
    const [does, mend] = WHY[why]
    return warning(
      `${failing.length} of the ${kind} ${does}`,
      mend,
      failing.slice(0, 20).map(({ id }) => id)
    )
  })

const needs = [SETTINGS.database.name, SETTINGS.outboundAllow.name, SETTINGS.outboundHttp.name]

const webhooks: Check = {
  id: "webhooks",
  title: "Webhooks",
  looks:
    "Whether the receivers of webhooks that are on take a connection, guarded as a delivery; nothing is sent",
  needs,
  run: (patient) =>
    Effect.gen(function* () {
      const database = yield* upToDate(patient)
      return yield* Effect.gen(function* () {
        const { checkUrl } = yield* OutboundGuard
        const on = (yield* (yield* Webhooks).all).filter(({ enabled }) => enabled)
        if (on.length === 0) return yield* new Skipped({ reason: "there is no webhook" })
        const receivers = on.map(({ id, url }): Receiver => {
          const checked = checkUrl(url)
          return Result.isSuccess(checked)
            ? { id, place: placeOfUrl(checked.success), refusal: undefined }
            : { id, place: undefined, refusal: checked.failure.message }
        })
        return ofReceivers("webhooks", yield* unreached(receivers))
      }).pipe(Effect.provide([layerSealed(database), layerOutboundGuard(patient.settings.outbound)]))
    })
}

const streams: Check = {
  id: "log-streams",
  title: "Log streams",
  looks:
    "Whether the destinations of log streams that are on take a connection, guarded as a delivery; nothing is sent",
  needs,
  run: (patient) =>
    Effect.gen(function* () {
      const database = yield* upToDate(patient)
      return yield* Effect.gen(function* () {
        const guard = yield* OutboundGuard
        const on = (yield* (yield* LogStreams).all).filter(({ settings }) => settings.enabled)
        const receivers = on.flatMap(({ id, destination }): ReadonlyArray<Receiver> => {
          const read = decodeDestination(destination)
          if (Result.isFailure(read)) return [{ id, place: undefined, refusal: undefined }]
          const checked = read.success.check({ guard, folder: patient.settings.outbound.streamFolder })
          const refusal = Result.isFailure(checked) ? checked.failure.message : undefined
          const { place } = read.success
          return place === undefined && refusal === undefined ? [] : [{ id, place, refusal }]
        })
        if (receivers.length === 0)
          return yield* new Skipped({ reason: "no log stream connects to anything" })
        return ofReceivers("log streams", yield* unreached(receivers))
      }).pipe(Effect.provide([layerSealed(database), layerOutboundGuard(patient.settings.outbound)]))
    })
}

/** Checks of receivers. */
export const RECEIVER_CHECKS: ReadonlyArray<Check> = [webhooks, streams]
