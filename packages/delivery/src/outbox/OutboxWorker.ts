/**
 * Sends what waits in the outbox: claims it, makes an attempt, and stores what came of it with the time of the next.
 *
 * Any number of processes may run it: a message is one's at a time. Whoever ends in the middle leaves it to be sent again when the claim
 * is over. Webhooks and mail have places of their own, and `DeliveryShares` says who may have how many of them: a receiver that hangs, or any
 * number of them, holds up nobody but its own workspace's other suspects.
 */
import {
  type ClaimedDelivery,
  type ClockAhead,
  ClockGuard,
  type DeliveryChannel,
  Micros,
  Outbox,
  Randomness,
  type StorageUnavailable,
  uuid
} from "@cairn/core"
import { Context, Effect, FiberSet, Latch, Layer } from "effect"
import { DeliveryAttempts, type DeliveryOutcome } from "./DeliveryAttempts.ts"
import { type DeliveryLimits, receiverKey, shareOut } from "./DeliveryShares.ts"
import { SuspectReceivers } from "./SuspectReceivers.ts"

/**
 * Twenty workspaces whose receivers all hang take 480 places at first, and 240 once they are known. A socket that waits costs some 50 KB.
 * Mail goes to one server, which may be silent about some addresses and take no more than some fifty connections from one client: twenty
 * workspaces with such addresses take 40 places at first, and 20 once they are known.
 */
const LIMITS: Readonly<Record<DeliveryChannel, DeliveryLimits>> = {
  webhook: { total: 512, suspects: 256, perWorkspace: 24, suspectsPerWorkspace: 12, perTarget: 4 },
  mail: { total: 48, suspects: 24, perWorkspace: 2, suspectsPerWorkspace: 1, perTarget: 2 }
}
const CHANNELS = ["webhook", "mail"] as const

/** A claim holds for so long after whoever has it was last heard of: what a crash interrupted waits no longer than this. */
const CLAIM: Micros.Micros = 15 * Micros.SECOND
/** How often attempts that take their time are heard of. */
const KEEP_EVERY = "5 seconds"
/** How often it looks for messages that others put into the outbox, in milliseconds. */
const LOOK_EVERY = 500
/** Deliveries are kept for thirty days. */
const KEPT: Micros.Micros = 30 * Micros.DAY
const TIDY_EVERY: Micros.Micros = 3_600 * Micros.SECOND
/** Rest after the store was out of reach, in milliseconds. */
const STORE_REST = 5_000

/** The use case *send what waits*. */
export interface OutboxWorkerShape {
  /** Attempts what is due now, once, all at once; answers how many messages that was. */
  readonly deliver: Effect.Effect<number, StorageUnavailable>
  /** Goes on delivering. Interrupting it interrupts what is under way. */
  readonly run: Effect.Effect<never>
}

/** What one worker has under way, and what it knows of receivers. */
interface Work {
  /** By the number of the delivery. */
  readonly underWay: Map<number, ClaimedDelivery>
  readonly suspects: SuspectReceivers
}

/** Sending. */
export class OutboxWorker extends Context.Service<OutboxWorker, OutboxWorkerShape>()(
  "@cairn/delivery/OutboxWorker"
) {
  /** `mail` says whether the service sends any: whether admins are written to about a webhook that was disabled. */
  static readonly layer = ({ mail }: { readonly mail: boolean }) =>
    Layer.effect(
      OutboxWorker,
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const clock = yield* ClockGuard
        const random = yield* Randomness
        const { attempt } = yield* DeliveryAttempts

        const begin = (): Work => ({ underWay: new Map(), suspects: new SuspectReceivers() })

        /** Keeps the claims of what is under way, for ever. A store that is out of reach for a moment is no reason to break off sending. */
        const keeping = ({ underWay }: Work): Effect.Effect<never> =>
          Effect.sleep(KEEP_EVERY).pipe(
            Effect.andThen(Micros.now),
            Effect.flatMap((now) => outbox.keep([...underWay.values()], now + CLAIM)),
            Effect.ignore,
            Effect.forever
          )

        /** Claims as many of the messages that are due as there is room for. */
        const claim = Effect.fnUntraced(function* ({ underWay, suspects }: Work, channel: DeliveryChannel) {
          const now = yield* Micros.now
          const waiting = yield* outbox.receivers(channel, now)
          if (waiting.length === 0) return []
          const mine = [...underWay.values()].filter((one) => one.channel === channel)
          const shares = shareOut(LIMITS[channel], mine, (key) => suspects.has(key), waiting)
          if (shares.length === 0) return []
          return yield* outbox.claim({ channel, shares, now, until: now + CLAIM, claim: uuid(random) })
        })

        const claimAll = (work: Work) =>
          Effect.map(
            Effect.forEach(CHANNELS, (channel) => claim(work, channel)),
            (claimed) => claimed.flat()
          )

        /** One attempt, and what came of it stored. */
        const send = Effect.fn("OutboxWorker.send")(function* (work: Work, delivery: ClaimedDelivery) {
          const { settlement, silent }: DeliveryOutcome = yield* attempt(delivery)
          work.suspects.note(receiverKey(delivery), silent)
          yield* outbox.settle(delivery, settlement)
        })

        const tracked = (work: Work, delivery: ClaimedDelivery) => {
          work.underWay.set(delivery.number, delivery)
          return Effect.ensuring(
            send(work, delivery),
            Effect.sync(() => {
              if (work.underWay.get(delivery.number) === delivery) work.underWay.delete(delivery.number)
            })
          )
        }

        const deliver = Effect.gen(function* () {
          const work = begin()
          const claimed = yield* claimAll(work)
          const sending = Effect.forEach(claimed, (one) => tracked(work, one), {
            concurrency: "unbounded",
            discard: true
          })
          yield* Effect.raceFirst(sending, keeping(work))
          return claimed.length
        })

        const run = Effect.gen(function* () {
          const fibers = yield* FiberSet.make<void>()
          const work = begin()
          // Opened when an attempt has ended: there may be more for its receiver.
          const room = yield* Latch.make()
          const start = (delivery: ClaimedDelivery) =>
            FiberSet.run(
              fibers,
              tracked(work, delivery).pipe(
                // The claim ends by itself, and the message is due again.
                Effect.catchCause((cause) =>
                  Effect.logError(`A delivery could not be attempted: ${delivery.id}`, cause)
                ),
                Effect.ensuring(Effect.suspend(() => room.open))
              )
            )
          /** Starts what is due as far as there is room; answers how many milliseconds to rest. */
          const look = Effect.gen(function* () {
            yield* room.close
            const claimed = yield* claimAll(work)
            yield* Effect.forEach(claimed, start, { discard: true })
            return claimed.length > 0 ? 0 : LOOK_EVERY
          })
          let tidiedAt: Micros.Micros | null = null
          let isAhead = false
          /** What a clock that ran ahead has left is put right at the start, once the clock is back, and every hour. */
          const tidy = Effect.gen(function* () {
            const now = yield* clock.now
            if (!isAhead && tidiedAt !== null && Math.abs(now - tidiedAt) < TIDY_EVERY) return
            const hastened = yield* outbox.hasten(now)
            if (hastened > 0) {
              yield* Effect.logWarning("Messages that a clock running ahead had put off are sent now").pipe(
                Effect.annotateLogs({ messages: hastened })
              )
            }
            yield* outbox.prune(now - KEPT)
            isAhead = false
            tidiedAt = now
          })
          const resting = ({ aheadSeconds }: ClockAhead) => {
            const told = isAhead
            isAhead = true
            return told
              ? Effect.void
              : Effect.logWarning("The clock runs ahead: nothing is sent until it is right").pipe(
                  Effect.annotateLogs({ aheadSeconds })
                )
          }
          yield* Effect.forkScoped(keeping(work))
          return yield* Effect.andThen(tidy, look).pipe(
            Effect.catchTag("ClockAhead", (ahead) => Effect.as(resting(ahead), LOOK_EVERY)),
            Effect.catchCause((cause) =>
              Effect.as(Effect.logError("The outbox is out of reach", cause), STORE_REST)
            ),
            Effect.flatMap((rest) => (rest === 0 ? Effect.yieldNow : Effect.timeoutOption(room.await, rest))),
            Effect.forever
          )
        }).pipe(Effect.scoped)

        return OutboxWorker.of({ deliver, run })
      })
    ).pipe(Layer.provide(DeliveryAttempts.layer({ mail })))
}
