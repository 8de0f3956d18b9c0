/** Alert rules, their evaluation, and alerts. */

export { actorKeys } from "./ActorStateKeys.ts"
export { AlertBacktest, BacktestResult, MAX_BACKTEST_ALERTS } from "./AlertBacktest.ts"
export { ALERT_CONSUMER, AlertConsumer } from "./AlertConsumer.ts"
export { AlertNotices } from "./AlertNotices.ts"
export { AlertListRequest, AlertReader } from "./AlertReader.ts"
export {
  AlertRuleDefinition,
  decodeAlertRule,
  decodeAlertRuleChange,
  UnknownRuleType
} from "./AlertRuleDefinition.ts"
export {
  AlertRuleLimitReached,
  AlertRules,
  mendStoredRule,
  StoredAlertRule,
  toAlertRule,
  withinRuleLimit
} from "./AlertRules.ts"
export { stateId } from "./AlertState.ts"
export { AlertFilter, Alerts } from "./Alerts.ts"
export { isTimeZone } from "./BusinessHours.ts"
export { glob, integer } from "./ParameterSchemas.ts"
export { countriesKey } from "./rules/NewCountry.ts"
