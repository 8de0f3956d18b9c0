/** The events that record a removal of contents, made by the service itself. */

import { Result } from "effect"
import { canonicalize } from "./CanonicalJson.ts"
import type { ContentParts } from "./EventContent.ts"
import { RESERVED_ACTIONS } from "./EventInput.ts"
import type { Append, Head } from "./EventLog.ts"
import { nowhere } from "./GeoIp.ts"
import { extendChain } from "./HashChain.ts"
import * as Micros from "./Micros.ts"
import { type RandomnessShape, uuid } from "./Randomness.ts"
import { EVENT_ERASED, RETENTION_APPLIED, RETENTION_PREFIX } from "./Removal.ts"
import type { Sha256Shape } from "./Sha256.ts"

/** What is needed to chain one. */
export interface RemovalContext {
  readonly workspaceId: string
  readonly sha256: Sha256Shape
  readonly random: RandomnessShape
}

const contentOf = (action: string, metadata: Record<string, unknown>, at: Micros.Micros): ContentParts => ({
  head:
    `{"action":${JSON.stringify(action)},"action_category":"cairn",` +
    '"actor":{"id":"cairn","name":null,"type":"system"},"idempotency_key":null,',
  tail:
    `"metadata":${Result.getOrThrow(canonicalize(metadata))},"occurred_at":"${Micros.format(at)}",` +
    '"resource":{"id":null,"name":null,"type":null},"session_id":null,"targets":[],"tenant_id":null,"version":null}'
})

const chained =
  ({ workspaceId, sha256, random }: RemovalContext, action: string, metadata: Record<string, unknown>) =>
  (head: Head, now: Micros.Micros): Append => {
    const event = {
      id: uuid(random),
      idempotencyKey: null,
      clientAddress: null,
      content: contentOf(action, metadata, now)
    }
    const row = { inboxId: 0, acceptedAt: now, events: [event] }
    return extendChain({ workspaceId, sha256, random, lookup: () => nowhere, now }, head, [row])
  }

/** Records that retention removes every content below a sequence. */
export const retentionApplied = (context: RemovalContext, belowSequence: number) =>
  chained(context, RETENTION_APPLIED, { below_sequence: belowSequence })

/** Records that the contents of these sequences are erased. The reason is the operator's own words; identifiers do not belong there. */
export const eventsErased = (context: RemovalContext, sequences: ReadonlyArray<number>, reason: string) =>
  chained(context, EVENT_ERASED, { reason, sequences: sequences.toSorted((one, other) => one - other) })

/**
 * Whether the content of an event of this action is never removed: the chain's own records say nothing of anybody, and those of retention say
 * who had it shortened, which nobody may make unread by having it shortened.
 */
export const isKept = (action: string): boolean =>
  RESERVED_ACTIONS.has(action) || action.startsWith(RETENTION_PREFIX)
