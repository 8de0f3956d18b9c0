/** What a filter asks of the columns of a frame, and of the postings of a group. */
import { actionPattern, type EventFilter, type OneOrSeveral, valuesOf } from "../../event/EventFilter.ts"
import {
  anyOf,
  beginningWith,
  type ColumnCondition,
  endingWith,
  type IsWanted,
  oneOf
} from "./FrameColumns.ts"
import { isListedPrefix, isListedSuffix, type ListedField, targetValue } from "./GroupPostings.ts"
import type { RequiredValue } from "./Postings.ts"

/** The conditions of a filter on columns, prepared. */
export interface ColumnFilter {
  /** What the columns of a frame are asked. */
  readonly conditions: ReadonlyArray<ColumnCondition>
  /**
   * What the postings of a group are asked: exactly the events that have one of the values of each condition
   * are selected.
   */
  readonly values: ReadonlyArray<ReadonlyArray<RequiredValue>>
}

const NOTHING: ColumnFilter = { conditions: [], values: [] }
const encoder = new TextEncoder()
const anything = (): boolean => true

const both = (one: ColumnFilter, other: ColumnFilter): ColumnFilter => ({
  conditions: [...one.conditions, ...other.conditions],
  values: [...one.values, ...other.values]
})

/** The values that an event may have: no text in a content has half of a surrogate pair. */
const possible = (values: OneOrSeveral): ReadonlyArray<string> =>
  valuesOf(values).filter((value) => value.isWellFormed())

/** What one value of the condition on actions asks; undefined if every action is wanted. */
const ofPattern = (
  action: string
): { readonly isWanted: IsWanted; readonly value: RequiredValue } | undefined => {
  const pattern = actionPattern(action)
  switch (pattern.kind) {
    case "any":
      return undefined
    case "exact":
      return { isWanted: oneOf([pattern.action]), value: requiredValue("action", pattern.action) }
    case "prefix":
      return {
        isWanted: beginningWith(pattern.prefix),
        value: withPrefix(encoder.encode(pattern.prefix))
      }
    case "suffix":
      return { isWanted: endingWith(pattern.suffix), value: withSuffix(encoder.encode(pattern.suffix)) }
  }
}

const ofAction = (actions: OneOrSeveral): ColumnFilter => {
  const patterns = possible(actions).map(ofPattern)
  const some = patterns.filter((pattern) => pattern !== undefined)
  if (some.length < patterns.length) return NOTHING
  return {
    conditions: [{ field: "action", isWanted: anyOf(some.map(({ isWanted }) => isWanted)) }],
    values: [some.map(({ value }) => value)]
  }
}

const withPrefix = (value: Uint8Array): RequiredValue =>
  isListedPrefix(value) ? { kind: "actionPrefix", value } : { kind: "action", value, part: "beginning" }

const withSuffix = (value: Uint8Array): RequiredValue =>
  isListedSuffix(value) ? { kind: "actionSuffix", value } : { kind: "action", value, part: "end" }

const requiredValue = (kind: ListedField, value: string): RequiredValue => ({
  kind,
  value: encoder.encode(value)
})

const equal = (field: ListedField, wanted: OneOrSeveral | undefined): ColumnFilter => {
  if (wanted === undefined) return NOTHING
  const values = possible(wanted)
  return {
    conditions: [{ field, isWanted: oneOf(values) }],
    values: [values.map((value) => requiredValue(field, value))]
  }
}

const ofTarget = (types: OneOrSeveral | undefined, ids: OneOrSeveral | undefined): ColumnFilter => {
  if (types === undefined && ids === undefined) return NOTHING
  const [ofTypes, ofIds] = [types, ids].map((wanted) => (wanted === undefined ? undefined : possible(wanted)))
  return {
    conditions: [
      {
        field: "targets",
        isType: ofTypes === undefined ? anything : oneOf(ofTypes),
        isId: ofIds === undefined ? anything : oneOf(ofIds)
      }
    ],
    values: [targetValues(ofTypes, ofIds)]
  }
}

/** Of types and ids these are the values of both: each alone could be of another target. */
const targetValues = (
  types: ReadonlyArray<string> | undefined,
  ids: ReadonlyArray<string> | undefined
): ReadonlyArray<RequiredValue> => {
  if (ids === undefined)
    return (types ?? []).map((type) => ({ kind: "targetType", value: encoder.encode(type) }))
  if (types === undefined) return ids.map((id) => ({ kind: "target", value: encoder.encode(id) }))
  return types.flatMap((type) =>
    ids.map((id): RequiredValue => ({ kind: "target", value: targetValue(type, id) }))
  )
}

/** Prepares a filter. Its search and its times are not among the conditions. */
export const columnFilter = (filter: EventFilter): ColumnFilter =>
  [
    filter.action === undefined ? NOTHING : ofAction(filter.action),
    equal("actorId", filter.actorId),
    equal("resourceType", filter.resource),
    equal("resourceId", filter.resourceId),
    equal("resourceName", filter.resourceName),
    equal("tenantId", filter.tenantId),
    equal("sessionId", filter.sessionId),
    equal("actionCategory", filter.category),
    equal("ipCountry", filter.country),
    ofTarget(filter.targetType, filter.targetId)
  ].reduce(both)
