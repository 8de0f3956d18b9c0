/**
 * Rejects what a request's query holds that its endpoint does not know: a misspelt restriction, or one where
 * none is read, would restrict nothing.
 */

import { nearestName } from "@cairn/core/encoding"
import { unknownName } from "@cairn/core/event"
import { Effect } from "effect"
import { type ApiError, invalidParameter } from "../plumbing/ApiError.ts"
import { readQuery, unknownParameter } from "../plumbing/QueryParameters.ts"
import type { Route } from "../plumbing/Routes.ts"

/** Most characters of a name that an error repeats. */
const MAX_SHOWN = 100

/**
 * Fails for a query with an unknown parameter. What is within a body its decoder checks, and
 * `readRequestBody` where the endpoint takes none.
 */
export const rejectUnknown = (
  query: string,
  { parameters: known }: Pick<Route, "parameters">
): Effect.Effect<void, ApiError> => {
  if (query === "") return Effect.void
  return Effect.flatMap(
    readQuery(query, () => unknownParameter(query, known)),
    (name) =>
      name === undefined
        ? Effect.void
        : Effect.fail(invalidParameter(name.slice(0, MAX_SHOWN), unknownName(nearestName(name, known))))
  )
}
