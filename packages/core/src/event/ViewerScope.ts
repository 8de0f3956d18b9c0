/** What a viewer token lets its bearer see: the events of a tenant, of an actor, or of both at once. */
import { Schema } from "effect"
import type { Event } from "./Event.ts"
import { type EventFilter, type OneOrSeveral, valuesOf } from "./EventFilter.ts"

/** The restriction; null restricts nothing. */
export const ViewerScope = Schema.Struct({
  tenantId: Schema.NullOr(Schema.String),
  actorId: Schema.NullOr(Schema.String)
})
export type ViewerScope = typeof ViewerScope.Type

const disagree = (wanted: OneOrSeveral | undefined, allowed: string | null): boolean =>
  wanted !== undefined && allowed !== null && !valuesOf(wanted).includes(allowed)

/**
 * The filter restricted to the scope: what it asks for beside that is left out. `undefined` if it asks for
 * nothing within it, so that nothing can be found.
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
