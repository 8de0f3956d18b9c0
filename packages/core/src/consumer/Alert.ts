/** The alert that a rule raised, as the interface returns it. */
import { Schema } from "effect"
import { AlertRuleType } from "./AlertRuleType.ts"

/** A rule fired on an event. */
export const Alert = Schema.Struct({
  id: Schema.String.annotate({ description: "`alt_` and a UUID" }),
  rule_id: Schema.String,
  rule_name: Schema.String,
  rule_type: AlertRuleType,
  event_id: Schema.String,
  reason: Schema.String,
  triggered_at: Schema.String
}).annotate({ identifier: "Alert" })
export type Alert = typeof Alert.Type
