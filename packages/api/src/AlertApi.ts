/** The endpoints for alerts and for the rules that raise them. */

import {
  AlertRuleDefinition,
  HighVolumeDestructiveParameters,
  IngestionSpikeParameters,
  NewCountryParameters,
  OffHoursParameters,
  RepeatedActionParameters,
  ruleMembers,
  ruleType
} from "@cairn/core/alert"
import { Alert, AlertRuleType, ListedAlert } from "@cairn/core/consumer"
import { FieldSchemas as Field } from "@cairn/core/encoding"
import { Page } from "@cairn/core/log"
import { Schema, Struct, Tuple } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import {
  BODY_ERRORS,
  INVALID_PARAMETER,
  NOT_FOUND,
  PLAN_LIMIT_REACHED,
  VALIDATION_FAILED
} from "./ErrorBody.ts"
import { describeLimit, momentParameter, PAGE_BOUNDS, pageParameters } from "./Parameters.ts"

const nullable = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const input = <const T extends AlertRuleType, P extends Schema.Constraint>(type: T, parameters: P) =>
  Schema.Struct({
    name: ruleMembers.name,
    enabled: nullable(ruleMembers.enabled),
    cooldown_seconds: nullable(ruleMembers.cooldown_seconds),
    tenant_id: Schema.optionalKey(
      ruleMembers.tenant_id.annotate({
        description: "Only this tenant's events; every tenant's where it is left out"
      })
    ),
    action: Schema.optionalKey(
      ruleMembers.action.annotate({
        description: "Only events whose action matches this pattern; all where it is left out"
      })
    ),
    rule_type: ruleType(type),
    parameters: Schema.optionalKey(parameters)
  })

/** Parameters of a new rule: what is left out or null has its default. */
const given = {
  high_volume_destructive: HighVolumeDestructiveParameters.mapFields(Struct.map(Schema.toType))
    .mapFields(Struct.map(Schema.NullOr))
    .mapFields(Struct.map(Schema.optionalKey))
    .annotate({
      identifier: "HighVolumeDestructiveParametersInput",
      description: "What counts as many destructive actions"
    }),
  ingestion_spike: IngestionSpikeParameters.mapFields(Struct.map(Schema.toType))
    .mapFields(Struct.map(Schema.NullOr))
    .mapFields(Struct.map(Schema.optionalKey))
    .annotate({ identifier: "IngestionSpikeParametersInput", description: "What counts as a spike" }),
  repeated_action: RepeatedActionParameters.mapFields(Struct.map(Schema.toType))
    .mapFields(Struct.map(Schema.NullOr))
    .mapFields(Struct.map(Schema.optionalKey))
    .annotate({
      identifier: "RepeatedActionParametersInput",
      description: "What counts as repeated rapidly"
    }),
  off_hours: OffHoursParameters.mapFields(Struct.map(Schema.toType))
    .mapFields(Struct.map(Schema.NullOr))
    .mapFields(Struct.map(Schema.optionalKey))
    .annotate({
      identifier: "OffHoursParametersInput",
      description: "When people work, local to `timezone`, daylight saving included"
    })
}

/** What a new rule should be; what is left out has its default. */
export const AlertRuleInput = Schema.Union([
  input(
    "new_country",
    NewCountryParameters.annotate({
      identifier: "NewCountryParametersInput",
      description: "It has no parameters: an object without members"
    })
  ),
  input("high_volume_destructive", given.high_volume_destructive),
  input("ingestion_spike", given.ingestion_spike),
  input("repeated_action", given.repeated_action),
  input("off_hours", given.off_hours)
]).annotate({
  identifier: "AlertRuleInput",
  description: "What a new rule should be; what is left out has its default"
})

/**
 * What to change of a rule: fields that are left out stay, and so do parameters. Null is refused, except
 * where nothing was restricted.
 */
export const AlertRulePatch = Schema.Struct({
  name: Schema.optionalKey(ruleMembers.name),
  rule_type: Schema.optionalKey(
    AlertRuleType.annotate({ description: "As it is: the type of a rule never changes" })
  ),
  enabled: Schema.optionalKey(ruleMembers.enabled),
  cooldown_seconds: Schema.optionalKey(ruleMembers.cooldown_seconds),
  tenant_id: Schema.optionalKey(
    Schema.NullOr(ruleMembers.tenant_id).annotate({
      description: "Replaced, never lifted: a rule for every tenant is another rule"
    })
  ),
  action: Schema.optionalKey(
    Schema.NullOr(ruleMembers.action).annotate({
      description: "Replaced, never lifted; `*` is every action"
    })
  ),
  parameters: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Unknown).annotate({
      description: "Those to change, of the rule's own type; the others stay"
    })
  )
}).annotate({
  identifier: "AlertRulePatch",
  description: "What to change of a rule: fields that are left out stay, and so do parameters"
})

/** A rule, as it is shown. */
export const AlertRuleView = Schema.toType(
  AlertRuleDefinition.mapMembers(
    Tuple.map(
      Schema.fieldsAssign({
        id: Field.prefixedId("rul", "The rule's id: `rul_` and a UUID"),
        created_at: Field.timestamp("When it was made"),
        updated_at: Field.timestamp("When it was last changed")
      })
    )
  )
).annotate({ identifier: "AlertRule", description: "A rule that raises alerts" })
export type AlertRuleView = typeof AlertRuleView.Type

/** What a rule would have raised over the whole log. */
const BacktestReport = Schema.Struct({
  alerts: Schema.Array(Alert).annotate({
    description: "Oldest first, at most 1,000; `triggered_at` is when the event was recorded"
  }),
  events: Field.count("Events that were looked at"),
  complete: Schema.Boolean.annotate({
    description: "Whether it came to the end of the log; otherwise there were more alerts than are returned"
  })
}).annotate({ identifier: "Backtest", description: "What a rule would have raised over the whole log" })

const data = <S extends Schema.Top>(schema: S) => Schema.Struct({ data: schema })
const ruleId = { id: Schema.String.annotate({ description: "The rule's id, `rul_…`" }) }

const listAlerts = HttpApiEndpoint.get("listAlerts", "/api/v1/alerts", {
  query: {
    from: momentParameter("Triggered at or after"),
    to: momentParameter("Triggered at or before"),
    rule_type: Schema.optionalKey(AlertRuleType.annotate({ description: "Raised by rules of this type" })),
    ...pageParameters
  },
  success: Page(ListedAlert).annotate({ description: "A page of alerts" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({ summary: "List alerts, newest first", transform: describeLimit(PAGE_BOUNDS) })
)

const acknowledgeAlert = HttpApiEndpoint.post("acknowledgeAlert", "/api/v1/alerts/:id/acknowledge", {
  params: { id: Schema.String.annotate({ description: "The alert's id, `alt_…`" }) },
  success: data(ListedAlert).annotate({ description: "The alert, acknowledged" }),
  error: NOT_FOUND
}).annotateMerge(
  OpenApi.annotations({
    summary: "Acknowledge an alert",
    description:
      "Stores when and by which key. The first one counts: acknowledging again changes nothing. Recorded in the log as `cairn.alert.acknowledged`."
  })
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

const tryAlertRule = HttpApiEndpoint.post("tryAlertRule", "/api/v1/alert-rules/backtest", {
  payload: AlertRuleInput,
  success: data(BacktestReport).annotate({ description: "What it would have raised" }),
  error: [...BODY_ERRORS, VALIDATION_FAILED]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Try a new alert rule on history",
    description:
      "Runs the rule that this body would create over the whole log, and neither stores it nor raises anything. Reads every event. Its `rule_id` is that of no rule."
  })
)

/** Alerts. */
export class AlertApi extends HttpApiGroup.make("alerts")
  .add(listAlerts, acknowledgeAlert)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Alerts", description: "What the rules found" })) {}

/** Alert rules. */
export class AlertRuleApi extends HttpApiGroup.make("alertRules")
  .add(
    listAlertRules,
    createAlertRule,
    getAlertRule,
    updateAlertRule,
    deleteAlertRule,
    backtestAlertRule,
    tryAlertRule
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Alert rules", description: "What raises alerts" })) {}
