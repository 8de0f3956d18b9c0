/** What the test in a browser runs there. */
import { Effect, Stream } from "effect"
import type { EventClaim, EventReport } from "../src/index.ts"
import { layerTools, platformTools, type Report, verifyEvent, verifyEvidence } from "../src/index.ts"

/** Verifies the bundle at an address as it comes over the network. */
export const verifyBundleAt = async (address: string): Promise<Report> => {
  const response = await fetch(address)
  const bundle = Stream.fromReadableStream<Uint8Array, Error>({
    evaluate: () => response.body ?? new ReadableStream(),
    onError: (error) => new Error(String(error))
  })
  return Effect.runPromise(Effect.provide(verifyEvidence(bundle), layerTools))
}

/** Verifies one event. */
export const verifyClaim = (claim: EventClaim): EventReport => verifyEvent(platformTools, claim)
