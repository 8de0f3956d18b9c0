/** What a rule watches, in a sentence, in the reader's language. */
import { type RuleInput, UNITS } from "./RuleDraft.ts"
import type { RulesTable } from "./RulesTable.ts"

/** A length of time, in the largest unit up to `most` that holds it whole. */
export const spanText = (seconds: number, locale: string, most: "hour" | "day" = "hour"): string => {
  const units = [...(most === "day" ? (["day"] as const) : []), "hour", "minute"] as const
  const unit = seconds === 0 ? "minute" : (units.find((name) => seconds % UNITS[name] === 0) ?? "second")
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(
    seconds / UNITS[unit]
  )
}

/** A Monday, so that days can be counted from it. */
const MONDAY = Date.UTC(2024, 0, 1)

/** The name of a day of the week, 1 (Monday) to 7 (Sunday). */
export const dayName = (day: number, locale: string, style: "short" | "long"): string =>
  new Intl.DateTimeFormat(locale, { weekday: style, timeZone: "UTC" }).format(
    MONDAY + (day - 1) * UNITS.day * 1_000
  )

/** Days of the week, those of a run of three or more as its ends: `Mon–Fri`. */
export const daysText = (days: ReadonlyArray<number>, locale: string): string => {
  const runs: Array<Array<number>> = []
  for (const day of days.toSorted((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run?.at(-1) === day - 1) run.push(day)
    else runs.push([day])
  }
  const name = (day: number) => dayName(day, locale, "short")
  const parts = runs.flatMap((run) => {
    const [first = 1, last = first] = [run[0], run.at(-1)]
    return run.length >= 3 ? [`${name(first)}–${name(last)}`] : run.map(name)
  })
  return new Intl.ListFormat(locale, { type: "unit", style: "short" }).format(parts)
}

/** The reader's language, as far as it is needed here. */
interface Words {
  readonly locale: string
  readonly number: (value: number) => string
}

/** When the rule raises an alert. */
export const watchedText = (
  rule: Pick<RuleInput, "rule_type" | "parameters">,
  texts: RulesTable,
  { locale, number }: Words
): string => {
  const { rule_type, parameters } = rule as RuleInput
  const within = (seconds: number | null | undefined) => spanText(seconds ?? 0, locale)
  switch (rule_type) {
    case "new_country":
      return texts.newCountry
    case "high_volume_destructive":
      return texts.destructive(
        number(parameters?.threshold ?? 0),
        within(parameters?.window_seconds),
        parameters?.scope !== "workspace"
      )
    case "repeated_action":
      return texts.repeated(number(parameters?.threshold ?? 0), within(parameters?.window_seconds))
    case "ingestion_spike":
      return texts.spike(
        number(parameters?.factor ?? 0),
        within(parameters?.window_seconds),
        number(parameters?.minimum_events ?? 0)
      )
    case "off_hours": {
      const { days, start, end, timezone } = parameters ?? {}
      return (days ?? []).length === 0
        ? texts.offHoursAlways
        : texts.offHours(daysText(days ?? [], locale), start ?? "", end ?? "", timezone ?? "")
    }
  }
}

/** How long the rule is silent after an alert. */
export const pauseText = (rule: RuleInput, texts: RulesTable, locale: string): string => {
  const seconds = rule.cooldown_seconds ?? 0
  if (seconds === 0) return texts.noPause
  const span = spanText(seconds, locale, "day")
  const isWhole =
    rule.rule_type === "ingestion_spike" ||
    (rule.rule_type === "high_volume_destructive" && rule.parameters?.scope === "workspace")
  return isWhole ? texts.pauseWhole(span) : texts.pause(span)
}
