/** The values of a content that events are filtered by, and the names that are shown with them. */
import type { EventContent } from "./EventContent.ts"

/** The filter columns of an event, which {@link filterColumns} derives from its content. */
export interface FilterColumns {
  readonly action: string
  readonly actorId: string
  readonly resourceType: string | null
  readonly resourceId: string | null
  readonly tenantId: string | null
  readonly sessionId: string | null
  readonly actionCategory: string | null
  readonly ipCountry: string | null
  readonly resourceName: string | null
  /** Shown with the actor's id; no filter asks for it. */
  readonly actorName: string | null
  readonly targets: ReadonlyArray<{
    readonly type: string
    readonly id: string | null
    readonly name: string | null
  }>
}

/** Derives the filter columns of a content. */
export const filterColumns = (content: EventContent): FilterColumns => ({
  action: content.action,
  actorId: content.actor.id,
  resourceType: content.resource.type,
  resourceId: content.resource.id,
  tenantId: content.tenant_id,
  sessionId: content.session_id,
  actionCategory: content.action_category,
  ipCountry: content.ip_country,
  resourceName: content.resource.name,
  actorName: content.actor.name,
  targets: content.targets.map(({ type, id = null, name = null }) => ({ type, id, name }))
})
