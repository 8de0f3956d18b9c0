/**
 * Selects the events of a list, a count or an export. All conditions must hold, each by any of its values.
 *
 * {@link matches} defines what each condition means. A storage adapter finds the same events with its
 * indexes, and the contract suite checks that both agree.
 */

import { Result, Schema } from "effect"
import { normalizeBounded } from "../encoding/BoundedNormalization.ts"
import { canonicalize } from "../encoding/CanonicalJson.ts"
import type { Micros } from "../encoding/Micros.ts"
import type { EventContent } from "./EventContent.ts"
import { type FilterColumns, filterColumns } from "./FilterColumns.ts"

/** Most values that a condition may be given. */
export const MAX_CONDITION_VALUES = 20

/** A country as ISO 3166-1 has it. */
export const COUNTRY_FORM = /^[A-Z]{2}$/

/** One value of a condition, or several. */
export const OneOrSeveral = Schema.Union([Schema.String, Schema.Array(Schema.String)])
export type OneOrSeveral = typeof OneOrSeveral.Type
const condition = Schema.optionalKey(OneOrSeveral)

/** The conditions. An absent condition is met by every event, and one without a value by none. */
export const EventFilter = Schema.Struct({
  /**
   * An action, `prefix.*` for everything below a prefix, `*.suffix` for everything that ends so, or `*` for
   * all; a `*` elsewhere is literal.
   */
  action: condition,
  /** The action's category. */
  category: condition,
  actorId: condition,
  /** The resource's type. */
  resource: condition,
  resourceId: condition,
  resourceName: condition,
  tenantId: condition,
  sessionId: condition,
  /** The country of the actor's address. */
  country: condition,
  /**
   * Text that occurs, in any letter case, in the actor name, action, resource name or canonical JSON of
   * metadata; of several, each must occur.
   */
  search: condition,
  /** With `targetId`, one target must have both. */
  targetType: condition,
  targetId: condition,
  /** Recorded at or after. */
  from: Schema.optionalKey(Schema.Number),
  /** Recorded at or before. */
  to: Schema.optionalKey(Schema.Number)
})
export type EventFilter = typeof EventFilter.Type

/** By its name for programs and in the interface, each condition but the times. */
export const CONDITIONS = {
  action: "action",
  category: "category",
  actor_id: "actorId",
  resource: "resource",
  resource_id: "resourceId",
  resource_name: "resourceName",
  tenant_id: "tenantId",
  session_id: "sessionId",
  country: "country",
  search: "search",
  target_type: "targetType",
  target_id: "targetId"
} as const satisfies Readonly<Record<string, keyof EventFilter>>
export type ConditionName = keyof typeof CONDITIONS

/** The names, in their order. */
export const CONDITION_NAMES = Object.keys(CONDITIONS) as ReadonlyArray<ConditionName>

/** The conditions of a filter, from what is given for their names. */
export const conditionsOf = (
  given: (name: ConditionName) => OneOrSeveral | undefined
): Omit<EventFilter, "from" | "to"> =>
  Object.fromEntries(
    CONDITION_NAMES.flatMap((name) => {
      const values = given(name)
      return values === undefined ? [] : [[CONDITIONS[name], values]]
    })
  )

/** The values of a condition. */
export const valuesOf = (values: OneOrSeveral): ReadonlyArray<string> =>
  typeof values === "string" ? [values] : values

/** The texts that a filter searches for: those with a character. */
export const searchesOf = ({ search = "" }: EventFilter): ReadonlyArray<string> =>
  valuesOf(search).filter((text) => text !== "")

/** The meaning of a value of an `action` condition. */
type ActionPattern =
  | { readonly kind: "any" }
  | { readonly kind: "exact"; readonly action: string }
  | { readonly kind: "prefix"; readonly prefix: string }
  | { readonly kind: "suffix"; readonly suffix: string }

/**
 * Reads a value of the `action` condition. Prefix and suffix keep their dot: `foo.*` matches `foo.bar` and
 * `foo.bar.baz`, not `foo`.
 */
export const actionPattern = (action: string): ActionPattern => {
  if (action === "*") return { kind: "any" }
  if (action.endsWith(".*")) return { kind: "prefix", prefix: action.slice(0, -1) }
  return action.startsWith("*.") ? { kind: "suffix", suffix: action.slice(1) } : { kind: "exact", action }
}

/**
 * Text as it is searched: Unicode lower case, then NFC. The index and the query are each folded once by this
 * function.
 */
export const fold = (text: string): string => normalizeBounded(text.toLowerCase(), "NFC")

/** What `search` looks in: of an event as it is stored, and as the interface returns it. */
type Searched = Pick<EventContent, "action" | "actor" | "resource" | "metadata">

/** A field that `search` looks in; of actor and resource, the name. */
export type SearchField = keyof Searched

/** The folded texts that `search` looks in, each with its field. The costly one is last. */
function* textsOf({
  action,
  actor,
  resource,
  metadata
}: Searched): Generator<readonly [SearchField, string]> {
  yield ["action", fold(action)]
  if (actor.name !== null) yield ["actor", fold(actor.name)]
  if (resource.name !== null) yield ["resource", fold(resource.name)]
  const text = metadata === null ? undefined : canonicalize(metadata)
  if (text !== undefined && Result.isSuccess(text)) yield ["metadata", fold(text.success)]
}

/** The folded texts of a content that `search` looks in. */
export const searchTexts = (content: EventContent): ReadonlyArray<string> =>
  Array.from(textsOf(content), ([, text]) => text)

/** The fields in which any text of a search is found; none if there is no search. */
export const searchFields = (
  event: Searched,
  search: OneOrSeveral | undefined
): ReadonlyArray<SearchField> => {
  const folded = search === undefined ? [] : searchesOf({ search }).map(fold)
  if (folded.length === 0) return []
  return Array.from(textsOf(event)).flatMap(([field, text]) =>
    folded.some((wanted) => text.includes(wanted)) ? [field] : []
  )
}

const matchesAction = (wanted: string, action: string): boolean => {
  const pattern = actionPattern(wanted)
  switch (pattern.kind) {
    case "any":
      return true
    case "exact":
      return action === pattern.action
    case "prefix":
      return action.startsWith(pattern.prefix)
    case "suffix":
      return action.endsWith(pattern.suffix)
  }
}

const isOneOf = (wanted: OneOrSeveral | undefined, actual: string | null | undefined): boolean => {
  if (wanted === undefined || typeof wanted === "string") return wanted === undefined || wanted === actual
  return typeof actual === "string" && wanted.includes(actual)
}

/** What the conditions on contents read of one. */
export interface FilteredContent extends Omit<FilterColumns, "targets"> {
  readonly targets: () => FilterColumns["targets"]
  /** The folded texts that `search` looks in. */
  readonly texts: () => Iterable<string>
}

/** Whether each of some folded texts is in one of others. */
const contains = (texts: Iterable<string>, folded: ReadonlyArray<string>): boolean => {
  let missing = folded
  for (const text of texts) {
    missing = missing.filter((wanted) => !text.includes(wanted))
    if (missing.length === 0) return true
  }
  return false
}

const isFoundBy = (filter: EventFilter, content: FilteredContent): boolean => {
  const searches = filter.search === undefined ? [] : searchesOf(filter)
  return searches.length === 0 || contains(content.texts(), searches.map(fold))
}

/** Whether an event with such a content, recorded at `createdAt`, satisfies every condition. */
export const selects = (filter: EventFilter, content: FilteredContent, createdAt: Micros): boolean =>
  (filter.from === undefined || createdAt >= filter.from) &&
  (filter.to === undefined || createdAt <= filter.to) &&
  (filter.action === undefined ||
    valuesOf(filter.action).some((wanted) => matchesAction(wanted, content.action))) &&
  isOneOf(filter.category, content.actionCategory) &&
  isOneOf(filter.actorId, content.actorId) &&
  isOneOf(filter.resource, content.resourceType) &&
  isOneOf(filter.resourceId, content.resourceId) &&
  isOneOf(filter.resourceName, content.resourceName) &&
  isOneOf(filter.tenantId, content.tenantId) &&
  isOneOf(filter.sessionId, content.sessionId) &&
  isOneOf(filter.country, content.ipCountry) &&
  ((filter.targetType === undefined && filter.targetId === undefined) ||
    content
      .targets()
      .some((target) => isOneOf(filter.targetType, target.type) && isOneOf(filter.targetId, target.id))) &&
  isFoundBy(filter, content)

/** Whether an event with this content, recorded at `createdAt`, satisfies every condition. */
export const matches = (filter: EventFilter, content: EventContent, createdAt: Micros): boolean => {
  const columns = filterColumns(content)
  const texts = function* () {
    for (const [, text] of textsOf(content)) yield text
  }
  return selects(filter, { ...columns, targets: () => columns.targets, texts }, createdAt)
}
