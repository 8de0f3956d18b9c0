/** Alert rules, their evaluation, and alerts. */

export { actorKeys } from "./ActorStateKeys.ts"
export { AlertBacktest, BacktestResult } from "./AlertBacktest.ts"
export { ALERT_CONSUMER, AlertConsumer } from "./AlertConsumer.ts"
export { AlertListRequest, AlertReader } from "./AlertReader.ts"
export { AlertRuleDefinition, decodeAlertRule, ruleMembers, ruleType } from "./AlertRuleDefinition.ts"
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
export { HighVolumeDestructiveParameters } from "./rules/HighVolumeDestructive.ts"
export { IngestionSpikeParameters } from "./rules/IngestionSpike.ts"
export { countriesKeys, NewCountryParameters } from "./rules/NewCountry.ts"
export { OffHoursParameters } from "./rules/OffHours.ts"
export { RepeatedActionParameters } from "./rules/RepeatedAction.ts"
