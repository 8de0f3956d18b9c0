/** What a sink fails with. */
import { OutboundRefused, SinkFailed } from "@cairn/core/outbound"

/** A failure with a reason and nothing else. */
export const sinkFailed = (reason: string): SinkFailed => new SinkFailed({ reason, retryAfter: null })

/** What a connection failed with. */
export const connectionFailed = (error: Error): SinkFailed =>
  error instanceof OutboundRefused && error.detail !== undefined
    ? new SinkFailed({ reason: error.message, retryAfter: null, detail: error.detail })
    : sinkFailed(error.message)
