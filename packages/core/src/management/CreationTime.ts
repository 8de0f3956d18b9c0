/** When things are made, so that no two of one process share a moment: a page of a list ends at one. */

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
