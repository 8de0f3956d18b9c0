/** What a sink fails with. */
import { SinkFailed } from "@cairn/core/outbound"

/** A failure with a reason and nothing else. */
export const sinkFailed = (reason: string): SinkFailed => new SinkFailed({ reason, retryAfter: null })
