/** The values of a content that an event can be found by, as a store keeps them beside it. */
import type { EventContent } from "./EventContent.ts"

/** The values of a content that the store keeps beside it to filter by; {@link filterColumns} derives them. */
export interface FilterColumns {
  readonly action: string
  readonly actorId: string
  readonly resourceType: string | null
  readonly resourceId: string | null
  readonly tenantId: string | null
  readonly sessionId: string | null
  readonly targets: ReadonlyArray<{ readonly type: string; readonly id: string | null }>
}

/** Derives the filter columns of a content. */
export const filterColumns = (content: EventContent): FilterColumns => ({
  action: content.action,
  actorId: content.actor.id,
  resourceType: content.resource.type,
  resourceId: content.resource.id,
  tenantId: content.tenant_id,
  sessionId: content.session_id,
  targets: content.targets.map((target) => ({ type: target.type, id: target.id ?? null }))
})
