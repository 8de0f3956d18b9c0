/** What a sink fails with. */
import { SinkFailed } from "@cairn/core/outbound"

/** A failure that says nothing but its reason. */
export const sinkFailed = (reason: string): SinkFailed => new SinkFailed({ reason, retryAfter: null })
