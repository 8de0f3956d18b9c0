/** The rules that raise alerts: their definition, and why one is rejected. */
import { Effect, Record, Result, Schema } from "effect"
import { AlertRuleType } from "../consumer/AlertRuleType.ts"
import { MAX_IDENTIFIER } from "../event/EventInput.ts"
import { describeIssue, InvalidInput } from "../event/InvalidInput.ts"
import { knownMembers } from "../event/KnownMembers.ts"
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
    Schema.makeFilter((value: string) => {
      if (value.trim() === "") return "must not be empty"
      if (value.length > limit) return `must have at most ${limit} characters`
      return value.isWellFormed() && !value.includes("\0")
        ? undefined
        : "must be well-formed Unicode, without lone surrogates and U+0000"
    })
  )

/** The members that every rule has, whatever its type. */
const common = {
  name: text(MAX_IDENTIFIER),
  enabled: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  /**
   * After an alert, the same actor raises no further alert by this rule for this long; 0 raises one for every
   * event that qualifies.
   */
  cooldown_seconds: integer(0, MAX_COOLDOWN_SECONDS).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(3_600))
  ),
  /** The rule is evaluated only for this tenant's events; null for all. */
  tenant_id: Schema.NullOr(text(MAX_IDENTIFIER)).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** The rule is evaluated only for events whose action matches this pattern; null for all. */
  action: Schema.NullOr(glob).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
}

const variant = <T extends AlertRuleType, P extends Schema.Constraint>(type: T, parameters: P) =>
  Schema.Struct({ ...common, rule_type: Schema.Literal(type), parameters })

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

/** There is no such type of rule. */
export class UnknownRuleType extends Schema.TaggedError<UnknownRuleType>()("UnknownRuleType", {
  ruleType: Schema.String
}) {
  /** The existing types. */
  override get message(): string {
    return `rule_type: must be one of ${AlertRuleType.literals.join(", ")}`
  }
}

type Decode = (body: unknown) => Result.Result<AlertRuleDefinition, Schema.SchemaError>

const known: Record<AlertRuleType, ReturnType<typeof knownMembers>> = Record.map(variants, knownMembers)

const decoders: Record<AlertRuleType, Decode> = Record.map(variants, (schema) =>
  Schema.decodeUnknownResult(schema)
)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** `null` counts as omitted, as it does in every body. */
const withoutNulls = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))

const isRuleType = Schema.is(AlertRuleType)

/** Why a type is invalid. Only text is quoted: other values may have no text form or an endless one. */
const unknownType = (type: unknown) =>
  Result.fail(new UnknownRuleType({ ruleType: typeof type === "string" ? type : "" }))

/**
 * Checks the body that creates a rule and adds defaults. The first error is named by its path, such as
 * `parameters.threshold`.
 */
export const decodeAlertRule = (
  body: unknown
): Result.Result<AlertRuleDefinition, InvalidInput | UnknownRuleType> => {
  if (!isObject(body)) return Result.fail(new InvalidInput({ path: "", reason: "must be an object" }))
  const { rule_type: type, parameters = {}, ...rest } = withoutNulls(body)
  if (type === undefined) return Result.fail(new InvalidInput({ path: "rule_type", reason: "is required" }))
  if (!isRuleType(type)) return unknownType(type)
  const unknown = known[type](body)
  if (unknown !== undefined) return Result.fail(unknown)
  // A schema without members accepts any value except null, and would store it.
  if (!isObject(parameters))
    return Result.fail(new InvalidInput({ path: "parameters", reason: "must be an object" }))
  const given = { ...rest, rule_type: type, parameters: withoutNulls(parameters) }
  return Result.mapError(decoders[type](given), ({ issue }) => describeIssue(issue))
}

/**
 * Checks the body that changes a rule: given members replace stored ones, parameters one by one, and `null`
 * sets the default. The type of a rule never changes.
 */
export const decodeAlertRuleChange = (
  current: AlertRuleDefinition,
  body: unknown
): Result.Result<AlertRuleDefinition, InvalidInput | UnknownRuleType> => {
  if (!isObject(body)) return Result.fail(new InvalidInput({ path: "", reason: "must be an object" }))
  const { rule_type: type = current.rule_type, parameters = {} } = withoutNulls(body)
  if (!isRuleType(type)) return unknownType(type)
  if (type !== current.rule_type) {
    return Result.fail(
      new InvalidInput({ path: "rule_type", reason: "cannot be changed; make another rule" })
    )
  }
  return decodeAlertRule({
    ...current,
    ...body,
    rule_type: type,
    name: "name" in body ? body.name : current.name,
    parameters: isObject(parameters)
      ? { ...current.parameters, ...(isObject(body.parameters) ? body.parameters : {}) }
      : parameters
  })
}
