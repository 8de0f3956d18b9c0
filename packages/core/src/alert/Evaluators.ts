/** The function that evaluates each type of rule. A type without one does not compile. */
import type { AlertRule } from "./AlertRuleDefinition.ts"
import type { AlertStateRows } from "./AlertState.ts"
import type { RuleEvaluator } from "./RuleEvaluator.ts"
import { highVolumeDestructive } from "./rules/HighVolumeDestructive.ts"
import { ingestionSpike } from "./rules/IngestionSpike.ts"
import { newCountry } from "./rules/NewCountry.ts"
import { offHours } from "./rules/OffHours.ts"
import { repeatedAction } from "./rules/RepeatedAction.ts"

/** Opens the evaluator of a rule over the rows that it stored after the last batch. */
export const evaluatorOf = (rule: AlertRule, rows: AlertStateRows): RuleEvaluator => {
  switch (rule.rule_type) {
    case "new_country":
      return newCountry()
    case "high_volume_destructive":
      return highVolumeDestructive(rule.parameters, rule.id, rows)
    case "ingestion_spike":
      return ingestionSpike(rule.parameters, rule.id, rows)
    case "repeated_action":
      return repeatedAction(rule.parameters, rule.id, rows)
    case "off_hours":
      return offHours(rule.parameters)
  }
}
