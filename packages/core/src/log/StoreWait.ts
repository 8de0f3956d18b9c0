/** How a synchronous store reports how long it blocked its caller's thread. */
import { Context } from "effect"

/**
 * A storage adapter calls it with the milliseconds for which a commit blocked the caller's thread. It is
 * called on that thread, after each such commit, and must return at once. By default it does nothing. An
 * adapter that does not block never calls it.
 */
export const StoreWait = Context.Reference<(millis: number) => void>("@cairn/core/StoreWait", {
  defaultValue: () => () => {}
})
