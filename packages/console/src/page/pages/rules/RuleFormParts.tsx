/** Fields of the form of a rule. */
import { useLanguage } from "@cairn/ui/locale"
import { Field } from "@cairn/ui/parts"
import { useTexts } from "../../locale/Texts.ts"
import { type RuleDraft, type Span, UNITS, type Unit } from "./RuleDraft.ts"
import type { FieldFault, RuleFaults } from "./RuleFaults.ts"
import { rulesTexts } from "./RulesTexts.ts"
import { spanText } from "./RuleWords.ts"

/** What the fields work on. */
export interface RuleForm {
  readonly draft: RuleDraft
  readonly change: (draft: RuleDraft) => void
  /** What is wrong with a field, by the path that the service has for it. */
  readonly errorOf: (path: string) => string | undefined
  /** Whether nothing is wrong with what the rule watches. */
  readonly isSound: boolean
}

/** Says what is wrong with fields, in the reader's language. */
export const useFaultText = (): ((fault: FieldFault) => string) => {
  const { faults } = useTexts(rulesTexts).form
  const { locale, number } = useLanguage()
  return (fault) => {
    switch (fault.kind) {
      case "between":
        return faults.between(number(fault.least), number(fault.most))
      case "span":
        return faults.span(spanText(fault.least, locale, "day"), spanText(fault.most, locale, "day"))
      case "factor":
      case "patterns":
        return faults[fault.kind]("", number(fault.most))
      case "long":
        return faults.long("", number(256))
      default:
        return faults[fault.kind]("", "")
    }
  }
}

/** The faults that are shown: what was left empty is no fault until the form is sent. */
export const shownFaults = (faults: RuleFaults, isSent: boolean): RuleFaults =>
  Object.fromEntries(Object.entries(faults).filter(([, { kind }]) => isSent || kind !== "required"))

/** A length of time: a number and its unit. */
export const SpanField = ({
  label,
  hint,
  error,
  value,
  units,
  change
}: {
  readonly label: string
  readonly hint: string
  readonly error: string | undefined
  readonly value: Span
  readonly units: ReadonlyArray<Unit>
  readonly change: (value: Span) => void
}) => {
  const { form } = useTexts(rulesTexts)
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div class="rules-span">
          <input
            {...control}
            type="number"
            inputMode="decimal"
            min={0}
            step="any"
            value={value.amount}
            onInput={({ currentTarget }) => change({ ...value, amount: currentTarget.value })}
          />
          <select
            aria-label={form.unitOf(label)}
            value={value.unit}
            onChange={({ currentTarget }) => {
              const unit = units.find((name) => name === currentTarget.value)
              if (unit !== undefined) change({ ...value, unit })
            }}
          >
            {units.map((unit) => (
              <option key={unit} value={unit}>
                {form.units[unit]}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  )
}

/** Units that fit in a window of a day. */
export const WINDOW_UNITS: ReadonlyArray<Unit> = ["second", "minute", "hour"]

/** Every unit. */
export const ALL_UNITS: ReadonlyArray<Unit> = ["second", "minute", "hour", "day"]

/** The unit in which a window is shown: a day is 24 hours. */
export const windowSpan = (span: Span): Span =>
  span.unit === "day"
    ? { amount: String((Number(span.amount) * UNITS.day) / UNITS.hour), unit: "hour" }
    : span
