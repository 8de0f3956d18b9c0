/** What an event has in common with others. */
import type { Event } from "@cairn/core/event"
import { type Filter, withValues } from "../../place/Filter.ts"

/** What an event can be followed by. */
export type Likeness = "actor" | "action" | "resource" | "session"

/**
 * The filter narrowed to what an event has in common with others; undefined where it has no such thing. A
 * session is shown whole: what was searched for and led to one of its events would hide the others.
 */
export const onlyLike = (
  filter: Filter,
  {
    actor,
    action,
    resource,
    session_id: session
  }: Pick<Event, "actor" | "action" | "resource" | "session_id">,
  likeness: Likeness
): Filter | undefined => {
  switch (likeness) {
    case "actor":
      return withValues(filter, "actor_id", [actor.id])
    case "action":
      return withValues(filter, "action", [action])
    case "session":
      return session ? withValues({}, "session_id", [session]) : undefined
    case "resource": {
      const given = {
        resource: resource.type,
        resource_id: resource.id,
        resource_name: resource.id ? null : resource.name
      }
      if (!(given.resource_id || given.resource_name)) return undefined
      return (["resource", "resource_id", "resource_name"] as const).reduce(
        (narrowed, name) => withValues(narrowed, name, given[name] ? [given[name]] : []),
        filter
      )
    }
  }
}
