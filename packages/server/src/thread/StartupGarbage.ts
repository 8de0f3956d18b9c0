/**
 * What starting leaves behind: of the memory that compiling modules and building layers takes, a third is
 * never needed again.
 */
import { Effect } from "effect"

/** By then a server that was just started has answered its first requests. */
const AFTER = "2 seconds"

/**
 * Gives it back, once in a thread. It takes a tenth of a second. Left alone, the engine keeps it until
 * something needs room, and on an idle server nothing does. Only where Node was started with `--expose-gc`,
 * as the `cairn` command starts it.
 */
export const collectStartupGarbage = Effect.andThen(
  Effect.sleep(AFTER),
  Effect.sync(() => {
    globalThis.gc?.({ type: "major", execution: "async", flavor: "last-resort" })
  })
)
