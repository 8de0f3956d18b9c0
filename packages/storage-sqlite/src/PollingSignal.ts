/**
 * Polling with a pause: on SQLite no process can notify another that it has written. After a while without
 * work, only a number of the inbox's file is read, which every commit of another connection changes and which
 * costs a few microseconds; a round costs some hundred.
 */
import { InboxSignal } from "@cairn/core/log"
import { Effect, Layer } from "effect"
import { SqliteFiles } from "./SqliteFiles.ts"

/** Pause after a round that found nothing, and after many. */
const WATCH_MILLIS = 5
const IDLE_MILLIS = 40
/** Rounds that found nothing before the pause grows. */
const PATIENCE = 100
/** How long until there is a round although nobody has written to the inbox. */
const ROUND_MILLIS = 1_000

/** The pauses. */
export const layer = Layer.effect(
  InboxSignal,
  Effect.gen(function* () {
    const { sequenced } = yield* SqliteFiles
    const readVersion = sequenced.database.values("PRAGMA data_version")
    /** Read before the last round, so that what is committed beside the round is noticed after it. */
    let seen: unknown
    const untilWritten = Effect.callback<void>((resume) => {
      const end = performance.now() + ROUND_MILLIS
      const isOver = (): boolean => {
        try {
          const version = readVersion()[0]?.[0]
          if (version === seen && performance.now() < end) return false
          seen = version
        } catch {
          // The round meets the same failure, and reports it.
        }
        return true
      }
      const look = () => {
        if (isOver()) resume(Effect.void)
        else timer = setTimeout(look, IDLE_MILLIS)
      }
      let timer = setTimeout(look, IDLE_MILLIS)
      return Effect.sync(() => clearTimeout(timer))
    })
    return InboxSignal.of({
      wait: (idleRounds) => (idleRounds < PATIENCE ? Effect.sleep(WATCH_MILLIS) : untilWritten)
    })
  })
)
