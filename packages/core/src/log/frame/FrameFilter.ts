/** What a filter asks of the columns of a frame, and of the postings of a group. */
import { actionPattern, type EventFilter } from "../../event/EventFilter.ts"
import { beginningWith, type ColumnCondition, equalTo } from "./FrameColumns.ts"
import { isListedPrefix, targetValue } from "./GroupPostings.ts"
import type { RequiredValue } from "./Postings.ts"

/** The conditions of a filter on columns, prepared. */
export interface ColumnFilter {
  /** What the columns of a frame are asked. */
  readonly conditions: ReadonlyArray<ColumnCondition>
  /** What the postings of a group are asked: exactly the events that have all of them are selected. */
  readonly values: ReadonlyArray<RequiredValue>
}

const NOTHING: ColumnFilter = { conditions: [], values: [] }
const encoder = new TextEncoder()
const anything = (): boolean => true

const both = (one: ColumnFilter, other: ColumnFilter): ColumnFilter => ({
  conditions: [...one.conditions, ...other.conditions],
  values: [...one.values, ...other.values]
})

const ofAction = (action: string): ColumnFilter => {
  const pattern = actionPattern(action)
  switch (pattern.kind) {
    case "any":
      return NOTHING
    case "exact":
      return equal("action", pattern.action)
    case "prefix":
      return {
        conditions: [{ field: "action", isWanted: beginningWith(pattern.prefix) }],
        values: [withPrefix(encoder.encode(pattern.prefix))]
      }
  }
}

const withPrefix = (value: Uint8Array): RequiredValue =>
  isListedPrefix(value) ? { kind: "actionPrefix", value } : { kind: "action", value, isBeginning: true }

const equal = (
  field: "action" | "actorId" | "resourceType" | "resourceId" | "tenantId" | "sessionId",
  value: string
): ColumnFilter => ({
  conditions: [{ field, isWanted: equalTo(value) }],
  values: [{ kind: field, value: encoder.encode(value) }]
})

const ofTarget = (type: string | undefined, id: string | undefined): ColumnFilter => ({
  conditions: [
    {
      field: "targets",
      isType: type === undefined ? anything : equalTo(type),
      isId: id === undefined ? anything : equalTo(id)
    }
  ],
  values: [targetKind(type, id)]
})

/** Of a type and an id it is the value of both: each alone could be of another target. */
const targetKind = (type: string | undefined, id: string | undefined): RequiredValue =>
  id === undefined
    ? { kind: "targetType", value: encoder.encode(type) }
    : { kind: "target", value: type === undefined ? encoder.encode(id) : targetValue(type, id) }

/** Prepares a filter. Its search and its times are not among the conditions. */
export const columnFilter = (filter: EventFilter): ColumnFilter =>
  [
    filter.action === undefined ? NOTHING : ofAction(filter.action),
    filter.actorId === undefined ? NOTHING : equal("actorId", filter.actorId),
    filter.resource === undefined ? NOTHING : equal("resourceType", filter.resource),
    filter.resourceId === undefined ? NOTHING : equal("resourceId", filter.resourceId),
    filter.tenantId === undefined ? NOTHING : equal("tenantId", filter.tenantId),
    filter.sessionId === undefined ? NOTHING : equal("sessionId", filter.sessionId),
    filter.targetType === undefined && filter.targetId === undefined
      ? NOTHING
      : ofTarget(filter.targetType, filter.targetId)
  ].reduce(both)
