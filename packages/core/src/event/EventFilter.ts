/**
 * Selects the events of a list, a count or an export. All conditions must hold.
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

/** The conditions. An absent condition is met by every event. */
export const EventFilter = Schema.Struct({
  /** An action, `prefix.*` for everything below a prefix, or `*` for all; a `*` elsewhere is literal. */
  action: Schema.optionalKey(Schema.String),
  actorId: Schema.optionalKey(Schema.String),
  /** The resource's type. */
  resource: Schema.optionalKey(Schema.String),
  resourceId: Schema.optionalKey(Schema.String),
  tenantId: Schema.optionalKey(Schema.String),
  sessionId: Schema.optionalKey(Schema.String),
  /**
   * Text that occurs, in any letter case, in the actor name, action, resource name or canonical JSON of
   * metadata.
   */
  search: Schema.optionalKey(Schema.String),
  /** With `targetId`, one target must have both. */
  targetType: Schema.optionalKey(Schema.String),
  targetId: Schema.optionalKey(Schema.String),
  /** Recorded at or after. */
  from: Schema.optionalKey(Schema.Number),
  /** Recorded at or before. */
  to: Schema.optionalKey(Schema.Number)
})
export type EventFilter = typeof EventFilter.Type

/** The meaning of an `action` condition. */
type ActionPattern =
  | { readonly kind: "any" }
  | { readonly kind: "exact"; readonly action: string }
  | { readonly kind: "prefix"; readonly prefix: string }

/**
 * Reads the `action` condition. The prefix keeps its dot: `foo.*` matches `foo.bar` and `foo.bar.baz`, not
 * `foo`.
 */
export const actionPattern = (action: string): ActionPattern => {
  if (action === "*") return { kind: "any" }
  return action.endsWith(".*") ? { kind: "prefix", prefix: action.slice(0, -1) } : { kind: "exact", action }
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

/** The fields in which `search` finds an event; none if it does not, or if there is no search. */
export const searchFields = (event: Searched, search: string | undefined): ReadonlyArray<SearchField> => {
  if (search === undefined || search === "") return []
  const folded = fold(search)
  return Array.from(textsOf(event)).flatMap(([field, text]) => (text.includes(folded) ? [field] : []))
}

const matchesAction = (pattern: ActionPattern, action: string): boolean => {
  switch (pattern.kind) {
    case "any":
      return true
    case "exact":
      return action === pattern.action
    case "prefix":
      return action.startsWith(pattern.prefix)
  }
}

const same = (wanted: string | undefined, actual: string | null | undefined): boolean =>
  wanted === undefined || wanted === actual

/** What the conditions on contents read of one. */
export interface FilteredContent extends Omit<FilterColumns, "targets"> {
  readonly targets: () => FilterColumns["targets"]
  /** The folded texts that `search` looks in. */
  readonly texts: () => Iterable<string>
}

const contains = (texts: Iterable<string>, folded: string): boolean => {
  for (const text of texts) if (text.includes(folded)) return true
  return false
}

/** Whether an event with such a content, recorded at `createdAt`, satisfies every condition. */
export const selects = (filter: EventFilter, content: FilteredContent, createdAt: Micros): boolean =>
  (filter.from === undefined || createdAt >= filter.from) &&
  (filter.to === undefined || createdAt <= filter.to) &&
  (filter.action === undefined || matchesAction(actionPattern(filter.action), content.action)) &&
  same(filter.actorId, content.actorId) &&
  same(filter.resource, content.resourceType) &&
  same(filter.resourceId, content.resourceId) &&
  same(filter.tenantId, content.tenantId) &&
  same(filter.sessionId, content.sessionId) &&
  ((filter.targetType === undefined && filter.targetId === undefined) ||
    content
      .targets()
      .some((target) => same(filter.targetType, target.type) && same(filter.targetId, target.id))) &&
  (filter.search === undefined || filter.search === "" || contains(content.texts(), fold(filter.search)))

/** Whether an event with this content, recorded at `createdAt`, satisfies every condition. */
export const matches = (filter: EventFilter, content: EventContent, createdAt: Micros): boolean => {
  const columns = filterColumns(content)
  const texts = function* () {
    for (const [, text] of textsOf(content)) yield text
  }
  return selects(filter, { ...columns, targets: () => columns.targets, texts }, createdAt)
}
