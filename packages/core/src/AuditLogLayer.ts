/** The use cases together, for those who embed the core in a service of their own. */
import { Layer } from "effect"
import { Randomness } from "./hashing/Randomness.ts"
import { Sha256 } from "./hashing/Sha256.ts"
import { Acceptance } from "./log/Acceptance.ts"
import { ClockGuard } from "./log/ClockGuard.ts"
import { EventCounts } from "./log/EventCounts.ts"
import { EventReader } from "./log/EventReader.ts"
import { Sequencer } from "./log/Sequencer.ts"
import { ChainVerifier } from "./verification/ChainVerifier.ts"

/**
 * *Accept*, *sequence*, *read* and *verify* over an `Inbox` and an `EventLog`, with places from a `GeoIp`.
 */
export const auditLog = Layer.mergeAll(
  Acceptance.layer,
  Sequencer.layer,
  ChainVerifier.layer,
  EventReader.layer.pipe(Layer.provide(EventCounts.layer))
).pipe(Layer.provide(Layer.mergeAll(Sha256.layer, Randomness.layer, ClockGuard.layer)))
