/** A request to accept, with the number of its workspace. */
import type { AcceptRequest } from "@cairn/core/log"

/** A request, and the number of its workspace. */
export interface NumberedRequest {
  readonly workspace: number
  readonly request: AcceptRequest
}
