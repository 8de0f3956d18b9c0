/** Where a reader of a log is, and which events the reader wants to see: what an address holds. */
export {
  CONDITION_NAMES,
  type ConditionName,
  type Filter,
  type FilterName,
  filterFrom,
  filterParameters,
  MOST_VALUES,
  type ValuesName,
  withCondition,
  withLess,
  withMore,
  withValues
} from "./Filter.ts"
export type { LogPart } from "./LogPart.ts"
export { PERIOD_NAMES, type PeriodName, periodEnds, periodNamed, withPeriod, type Zone } from "./Period.ts"
export {
  type Clock,
  type Place,
  placeFrom,
  placeParameters,
  type Selection,
  selectionParameters
} from "./Place.ts"
