/** One attempt at a test of a log stream. */
import type { StorageUnavailable } from "@cairn/core/log"
import type { ClaimedDelivery, LogStreams } from "@cairn/core/outbound"
import { Effect, Option } from "effect"
import type { StreamWorkerShape } from "../stream/StreamWorker.ts"
import { type DeliveryOutcome, givenUp, SILENCE } from "./Settlements.ts"

/** What tests of streams need. */
interface StreamTestContext {
  readonly streams: LogStreams["Service"]
  readonly test: StreamWorkerShape["test"]
}

/** Tests a stream once: somebody waits for what comes of it, and nobody needs a later attempt. */
export const deliverStreamTest = Effect.fnUntraced(function* (
  { streams, test }: StreamTestContext,
  { workspaceId, target, id, createdAt }: ClaimedDelivery
): Effect.fn.Return<DeliveryOutcome, StorageUnavailable> {
  const stream = yield* streams.get(workspaceId, target)
  if (Option.isNone(stream)) return { settlement: givenUp, silent: false }
  const { accepted, attempt } = yield* test(stream.value, { id, at: createdAt })
  return {
    settlement: { attempt, status: accepted ? "delivered" : "failed", dueAt: null },
    silent: attempt.error !== null && attempt.duration >= SILENCE
  }
})
