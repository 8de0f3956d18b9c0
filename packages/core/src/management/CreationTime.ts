/** Creation times, so that no two things of one process have the same: a page of a list ends at a time. */

import { Effect } from "effect"
import * as Micros from "../encoding/Micros.ts"

/** A clock that strictly increases. */
export const makeCreationTime = (): Effect.Effect<Micros.Micros> => {
  let last = 0
  return Effect.map(Micros.now, (now) => {
    last = Math.max(now, last + 1)
    return last
  })
}
