/** The endpoints for alerts and for the rules that raise them. */

import { AlertRuleDefinition } from "@cairn/core/alert"
import { Alert, AlertRuleType } from "@cairn/core/consumer"
import { Page } from "@cairn/core/log"
import { restriction } from "@cairn/core/workspace"
import { Schema, Tuple } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScope } from "./Authorization.ts"
import {
  BODY_ERRORS,
  INVALID_PARAMETER,
  NOT_FOUND,
  PLAN_LIMIT_REACHED,
  VALIDATION_FAILED
} from "./ErrorBody.ts"
import { describeLimit, momentParameter, PAGE_BOUNDS, pageParameters, textParameter } from "./Parameters.ts"

/** What a new rule should be; what is left out has its default. */
export const AlertRuleInput = Schema.toEncoded(
  AlertRuleDefinition.mapMembers(
    Tuple.map(
      Schema.fieldsAssign({
        tenant_id: restriction("Only this tenant's events; every tenant's where it is left out"),
        action: restriction("Only events whose action matches this pattern; all where it is left out")
      })
    )
  )
).annotate({ identifier: "AlertRuleInput" })

const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/**
 * What to change of a rule: fields that are left out stay, and so do parameters. Null is refused, except
 * where nothing was restricted.
 */
export const AlertRulePatch = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  rule_type: Schema.optionalKey(AlertRuleType).annotate({
    description: "As it is: the type of a rule never changes"
  }),
  enabled: Schema.optionalKey(Schema.Boolean),
  cooldown_seconds: Schema.optionalKey(Schema.Int),
  tenant_id: nullable(Schema.String).annotate({
    description: "Replaced, never lifted: a rule for every tenant is another rule"
  }),
  action: nullable(Schema.String).annotate({ description: "Replaced, never lifted; `*` is every action" }),
  parameters: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}).annotate({ identifier: "AlertRulePatch" })

/** A rule, as it is shown. */
export const AlertRuleView = AlertRuleDefinition.mapMembers(
  Tuple.map(
    Schema.fieldsAssign({
      id: Schema.String.annotate({ description: "`rul_` and a UUID" }),
      created_at: Schema.String,
      updated_at: Schema.String
    })
  )
).annotate({ identifier: "AlertRule" })
export type AlertRuleView = typeof AlertRuleView.Type

/** What a rule would have raised over the whole log. */
export const BacktestReport = Schema.Struct({
  alerts: Schema.Array(Alert).annotate({
    description: "Oldest first, at most 1,000; `triggered_at` is when the event was recorded"
  }),
  events: Schema.Int.annotate({ description: "Events that were looked at" }),
  complete: Schema.Boolean.annotate({
    description: "Whether it came to the end of the log; otherwise there were more alerts than are returned"
  })
}).annotate({ identifier: "Backtest" })

const data = <S extends Schema.Top>(schema: S) => Schema.Struct({ data: schema })
const ruleId = { id: Schema.String.annotate({ description: "The rule's id, `rul_…`" }) }

/** `a`, `b` or `c`. */
const anyOf = (values: ReadonlyArray<string>): string => {
  const quoted = values.map((value) => `\`${value}\``)
  return `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
}

const listAlerts = HttpApiEndpoint.get("listAlerts", "/api/v1/alerts", {
  query: {
    from: momentParameter("Triggered at or after"),
    to: momentParameter("Triggered at or before"),
    rule_type: textParameter(anyOf(AlertRuleType.literals)),
    ...pageParameters
  },
  success: Page(Alert).annotate({ description: "A page of alerts" }),
  error: INVALID_PARAMETER
})
  .annotate(RequiredScope, "read")
  .annotateMerge(
    OpenApi.annotations({ summary: "List alerts, newest first", transform: describeLimit(PAGE_BOUNDS) })
  )

const listAlertRules = HttpApiEndpoint.get("listAlertRules", "/api/v1/alert-rules", {
  query: pageParameters,
  success: Page(AlertRuleView).annotate({ description: "A page of alert rules" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({ summary: "List alert rules, newest first", transform: describeLimit(PAGE_BOUNDS) })
)

const createAlertRule = HttpApiEndpoint.post("createAlertRule", "/api/v1/alert-rules", {
  payload: AlertRuleInput,
  success: data(AlertRuleView).annotate({ description: "The rule" }).pipe(HttpApiSchema.status(201)),
  error: [...BODY_ERRORS, VALIDATION_FAILED, PLAN_LIMIT_REACHED]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Create an alert rule",
    description:
      "It watches what is recorded from now on; `new_country` knows where people worked before. A plan allows so many rules, on or off."
  })
)

const getAlertRule = HttpApiEndpoint.get("getAlertRule", "/api/v1/alert-rules/:id", {
  params: ruleId,
  success: data(AlertRuleView).annotate({ description: "The rule" }),
  error: NOT_FOUND
}).annotateMerge(OpenApi.annotations({ summary: "Get one alert rule" }))

const updateAlertRule = HttpApiEndpoint.patch("updateAlertRule", "/api/v1/alert-rules/:id", {
  params: ruleId,
  payload: AlertRulePatch,
  success: data(AlertRuleView).annotate({ description: "The rule as it is now" }),
  error: [...BODY_ERRORS, VALIDATION_FAILED, NOT_FOUND]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Change an alert rule",
    description:
      "Its type stays: another type is another rule. Alerts that it raised keep the name that it had."
  })
)

const deleteAlertRule = HttpApiEndpoint.delete("deleteAlertRule", "/api/v1/alert-rules/:id", {
  params: ruleId,
  success: data(AlertRuleView).annotate({ description: "The rule that was" }),
  error: NOT_FOUND
}).annotateMerge(OpenApi.annotations({ summary: "Delete an alert rule", description: "Its alerts stay." }))

const backtestAlertRule = HttpApiEndpoint.post("backtestAlertRule", "/api/v1/alert-rules/:id/backtest", {
  params: ruleId,
  success: data(BacktestReport).annotate({ description: "What it would have raised" }),
  error: NOT_FOUND
}).annotateMerge(
  OpenApi.annotations({
    summary: "Try an alert rule on history",
    description: "Runs it over the whole log, whether it is on or off, and raises nothing. Reads every event."
  })
)

/** Alerts. */
export class AlertApi extends HttpApiGroup.make("alerts")
  .add(listAlerts)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Alerts", description: "What the rules found" })) {}

/** Alert rules. */
export class AlertRuleApi extends HttpApiGroup.make("alertRules")
  .add(listAlertRules, createAlertRule, getAlertRule, updateAlertRule, deleteAlertRule, backtestAlertRule)
  .middleware(Authorization)
  .annotateEndpoints(RequiredScope, "admin")
  .annotateMerge(OpenApi.annotations({ title: "Alert rules", description: "What raises alerts" })) {}
