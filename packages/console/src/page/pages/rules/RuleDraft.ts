/** A rule as it is being filled in: texts as they were typed, and the rule that they make. */
import type { components } from "@cairn/client/session"

/** A rule as the interface shows it. */
export type Rule = components["schemas"]["AlertRule"]

/** What a new rule is made from. */
export type RuleInput = components["schemas"]["AlertRuleInput"]

/** What is changed of a rule. */
export type RulePatch = components["schemas"]["AlertRulePatch"]

/** What rules look for. */
export type RuleType = Rule["rule_type"]

/** The types, in the order in which they are offered. */
export const RULE_TYPES: ReadonlyArray<RuleType> = [
  "new_country",
  "high_volume_destructive",
  "off_hours",
  "repeated_action",
  "ingestion_spike"
]

/** Lengths of the window of a spike, in seconds: divisors of an hour. */
export type SpikeWindow = components["schemas"]["IngestionSpikeParameters"]["window_seconds"]

/** Units of time that fields offer, in seconds. */
export const UNITS = { second: 1, minute: 60, hour: 3_600, day: 86_400 } as const
export type Unit = keyof typeof UNITS

/** A length of time as it is typed. */
export interface Span {
  readonly amount: string
  readonly unit: Unit
}

/** The fields of the form. Those of all types are there, so that looking at another type loses nothing. */
export interface RuleDraft {
  readonly type: RuleType
  readonly name: string
  readonly enabled: boolean
  readonly cooldown: Span
  /** A pattern of actions; empty for all. */
  readonly action: string
  /** Empty for all tenants. */
  readonly tenant: string
  readonly destructive: {
    /** Patterns, one a line. */
    readonly actions: string
    readonly threshold: string
    readonly window: Span
    readonly scope: "actor" | "workspace"
  }
  readonly repeated: { readonly threshold: string; readonly window: Span }
  readonly spike: { readonly window: SpikeWindow; readonly factor: string; readonly minimum: string }
  readonly hours: {
    readonly timezone: string
    /** 1 (Monday) to 7 (Sunday). */
    readonly days: ReadonlyArray<number>
    /** `HH:MM`, as the next. */
    readonly start: string
    readonly end: string
  }
}

/** The span of some seconds, in the largest unit that holds them whole. */
export const spanOf = (seconds: number): Span => {
  const unit =
    seconds === 0
      ? "minute"
      : ((["day", "hour", "minute"] as const).find((name) => seconds % UNITS[name] === 0) ?? "second")
  return { amount: String(seconds / UNITS[unit]), unit }
}

/** The number that was typed; NaN for anything else. */
const numberOf = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text))

/** The seconds of a span; NaN where its amount is no number. */
export const secondsOf = ({ amount, unit }: Span): number => numberOf(amount) * UNITS[unit]

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** What destructive actions are called, unless the rule says otherwise; the service has the same. */
const DESTRUCTIVE = [
  "*delete*",
  "*remove*",
  "*destroy*",
  "*purge*",
  "*revoke*",
  "*erase*",
  "drop*",
  "*.drop*",
  "*_drop*"
].join("\n")

/** A new rule, with the service's defaults, and working hours in `timezone`. */
export const newDraft = (type: RuleType, name: string, timezone: string): RuleDraft => ({
  type,
  name,
  enabled: true,
  cooldown: spanOf(3_600),
  action: "",
  tenant: "",
  destructive: { actions: DESTRUCTIVE, threshold: "10", window: spanOf(300), scope: "actor" },
  repeated: { threshold: "20", window: spanOf(60) },
  spike: { window: 60, factor: "5", minimum: "100" },
  hours: { timezone, days: [1, 2, 3, 4, 5], start: "09:00", end: "18:00" }
})

/** The fields of the rule's own type. */
const parametersFrom = (rule: Rule): Partial<RuleDraft> => {
  switch (rule.rule_type) {
    case "new_country":
      return {}
    case "high_volume_destructive": {
      const { actions, threshold, window_seconds, scope } = rule.parameters
      return {
        destructive: {
          actions: actions.join("\n"),
          threshold: String(threshold),
          window: spanOf(window_seconds),
          scope
        }
      }
    }
    case "ingestion_spike": {
      const { window_seconds, factor, minimum_events } = rule.parameters
      return {
        spike: {
          window: window_seconds,
          factor: String(factor),
          minimum: String(minimum_events)
        }
      }
    }
    case "repeated_action":
      return {
        repeated: {
          threshold: String(rule.parameters.threshold),
          window: spanOf(rule.parameters.window_seconds)
        }
      }
    case "off_hours": {
      const { timezone, days, start, end } = rule.parameters
      // A field of a time of day has no 24:00; 00:00, which is not after the start, means the same.
      return { hours: { timezone, days, start, end: end === "24:00" ? "00:00" : end } }
    }
  }
}

/** The fields of a rule that there is. */
export const draftOf = (rule: Rule): RuleDraft => ({
  ...newDraft(rule.rule_type, rule.name, "UTC"),
  enabled: rule.enabled,
  cooldown: spanOf(rule.cooldown_seconds),
  action: rule.action ?? "",
  tenant: rule.tenant_id ?? "",
  ...parametersFrom(rule)
})

/** Days in the order of the week. */
const sorted = (days: ReadonlyArray<number>): ReadonlyArray<number> => days.toSorted((a, b) => a - b)

/** The rule that the fields make. Nothing is checked: see `faultsOf` of RuleFaults.ts. */
export const inputOf = (draft: RuleDraft): RuleInput => {
  const common = {
    name: draft.name.trim(),
    enabled: draft.enabled,
    cooldown_seconds: secondsOf(draft.cooldown),
    ...(draft.tenant === "" ? {} : { tenant_id: draft.tenant }),
    ...(draft.action.trim() === "" ? {} : { action: draft.action.trim() })
  }
  switch (draft.type) {
    case "new_country":
      return { ...common, rule_type: "new_country", parameters: {} }
    case "high_volume_destructive": {
      const { actions, threshold, window, scope } = draft.destructive
      return {
        ...common,
        rule_type: "high_volume_destructive",
        parameters: {
          actions: linesOf(actions),
          threshold: numberOf(threshold),
          window_seconds: secondsOf(window),
          scope
        }
      }
    }
    case "ingestion_spike": {
      const { window, factor, minimum } = draft.spike
      return {
        ...common,
        rule_type: "ingestion_spike",
        parameters: {
          window_seconds: window,
          factor: numberOf(factor),
          minimum_events: numberOf(minimum)
        }
      }
    }
    case "repeated_action": {
      const { threshold, window } = draft.repeated
      return {
        ...common,
        rule_type: "repeated_action",
        parameters: { threshold: numberOf(threshold), window_seconds: secondsOf(window) }
      }
    }
    case "off_hours": {
      const { timezone, days, start, end } = draft.hours
      return {
        ...common,
        rule_type: "off_hours",
        parameters: { timezone: timezone.trim(), days: [...sorted(days)], start, end }
      }
    }
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Members of `after` that differ from those of `before`. */
const changed = (before: object, after: object): Record<string, unknown> => {
  const known = new Map(Object.entries(before))
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => !isSame(known.get(name), value)))
}

/**
 * What the fields change of a rule, and nothing else, so that what others change meanwhile stays; undefined
 * where nothing is changed. Its type never is.
 */
export const patchOf = (rule: Rule, draft: RuleDraft): RulePatch | undefined => {
  const [before, after] = [inputOf(draftOf(rule)), inputOf({ ...draft, type: rule.rule_type })]
  const { parameters = {}, ...members } = after
  const { parameters: former = {}, ...others } = before
  const different = changed(former, parameters)
  const patch = {
    ...changed(others, members),
    ...(Object.keys(different).length === 0 ? {} : { parameters: different })
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}
