/** Contents of the events that Cairn writes itself. */

import { canonicalize, Micros } from "@cairn/core/encoding"
import type { ContentParts } from "@cairn/core/event"
import { Result } from "effect"

/** Content of an event that Cairn writes itself, of this action, recorded at `at`. */
export const systemContent = (
  action: string,
  metadata: Readonly<Record<string, unknown>>,
  at: Micros.Micros
): ContentParts => ({
  head:
    `{"action":"${action}","action_category":"cairn","actor":{"id":"cairn","name":null,"type":"system"},` +
    '"idempotency_key":null,',
  tail:
    `"metadata":${Result.getOrThrow(canonicalize(metadata))},"occurred_at":"${Micros.format(at)}",` +
    '"resource":{"id":null,"name":null,"type":null},"session_id":null,"targets":[],"tenant_id":null,"version":null}'
})
