import type { EventInput } from "./Types.ts"

/**
 * Members of an event over those of its context. `undefined` counts as left out, metadata are joined, and who
 * names another actor gets nothing of the context's.
 */
export const joined = (
  below: Partial<EventInput>,
  above: Partial<EventInput>
): Partial<EventInput> & Record<string, unknown> => {
  const all: Record<string, unknown> = { ...below }
  if (above.actor_id !== undefined && above.actor_id !== below.actor_id) {
    delete all.actor_name
    delete all.actor_type
  }
  for (const [name, value] of Object.entries(above)) if (value !== undefined) all[name] = value
  if (below.metadata && above.metadata) all.metadata = { ...below.metadata, ...above.metadata }
  return all
}
