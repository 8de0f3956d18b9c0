/**
 * What an event says was changed. The interface leaves metadata free, so this reads the shapes that
 * applications use: an object of the state before and one of the state after, a list of changes, or an object
 * of them by field.
 */

/** One field's change. `undefined`: it was not there. */
export interface Change {
  /** Keys joined by dots. */
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** The changes that a metadata holds, and the rest of it. */
interface ReadMetadata {
  readonly changes: ReadonlyArray<Change>
  readonly rest: Readonly<Record<string, unknown>>
}

type JsonObject = Readonly<Record<string, unknown>>

/** Names of the state before and of the one after, as they go together. */
const PAIRS = [
  ["before", "after"],
  ["old", "new"],
  ["from", "to"],
  ["previous", "current"],
  ["old_value", "new_value"],
  ["oldValue", "newValue"],
  ["old_values", "new_values"],
  ["oldValues", "newValues"]
] as const

/** Names of the member that names the changed field, in a list of changes. */
const FIELD_NAMES = ["field", "name", "key", "path", "property", "attribute"] as const

/** Names of the member that holds the changes. */
const CHANGES_NAMES = ["changes", "changed", "diff"] as const

/** More levels than this are compared as a whole. */
const MAX_DEPTH = 6

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const own = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

const without = (object: JsonObject, names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

/** The pair that an object has; one of the two is enough if it has nothing else to go with. */
const pairIn = (object: JsonObject): readonly [string, string] | undefined =>
  PAIRS.find(([before, after]) => Object.hasOwn(object, before) && Object.hasOwn(object, after))

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The fields in which two states differ, however deep. */
const differences = (
  before: unknown,
  after: unknown,
  field: string,
  depth: number
): ReadonlyArray<Change> => {
  if (same(before, after)) return []
  if (!isObject(before) || !isObject(after) || depth === MAX_DEPTH) return [{ field, before, after }]
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) =>
    differences(own(before, name), own(after, name), field === "" ? name : `${field}.${name}`, depth + 1)
  )
}

/** One change as an object: its pair, under the name that stands in it or over it. */
const changeOf = (value: unknown, field: string | undefined): ReadonlyArray<Change> | undefined => {
  if (!isObject(value)) return undefined
  const pair = pairIn(value)
  if (pair === undefined) return undefined
  const named = FIELD_NAMES.map((name) => own(value, name)).find((name) => typeof name === "string")
  const name = field ?? named
  if (typeof name !== "string") return undefined
  return [{ field: name, before: own(value, pair[0]), after: own(value, pair[1]) }]
}

/** All of them, or undefined if one is no change: then it is shown as it is. */
const allOf = (
  changes: ReadonlyArray<ReadonlyArray<Change> | undefined>
): ReadonlyArray<Change> | undefined => {
  const found = changes.flatMap((change) => change ?? [])
  return found.length > 0 && !changes.includes(undefined) ? found : undefined
}

const changesOf = (value: unknown): ReadonlyArray<Change> | undefined => {
  if (Array.isArray(value)) return allOf(value.map((one) => changeOf(one, undefined)))
  if (!isObject(value)) return undefined
  const pair = pairIn(value)
  if (pair !== undefined && Object.keys(value).length === 2) {
    const [before, after] = [own(value, pair[0]), own(value, pair[1])]
    if (isObject(before) && isObject(after)) return differences(before, after, "", 0)
  }
  const entries = Object.entries(value)
  return allOf(
    entries.map(([field, one]) =>
      Array.isArray(one) && one.length === 2
        ? [{ field, before: one[0], after: one[1] }]
        : changeOf(one, field)
    )
  )
}

/** How a change is worded: a field came, went, or has another value. */
export const kindOfChange = ({ before, after }: Change): "added" | "removed" | "changed" =>
  before === undefined ? "added" : after === undefined ? "removed" : "changed"

/** Names, without marks and letter case, of what tells machines more than readers. */
const TECHNICAL: ReadonlySet<string> = new Set([
  "useragent",
  "requestid",
  "traceid",
  "spanid",
  "correlationid",
  "transactionid",
  "deviceid",
  "fingerprint"
])

const isTechnical = (name: string): boolean => TECHNICAL.has(name.toLowerCase().replaceAll(/[^a-z]/g, ""))

/** What of a metadata readers want to know, and what is for machines. */
export const splitMetadata = (
  metadata: JsonObject
): { readonly readable: JsonObject; readonly technical: JsonObject } => {
  const entries = Object.entries(metadata)
  return {
    readable: Object.fromEntries(entries.filter(([name]) => !isTechnical(name))),
    technical: Object.fromEntries(entries.filter(([name]) => isTechnical(name)))
  }
}

/** Reads the changes that a metadata holds. What it takes for none stays in the rest, so nothing is lost. */
export const readMetadata = (metadata: JsonObject): ReadMetadata => {
  for (const name of CHANGES_NAMES) {
    const changes = changesOf(own(metadata, name))
    if (changes !== undefined) return { changes, rest: without(metadata, [name]) }
  }
  const pair = pairIn(metadata)
  if (pair === undefined) return { changes: [], rest: metadata }
  const [before, after] = [own(metadata, pair[0]), own(metadata, pair[1])]
  if (isObject(before) && isObject(after)) {
    const changes = differences(before, after, "", 0)
    if (changes.length > 0) return { changes, rest: without(metadata, pair) }
  }
  const change = changeOf(metadata, undefined)
  if (change === undefined) return { changes: [], rest: metadata }
  const named = FIELD_NAMES.filter((name) => own(metadata, name) === change[0]?.field).slice(0, 1)
  return { changes: change, rest: without(metadata, [...pair, ...named]) }
}
