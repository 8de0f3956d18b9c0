/** The events that record a removal of contents, made by the service itself. */

import type { Micros } from "../encoding/Micros.ts"
import { systemContent } from "../event/ContentWriter.ts"
import { RESERVED_ACTIONS } from "../event/EventInput.ts"
import { nowhere } from "../event/GeoIp.ts"
import { type RandomnessShape, uuid } from "../hashing/Randomness.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import type { Append, Head } from "../log/EventLog.ts"
import { extendChain } from "../log/HashChain.ts"
import { EVENT_ERASED, RETENTION_APPLIED, RETENTION_PREFIX, type RetentionInterval } from "../log/Removal.ts"

/** What is needed to chain such an event. */
interface RemovalContext {
  readonly workspaceId: string
  readonly sha256: Sha256Shape
  readonly random: RandomnessShape
}

const chained =
  (
    { workspaceId, sha256, random }: RemovalContext,
    action: string,
    metadata: ReadonlyArray<Record<string, unknown>>
  ) =>
  (head: Head, now: Micros): Append => {
    const events = metadata.map((one) => ({
      id: uuid(random),
      idempotencyKey: null,
      clientAddress: null,
      content: systemContent(action, one, now)
    }))
    const row = { inboxId: 0, acceptedAt: now, events }
    return extendChain({ workspaceId, sha256, random, lookup: () => nowhere, now }, head, [row])
  }

/** Most sequences that one record names as kept, so that its size is limited. */
export const MAX_KEPT = 1_000

/** The interval, split so that each part keeps at most {@link MAX_KEPT}. */
const partsOf = ({
  fromSequence,
  belowSequence,
  kept
}: RetentionInterval): ReadonlyArray<RetentionInterval> => {
  const edges = kept.filter((_, index) => index > 0 && index % MAX_KEPT === 0)
  return [...edges, belowSequence].map((below, index) => ({
    fromSequence: edges[index - 1] ?? fromSequence,
    belowSequence: below,
    kept: kept.slice(index * MAX_KEPT, (index + 1) * MAX_KEPT)
  }))
}

/**
 * Records that retention removes the contents of an interval; in more than one event if more contents are
 * kept than one can name.
 */
export const retentionApplied = (context: RemovalContext, interval: RetentionInterval) =>
  chained(
    context,
    RETENTION_APPLIED,
    partsOf(interval).map(({ fromSequence, belowSequence, kept }) => ({
      below_sequence: belowSequence,
      from_sequence: fromSequence,
      kept
    }))
  )

/**
 * Records that the contents of these sequences are erased. The reason is the operator's own text; it must not
 * contain identifiers.
 */
export const eventsErased = (context: RemovalContext, sequences: ReadonlyArray<number>, reason: string) =>
  chained(context, EVENT_ERASED, [{ reason, sequences: sequences.toSorted((one, other) => one - other) }])

/**
 * Whether the content of an event with this action is never removed. The chain's own records name nobody.
 * Those of retention name who shortened it, and nobody may hide that by shortening it.
 */
export const isKept = (action: string): boolean =>
  RESERVED_ACTIONS.has(action) || action.startsWith(RETENTION_PREFIX)
