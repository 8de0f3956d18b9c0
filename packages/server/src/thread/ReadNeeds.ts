/** What the reads of a request must see, on its way to the thread that reads. */
import { type Needed, parsePosition } from "@cairn/core/log"
import { Context, Effect } from "effect"
import type { Headers } from "effect/http"
import { RpcClient } from "effect/rpc"

/** The position of a request as text, `now`, or nothing for what is not asked to be newer than lately. */
export const ReadNeeds = Context.Reference<string>("@cairn/server/ReadNeeds", { defaultValue: () => "" })

const HEADER = "x-cairn-position"

/** A call that says what its reads must see. */
export const withNeeds = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(ReadNeeds, (needs) =>
    needs === "" ? call : RpcClient.withHeaders(call, { [HEADER]: needs })
  )

/** What a call said. */
export const neededOf = (headers: Headers.Headers): Needed => {
  const text = headers[HEADER]
  if (text === undefined) return "lately"
  return text === "now" ? text : (parsePosition(text) ?? "now")
}
