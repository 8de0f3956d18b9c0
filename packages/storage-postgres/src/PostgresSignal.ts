/**
 * Notifying sequencers of accepted events with NOTIFY: never within an accept's transaction, where it would
 * take a lock that all transactions share, and at most a hundred times a second.
 */
import { InboxSignal } from "@cairn/core/log"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue } from "effect"

const CHANNEL = "cairn_inbox"

/** Least time between two notifications of one process, in milliseconds. */
const APART = 10
/** A lost signal costs at most this. */
const POLL_MILLIS = 1_000
/** The same while the listening connection is lost. */
const POLL_ALONE_MILLIS = 100

/**
 * The sending end of the signal: reports that this process has accepted something. Never fails and does not
 * wait.
 */
export class InboxAnnouncer extends Context.Service<InboxAnnouncer, { readonly announce: () => void }>()(
  "@cairn/storage-postgres/InboxAnnouncer"
) {
  static readonly layer = Layer.effect(
    InboxAnnouncer,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const fork = Effect.runForkWith(yield* Effect.context())
      let pending = false
      const send = Effect.ignore(sql.notify(CHANNEL, "")).pipe(
        // What is accepted after this is covered by the next notification.
        Effect.onExit(() =>
          Effect.sync(() => {
            pending = false
          })
        ),
        Effect.delay(APART)
      )
      return InboxAnnouncer.of({
        announce: () => {
          if (pending) return
          pending = true
          fork(send)
        }
      })
    })
  )
}

/** The waiting end. It holds one connection, and reconnects if that is lost. */
export const layer = Layer.effect(
  InboxSignal,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const signals = yield* Queue.sliding<void>(1)
    let listening = false
    const listen = Effect.scoped(
      Effect.gen(function* () {
        const notifications = yield* sql.listen(CHANNEL)
        listening = true
        // Something may have been accepted while the connection was lost.
        yield* Queue.offer(signals, undefined)
        yield* Effect.forever(Effect.andThen(Queue.take(notifications), Queue.offer(signals, undefined)))
      })
    ).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          listening = false
        })
      ),
      Effect.ignore,
      Effect.andThen(Effect.sleep("1 second")),
      Effect.forever
    )
    let started = false
    const start = Effect.suspend(() => {
      if (started) return Effect.void
      started = true
      return Effect.forkIn(listen, scope)
    })
    const scope = yield* Effect.scope
    return InboxSignal.of({
      wait: () =>
        Effect.andThen(
          start,
          Effect.suspend(() =>
            Queue.take(signals).pipe(
              Effect.timeoutOption(listening ? POLL_MILLIS : POLL_ALONE_MILLIS),
              Effect.ignore
            )
          )
        )
    })
  })
)
