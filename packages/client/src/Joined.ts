import type { EventInput } from "./Types.ts"

/**
 * Members of an event over those of its context. `undefined` counts as left out, and metadata are joined. An
 * event that names another actor gets nothing of the context's actor.
 */
export const joined = (
  below: Partial<EventInput>,
  above: Partial<EventInput>
): Partial<EventInput> & Record<string, unknown> => {
  const given = Object.entries(above).filter(([, value]) => value !== undefined)
  // Made from entries, which a member `__proto__` is one of and no more.
  const all: Record<string, unknown> = { ...below, ...Object.fromEntries(given) }
  if (above.actor_id !== undefined && above.actor_id !== below.actor_id) {
    for (const name of ["actor_name", "actor_type"] as const) {
      if (above[name] === undefined) delete all[name]
    }
  }
  if (below.metadata && above.metadata) all.metadata = { ...below.metadata, ...above.metadata }
  return all
}
