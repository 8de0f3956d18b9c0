/** The types of alert rule, which what consumers store names too. The rules themselves: `alert/rules`. */
import { Schema } from "effect"

/** A type of alert rule. Rules, parameters and evaluators each have one entry for each type. */
export const AlertRuleType = Schema.Literals([
  "new_country",
  "high_volume_destructive",
  "ingestion_spike",
  "repeated_action",
  "off_hours"
])
export type AlertRuleType = typeof AlertRuleType.Type
