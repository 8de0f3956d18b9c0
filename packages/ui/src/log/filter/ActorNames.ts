/** Names of actors: a filter holds ids, and people know names. */

/** Names of actors that a page knows, by their ids. */
export type ActorNames = ReadonlyMap<string, string>

/** Most names that a page keeps. */
const MOST_NAMES = 1_000

/** The names with those of more actors, as far as there is room; the same map where there is nothing new. */
export const withNames = (
  names: ActorNames,
  actors: Iterable<{ readonly id: string; readonly name: string | null }>
): ActorNames => {
  const all = new Map(names)
  for (const { id, name } of actors) {
    if (name !== null && name !== "" && name !== id && (all.has(id) || all.size < MOST_NAMES)) {
      all.set(id, name)
    }
  }
  const isNew = all.size > names.size || Array.from(all).some(([id, name]) => names.get(id) !== name)
  return isNew ? all : names
}
