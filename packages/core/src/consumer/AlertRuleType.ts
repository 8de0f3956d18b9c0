/** The types of alert rule. */
import { Schema } from "effect"

/** A type of alert rule: the rules, their parameters and their evaluators are one for each. */
export const AlertRuleType = Schema.Literals([
  "new_country",
  "high_volume_destructive",
  "ingestion_spike",
  "repeated_action",
  "off_hours"
])
export type AlertRuleType = typeof AlertRuleType.Type
