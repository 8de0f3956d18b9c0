/** Port: how a sequencer is notified that something was accepted, perhaps by another process. */
import { Context, type Effect } from "effect"

/**
 * Contract: `wait` returns soon after something was accepted, and always within a bounded time, so that a
 * lost signal costs only that time. It never fails: if the store cannot be reached, it waits for the store.
 */
export class InboxSignal extends Context.Service<
  InboxSignal,
  {
    /** Waits for something to do. `idleRounds` is how often in a row there was nothing. */
    readonly wait: (idleRounds: number) => Effect.Effect<void>
  }
>()("@cairn/core/InboxSignal") {}
