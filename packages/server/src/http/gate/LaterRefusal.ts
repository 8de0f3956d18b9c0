/** Whether who was let in still is, for answers that go on and on. */
import { Effect, Result } from "effect"
import type { AuthorizedRequest } from "./Endpoint.ts"

/**
 * Why who makes a request is known to be let in no more; undefined otherwise: a store that fails says nothing
 * of that.
 */
export const laterRefusal = Effect.fnUntraced(function* ({
  stillAdmitted
}: Pick<AuthorizedRequest, "stillAdmitted">) {
  const admitted = yield* Effect.result(stillAdmitted())
  return Result.isFailure(admitted) && admitted.failure.code !== "unavailable" ? admitted.failure : undefined
})
