/** The alert that a rule raised, as the interface returns it. */
import { Schema } from "effect"
import * as Field from "../encoding/FieldSchemas.ts"
import { AlertRuleType } from "./AlertRuleType.ts"

/** A rule fired on an event. */
export const Alert = Schema.Struct({
  id: Field.prefixedId("alt", "The alert's id: `alt_` and a UUID"),
  rule_id: Field.text("The rule that fired; it may be gone"),
  rule_name: Field.text("The rule's name at that time"),
  rule_type: AlertRuleType.annotate({ description: "What the rule looks for" }),
  event_id: Field.text("The event that it fired on"),
  reason: Field.text("Why it fired, in one sentence"),
  triggered_at: Field.timestamp("When it fired")
}).annotate({ identifier: "Alert", description: "A rule fired on an event" })
export type Alert = typeof Alert.Type

/** An alert as it is listed: with who has taken note of it. */
export const ListedAlert = Schema.Struct({
  ...Alert.fields,
  acknowledged_at: Field.nullable(Field.timestamp(), "When it was acknowledged; null until then"),
  acknowledged_by: Field.nullable(Field.text(), "The id of the API key that acknowledged it; null until then")
}).annotate({ identifier: "ListedAlert", description: "An alert, and who has acknowledged it" })
export type ListedAlert = typeof ListedAlert.Type
