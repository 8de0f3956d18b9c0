/** Port: how a sequencer learns that something was accepted, perhaps by another process. */
import { Context, type Effect } from "effect"

/**
 * Contract: `wait` returns soon after something was accepted, and after a bounded time at the latest, so that
 * a signal that was lost only costs that time. It never fails: a store that is gone is waited for.
 */
export class InboxSignal extends Context.Service<
  InboxSignal,
  {
    /** Waits for something to do; `idleRounds` says how often in a row there was nothing. */
    readonly wait: (idleRounds: number) => Effect.Effect<void>
  }
>()("@cairn/core/InboxSignal") {}
