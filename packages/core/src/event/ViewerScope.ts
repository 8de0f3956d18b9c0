/** What a viewer token lets its bearer see: the events of a tenant, of an actor, or of both at once. */
import { Schema } from "effect"
import type { Event } from "./Event.ts"
import type { EventFilter } from "./EventFilter.ts"

/** The restriction; null restricts nothing. */
export const ViewerScope = Schema.Struct({
  tenantId: Schema.NullOr(Schema.String),
  actorId: Schema.NullOr(Schema.String)
})
export type ViewerScope = typeof ViewerScope.Type

const disagree = (wanted: string | undefined, allowed: string | null): boolean =>
  wanted !== undefined && allowed !== null && wanted !== allowed

/**
 * The filter restricted to the scope; `undefined` if it asks for events outside it, so that nothing can be
 * found.
 */
export const scopedFilter = (
  filter: EventFilter,
  { tenantId, actorId }: ViewerScope
): EventFilter | undefined =>
  disagree(filter.tenantId, tenantId) || disagree(filter.actorId, actorId)
    ? undefined
    : { ...filter, ...(tenantId === null ? {} : { tenantId }), ...(actorId === null ? {} : { actorId }) }

/** Whether an event lies within the scope. */
export const isInScope = (
  { tenant_id, actor }: Pick<Event, "tenant_id" | "actor">,
  { tenantId, actorId }: ViewerScope
): boolean => (tenantId === null || tenant_id === tenantId) && (actorId === null || actor.id === actorId)
