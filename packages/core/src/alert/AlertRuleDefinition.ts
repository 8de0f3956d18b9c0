/** The rules that raise alerts: their definition, and why one is rejected. */
import { Effect, Record, Result, Schema } from "effect"
import { AlertRuleType } from "../consumer/AlertRuleType.ts"
import { MAX_IDENTIFIER } from "../event/EventInput.ts"
import { InvalidInput, unlessInvalid } from "../event/InvalidInput.ts"
import { decodeStrictly } from "../event/KnownMembers.ts"
import { textFault } from "../event/TextFault.ts"
import { glob, integer } from "./ParameterSchemas.ts"
import { HighVolumeDestructiveParameters } from "./rules/HighVolumeDestructive.ts"
import { IngestionSpikeParameters } from "./rules/IngestionSpike.ts"
import { NewCountryParameters } from "./rules/NewCountry.ts"
import { OffHoursParameters } from "./rules/OffHours.ts"
import { RepeatedActionParameters } from "./rules/RepeatedAction.ts"

/** The longest cooldown: a week. */
const MAX_COOLDOWN_SECONDS = 604_800

const text = (limit: number) =>
  Schema.String.check(
    Schema.makeFilter((value: string) => textFault(value, { least: 1, most: limit }), {
      toJsonSchema: () => ({ minLength: 1, maxLength: limit, pattern: "\\S" })
    })
  )

/** The members that every rule has, whatever its type. */
const common = {
  name: text(MAX_IDENTIFIER).annotate({ description: "The rule's name, which its alerts carry" }),
  enabled: Schema.Boolean.annotate({
    description: "Whether it is evaluated; it is unless said otherwise"
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  cooldown_seconds: integer(0, MAX_COOLDOWN_SECONDS)
    .annotate({
      description:
        "After an alert, the same actor raises no further alert by this rule for this long, an hour unless given; 0 raises one for every " +
        "event that qualifies"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(3_600))),
  tenant_id: Schema.NullOr(text(MAX_IDENTIFIER))
    .annotate({ description: "The rule is evaluated only for this tenant's events; null for all" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  action: Schema.NullOr(glob)
    .annotate({
      description: "The rule is evaluated only for events whose action matches this pattern; null for all"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
}

/** The members of every rule as their owner gives them, by the same checks. */
export const ruleMembers = {
  name: common.name,
  enabled: Schema.toType(common.enabled),
  cooldown_seconds: Schema.toType(common.cooldown_seconds),
  tenant_id: text(MAX_IDENTIFIER),
  action: glob
}

/** The member that tells the types apart. */
export const ruleType = <T extends AlertRuleType>(type: T) =>
  Schema.Literal(type).annotate({ description: "What the rule looks for; it never changes" })

const variant = <T extends AlertRuleType, P extends Schema.Constraint>(type: T, parameters: P) =>
  Schema.Struct({ ...common, rule_type: ruleType(type), parameters })

/** The types, each once: what is decoded, checked and shown derives from here. */
const variants = {
  new_country: variant("new_country", NewCountryParameters),
  high_volume_destructive: variant("high_volume_destructive", HighVolumeDestructiveParameters),
  ingestion_spike: variant("ingestion_spike", IngestionSpikeParameters),
  repeated_action: variant("repeated_action", RepeatedActionParameters),
  off_hours: variant("off_hours", OffHoursParameters)
} satisfies { readonly [T in AlertRuleType]: ReturnType<typeof variant<T, Schema.Constraint>> }

/** A rule as its owner defines it. Omitted parameters have their defaults. */
export const AlertRuleDefinition = Schema.Union(Object.values(variants)).annotate({
  identifier: "AlertRuleDefinition"
})
export type AlertRuleDefinition = typeof AlertRuleDefinition.Type

/** A rule of a workspace. */
export type AlertRule = AlertRuleDefinition & {
  /** `rul_` and a UUID. */
  readonly id: string
}

/** Reads the bodies of each type. */
const decoders: Record<
  AlertRuleType,
  (body: unknown, options: { readonly sent: unknown }) => Result.Result<AlertRuleDefinition, InvalidInput>
> = Record.map(variants, (schema) => decodeStrictly(schema))

/** Checks a body whose type does not exist, as far as that is possible without a type. */
const decodeUntyped = decodeStrictly(
  Schema.Struct({ ...common, rule_type: AlertRuleType, parameters: Schema.optionalKey(Schema.Unknown) })
)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const withoutNulls = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))

const isRuleType = Schema.is(AlertRuleType)

const notAnObject = Result.fail(new InvalidInput({ path: "", reason: "must be an object" }))

/** A rule of this type, or all that is wrong with the body that was sent. */
const decodeTyped = (
  value: Record<string, unknown>,
  sent: unknown
): Result.Result<AlertRuleDefinition, InvalidInput> => {
  const { rule_type: type } = value
  if (isRuleType(type)) return decoders[type](value, { sent })
  return Result.flatMap(decodeUntyped(value, { sent }), () =>
    Result.fail(new InvalidInput({ path: "rule_type", reason: "is not known" }))
  )
}

/**
 * Checks the body that creates a rule and adds defaults. `null` counts as left out, except for `parameters`.
 * All faults are named by their paths, such as `parameters.threshold`.
 */
export const decodeAlertRule = (body: unknown): Result.Result<AlertRuleDefinition, InvalidInput> => {
  if (!isObject(body)) return notAnObject
  const { parameters = {} } = body
  const given = isObject(parameters) ? withoutNulls(parameters) : parameters
  return decodeTyped({ ...withoutNulls(body), parameters: given }, body)
}

/**
 * Checks the body that changes a rule: given members replace stored ones, parameters one by one. `null` is a
 * value of `tenant_id` and `action` only. The type of a rule never changes.
 */
export const decodeAlertRuleChange = (
  current: AlertRuleDefinition,
  body: unknown
): Result.Result<AlertRuleDefinition, InvalidInput> => {
  if (!isObject(body)) return notAnObject
  const { rule_type: type = current.rule_type, parameters = {} } = body
  const moved =
    type === current.rule_type
      ? undefined
      : new InvalidInput({ path: "rule_type", reason: "cannot be changed; make another rule" })
  const merged = {
    ...current,
    ...body,
    rule_type: current.rule_type,
    parameters: isObject(parameters) ? { ...current.parameters, ...parameters } : parameters
  }
  return unlessInvalid(decodeTyped(merged, body), moved)
}
