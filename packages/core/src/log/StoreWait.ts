/** Where a store that is synchronous says how long it kept its caller's thread waiting. */
import { Context } from "effect"

/**
 * Called by a storage adapter with the milliseconds that a commit kept the thread of the caller standing
 * still. It is called on that thread, after each such commit, and must return at once. Nobody listens unless
 * a listener is provided; an adapter that does not block has nothing to say.
 */
export const StoreWait = Context.Reference<(millis: number) => void>("@cairn/core/StoreWait", {
  defaultValue: () => () => {}
})
