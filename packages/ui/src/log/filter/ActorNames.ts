/** Actors by name: a filter takes an actor's id, and people know names. */

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

/** The ids of actors by their names, in lower case. */
const idsByName = (names: ActorNames): ReadonlyMap<string, ReadonlyArray<string>> =>
  Map.groupBy(names.keys(), (id) => (names.get(id) ?? "").toLowerCase())

/** The id that is meant by an id, or by a name that one actor alone has; any other text as it is. */
export const actorIdOf = (names: ActorNames, text: string): string => {
  if (names.has(text)) return text
  const [id, ...others] = idsByName(names).get(text.toLowerCase()) ?? []
  return id === undefined || others.length > 0 ? text : id
}

/** What to suggest, by name: the name, or the id where several have the name. */
export const actorSuggestions = (
  names: ActorNames
): ReadonlyArray<{ readonly value: string; readonly label: string }> => {
  const ids = idsByName(names)
  return Array.from(names, ([id, name]) => {
    const isAlone = ids.get(name.toLowerCase())?.length === 1
    return { value: isAlone ? name : id, label: isAlone ? id : name }
  })
}
