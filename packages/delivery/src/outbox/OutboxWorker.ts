/**
 * Sends what waits in the outbox: claims it, makes an attempt, and stores what came of it with the time of
 * the next.
 *
 * Any number of processes may run it: each message is claimed by one at a time. If that process crashes, the
 * message is sent again when its claim expires. Webhooks, mails and tests of streams have separate places,
 * which `DeliveryShares` divides: receivers that hang block only other suspects of their own workspace.
 */

import type { DeliveryChannel } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Randomness, type RandomnessShape, uuid } from "@cairn/core/hashing"
import {
  ClockGuard,
  LOG_METRICS,
  Meters,
  type MetricCounter,
  type StorageUnavailable,
  Tracing
} from "@cairn/core/log"
import { type ClaimedDelivery, Outbox, type Settlement } from "@cairn/core/outbound"
import { Context, Effect, FiberSet, Latch, Layer } from "effect"
import { toldEvents, traceDelivery } from "../loop/DeliveryTrace.ts"
import { heartbeat, keepGoing } from "../loop/KeepGoing.ts"
import { DeliveryAttempts, type DeliveryAttemptsShape } from "./DeliveryAttempts.ts"
import { type DeliveryLimits, receiverKey, shareOut } from "./DeliveryShares.ts"
import { makeOutboxTidying } from "./OutboxTidying.ts"
import { SuspectReceivers } from "./SuspectReceivers.ts"

/**
 * Twenty workspaces whose receivers all hang take 480 places at first, and 240 once they are suspect. A
 * socket that waits costs some 50 KB. Mail goes to one server, which may be silent about some addresses and
 * take no more than some fifty connections from one client: twenty workspaces with such addresses take 40
 * places at first, and 20 once they are known.
 */
const LIMITS: Readonly<Record<DeliveryChannel, DeliveryLimits>> = {
  webhook: { total: 512, suspects: 256, perWorkspace: 24, suspectsPerWorkspace: 12, perTarget: 4 },
  mail: { total: 48, suspects: 24, perWorkspace: 2, suspectsPerWorkspace: 1, perTarget: 2 },
  // Asked for by hand; one at a time for each destination.
  stream: { total: 48, suspects: 24, perWorkspace: 4, suspectsPerWorkspace: 2, perTarget: 1 }
}
const CHANNELS = ["webhook", "mail", "stream"] as const

/**
 * A claim expires this long after its process last renewed it: after a crash, a message waits no longer than
 * this.
 */
const CLAIM: Micros.Micros = 15 * Micros.SECOND
/** How often the claims of slow attempts are renewed. */
const KEEP_EVERY = "5 seconds"
/** How often it looks for messages that others put into the outbox, in milliseconds. */
const LOOK_EVERY = 500
/** Rest after the store was out of reach, in milliseconds. */
const STORE_REST = 5_000

/** The use case *send what waits*. */
export interface OutboxWorkerShape {
  /** Attempts all messages that are due now, once and in parallel; returns how many there were. */
  readonly deliver: Effect.Effect<number, StorageUnavailable>
  /** Delivers for ever. Interrupting it interrupts the attempts in progress. */
  readonly run: Effect.Effect<never>
}

/** What one worker has in progress, and which receivers it suspects. */
interface Work {
  /** By the number of the delivery. */
  readonly underWay: Map<number, ClaimedDelivery>
  readonly suspects: SuspectReceivers
}

/** What sending needs. */
interface OutboxContext {
  readonly outbox: Outbox["Service"]
  readonly clock: ClockGuard["Service"]
  readonly random: RandomnessShape
  readonly attempt: DeliveryAttemptsShape["attempt"]
  readonly meters: Readonly<Record<DeliveryChannel, ChannelMeters>>
  readonly tracing: (typeof Tracing)["Service"]
}

/** What is metered of a channel. */
interface ChannelMeters {
  /** By the status that an attempt leaves. */
  readonly settled: Readonly<Record<Settlement["status"], MetricCounter>>
  inProgress: number
}

/** What became of an attempt, by the status that it leaves. */
const OUTCOMES = { delivered: "delivered", pending: "retried", failed: "failed" } as const

const makeMeters = Effect.map(Meters, (meters) => {
  const of = (channel: DeliveryChannel): ChannelMeters => {
    const counter = (outcome: string) => meters.counter(LOG_METRICS.deliveries, { channel, outcome })
    const made: ChannelMeters = {
      settled: {
        delivered: counter(OUTCOMES.delivered),
        pending: counter(OUTCOMES.pending),
        failed: counter(OUTCOMES.failed)
      },
      inProgress: 0
    }
    meters.observed(LOG_METRICS.deliveriesOpen, () => made.inProgress, { channel })
    return made
  }
  return { webhook: of("webhook"), mail: of("mail"), stream: of("stream") }
})

const noWork = (): Work => ({ underWay: new Map(), suspects: new SuspectReceivers() })

/**
 * Renews the claims of messages in progress, for ever. If the store is briefly unavailable, sending
 * continues.
 */
const keepClaims = ({ outbox }: OutboxContext, { underWay }: Work): Effect.Effect<never> =>
  heartbeat(
    KEEP_EVERY,
    Effect.flatMap(Micros.now, (now) => outbox.keep([...underWay.values()], now + CLAIM))
  )

/** Claims as many of the messages that are due as there is room for. */
const claim = Effect.fnUntraced(function* (
  { outbox, random }: OutboxContext,
  { underWay, suspects }: Work,
  channel: DeliveryChannel
) {
  const now = yield* Micros.now
  const waiting = yield* outbox.receivers(channel, now)
  if (waiting.length === 0) return []
  const mine = [...underWay.values()].filter((one) => one.channel === channel)
  const shares = shareOut(LIMITS[channel], mine, (key) => suspects.has(key), waiting)
  if (shares.length === 0) return []
  return yield* outbox.claim({ channel, shares, now, until: now + CLAIM, claim: uuid(random) })
})

const claimAll = (context: OutboxContext, work: Work) =>
  Effect.map(
    Effect.forEach(CHANNELS, (channel) => claim(context, work, channel)),
    (claimed) => claimed.flat()
  )

/** Makes one attempt and stores its result. */
const send = Effect.fn("OutboxWorker.send")(function* (
  { attempt, outbox, meters, tracing }: OutboxContext,
  work: Work,
  delivery: ClaimedDelivery
) {
  const { channel, payload } = delivery
  const { settlement, silent } = yield* traceDelivery(
    tracing,
    {
      channel,
      eventIds: () => toldEvents(payload),
      outcomeOf: ({ settlement }) => OUTCOMES[settlement.status]
    },
    attempt(delivery)
  )
  work.suspects.note(receiverKey(delivery), silent)
  yield* outbox.settle(delivery, settlement)
  meters[channel].settled[settlement.status].value += 1
})

/** The same, in progress for as long as it takes. */
const sendTracked = (context: OutboxContext, work: Work, delivery: ClaimedDelivery) => {
  work.underWay.set(delivery.number, delivery)
  const meters = context.meters[delivery.channel]
  meters.inProgress += 1
  return Effect.ensuring(
    send(context, work, delivery),
    Effect.sync(() => {
      meters.inProgress -= 1
      if (work.underWay.get(delivery.number) === delivery) work.underWay.delete(delivery.number)
    })
  )
}

const deliver = Effect.fnUntraced(function* (context: OutboxContext) {
  const work = noWork()
  const claimed = yield* claimAll(context, work)
  const sending = Effect.forEach(claimed, (one) => sendTracked(context, work, one), {
    concurrency: "unbounded",
    discard: true
  })
  yield* Effect.raceFirst(sending, keepClaims(context, work))
  return claimed.length
})

const run = Effect.fnUntraced(function* (context: OutboxContext) {
  const fibers = yield* FiberSet.make<void>()
  const work = noWork()
  const { tidy, noteAhead } = makeOutboxTidying(context.outbox, context.clock)
  // Opened when an attempt ends: its receiver may have more messages waiting.
  const room = yield* Latch.make()
  const start = (delivery: ClaimedDelivery) =>
    FiberSet.run(
      fibers,
      sendTracked(context, work, delivery).pipe(
        // The claim expires, and the message is due again.
        Effect.catchCause((cause) =>
          Effect.logError(`A delivery could not be attempted: ${delivery.id}`, cause)
        ),
        Effect.ensuring(Effect.suspend(() => room.open))
      )
    )
  /** Starts as many due messages as there is room for; returns how many milliseconds to rest. */
  const look = Effect.gen(function* () {
    yield* room.close
    const claimed = yield* claimAll(context, work)
    yield* Effect.forEach(claimed, start, { discard: true })
    return claimed.length > 0 ? 0 : LOOK_EVERY
  })
  yield* Effect.forkScoped(keepClaims(context, work))
  const round = Effect.andThen(tidy, look).pipe(
    Effect.catchTag("ClockAhead", (ahead) => Effect.as(noteAhead(ahead), LOOK_EVERY))
  )
  return yield* keepGoing(round, {
    onFailure: "The outbox cannot be read",
    onRecovery: "The outbox can be read again",
    restAfterFailure: STORE_REST,
    rest: (millis) => Effect.timeoutOption(room.await, millis)
  })
})

/** Sending. */
export class OutboxWorker extends Context.Service<OutboxWorker, OutboxWorkerShape>()(
  "@cairn/delivery/OutboxWorker"
) {
  /**
   * `mail` says whether the service sends any: whether admins are written to about a webhook that was
   * disabled.
   */
  static readonly layer = ({ mail }: { readonly mail: boolean }) =>
    Layer.effect(
      OutboxWorker,
      Effect.gen(function* () {
        const { attempt } = yield* DeliveryAttempts
        const context: OutboxContext = {
          outbox: yield* Outbox,
          clock: yield* ClockGuard,
          random: yield* Randomness,
          attempt,
          meters: yield* makeMeters,
          tracing: yield* Tracing
        }
        return OutboxWorker.of({ deliver: deliver(context), run: Effect.scoped(run(context)) })
      })
    ).pipe(Layer.provide(DeliveryAttempts.layer({ mail })))
}
