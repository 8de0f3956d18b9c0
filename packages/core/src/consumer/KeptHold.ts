/** Long work that only one process may do: it renews its hold as long as it works. */
import { type Duration, Effect } from "effect"

/**
 * Runs `work`, and `renew` after each period meanwhile. If `renew` fails, because another process has taken
 * over, `work` is interrupted and the failure is returned.
 */
export const whileHeld = <A, E, R, E2, R2>(
  work: Effect.Effect<A, E, R>,
  period: Duration.Input,
  renew: Effect.Effect<void, E2, R2>
): Effect.Effect<A, E | E2, R | R2> =>
  Effect.raceFirst(work, Effect.forever(Effect.andThen(Effect.sleep(period), renew)))
