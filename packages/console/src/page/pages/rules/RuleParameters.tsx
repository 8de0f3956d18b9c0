/** The fields of each type of rule. */
import { useLanguage } from "@cairn/ui/locale"
import { CheckField, NumberField, SelectField, TextArea, TextField } from "@cairn/ui/parts"
import type { ComponentChild } from "preact"
import { useTexts } from "../../locale/Texts.ts"
import type { RuleType } from "./RuleDraft.ts"
import { SPIKE_WINDOWS } from "./RuleFaults.ts"
import { type RuleForm, SpanField, WINDOW_UNITS, windowSpan } from "./RuleFormParts.tsx"
import { rulesTexts } from "./RulesTexts.ts"
import { dayName, spanText } from "./RuleWords.ts"

const Destructive = ({ draft, change, errorOf }: RuleForm) => {
  const { form } = useTexts(rulesTexts)
  const { destructive } = draft
  const set = (some: Partial<typeof destructive>) =>
    change({ ...draft, destructive: { ...destructive, ...some } })
  return (
    <>
      <div class="rules-pair">
        <NumberField
          label={form.threshold}
          hint={form.destructiveHint}
          error={errorOf("parameters.threshold")}
          value={destructive.threshold}
          min={1}
          max={1_000}
          change={(threshold) => set({ threshold })}
        />
        <SpanField
          label={form.within}
          hint={form.withinHint}
          error={errorOf("parameters.window_seconds")}
          value={windowSpan(destructive.window)}
          units={WINDOW_UNITS}
          change={(window) => set({ window })}
        />
      </div>
      <SelectField
        label={form.scope}
        hint={form.scopeHint}
        error={errorOf("parameters.scope")}
        value={destructive.scope}
        options={[
          ["actor", form.scopes.actor],
          ["workspace", form.scopes.workspace]
        ]}
        change={(scope) => set({ scope })}
      />
      <TextArea
        label={form.patterns}
        hint={form.patternsHint}
        error={errorOf("parameters.actions")}
        value={destructive.actions}
        rows={5}
        change={(actions) => set({ actions })}
      />
    </>
  )
}

const Repeated = ({ draft, change, errorOf }: RuleForm) => {
  const { form } = useTexts(rulesTexts)
  const { repeated } = draft
  return (
    <div class="rules-pair">
      <NumberField
        label={form.threshold}
        hint={form.repeatedHint}
        error={errorOf("parameters.threshold")}
        value={repeated.threshold}
        min={2}
        max={1_000}
        change={(threshold) => change({ ...draft, repeated: { ...repeated, threshold } })}
      />
      <SpanField
        label={form.within}
        hint={form.withinHint}
        error={errorOf("parameters.window_seconds")}
        value={windowSpan(repeated.window)}
        units={WINDOW_UNITS}
        change={(window) => change({ ...draft, repeated: { ...repeated, window } })}
      />
    </div>
  )
}

const Spike = ({ draft, change, errorOf }: RuleForm) => {
  const { form } = useTexts(rulesTexts)
  const { locale } = useLanguage()
  const { spike } = draft
  const set = (some: Partial<typeof spike>) => change({ ...draft, spike: { ...spike, ...some } })
  // One that was set by other means may be any divisor of an hour.
  const windows = [...new Set([...SPIKE_WINDOWS, spike.window])].toSorted((a, b) => a - b)
  return (
    <>
      <SelectField
        label={form.window}
        hint={form.windowHint}
        error={errorOf("parameters.window_seconds")}
        value={String(spike.window)}
        options={windows.map((seconds) => [String(seconds), spanText(seconds, locale)] as const)}
        change={(value) => {
          const window = windows.find((seconds) => String(seconds) === value)
          if (window !== undefined) set({ window })
        }}
      />
      <div class="rules-pair">
        <NumberField
          label={form.factor}
          hint={form.factorHint}
          error={errorOf("parameters.factor")}
          value={spike.factor}
          min={1}
          max={1_000}
          change={(factor) => set({ factor })}
        />
        <NumberField
          label={form.minimum}
          hint={form.minimumHint}
          error={errorOf("parameters.minimum_events")}
          value={spike.minimum}
          min={1}
          change={(minimum) => set({ minimum })}
        />
      </div>
    </>
  )
}

/** Names of time zones that the browser offers; it takes others of the IANA database too. */
const timeZones = (): ReadonlyArray<string> => ["UTC", ...Intl.supportedValuesOf("timeZone")]

const Hours = ({ draft, change, errorOf }: RuleForm) => {
  const { form } = useTexts(rulesTexts)
  const { locale } = useLanguage()
  const { hours } = draft
  const set = (some: Partial<typeof hours>) => change({ ...draft, hours: { ...hours, ...some } })
  const turn = (day: number, works: boolean) =>
    set({ days: works ? [...hours.days, day] : hours.days.filter((other) => other !== day) })
  return (
    <>
      <TextField
        label={form.timezone}
        hint={form.timezoneHint}
        error={errorOf("parameters.timezone")}
        value={hours.timezone}
        list={timeZones()}
        change={(timezone) => set({ timezone })}
      />
      <fieldset class="rules-days">
        <legend>{form.days}</legend>
        {[1, 2, 3, 4, 5, 6, 7].map((day) => (
          <CheckField
            key={day}
            label={dayName(day, locale, "long")}
            value={hours.days.includes(day)}
            change={(works) => turn(day, works)}
          />
        ))}
        {hours.days.length === 0 && <p class="hint">{form.noDays}</p>}
      </fieldset>
      <div class="rules-pair">
        <TextField
          label={form.start}
          hint={form.startHint}
          error={errorOf("parameters.start")}
          type="time"
          value={hours.start}
          change={(start) => set({ start })}
        />
        <TextField
          label={form.end}
          hint={form.endHint}
          error={errorOf("parameters.end")}
          type="time"
          value={hours.end}
          change={(end) => set({ end })}
        />
      </div>
    </>
  )
}

/** The fields of a type. */
const FIELDS: Readonly<Record<RuleType, (form: RuleForm) => ComponentChild>> = {
  new_country: () => null,
  high_volume_destructive: (form) => <Destructive {...form} />,
  ingestion_spike: (form) => <Spike {...form} />,
  repeated_action: (form) => <Repeated {...form} />,
  off_hours: (form) => <Hours {...form} />
}

/** The fields of the draft's own type. */
export const RuleParameters = (form: RuleForm) => <>{FIELDS[form.draft.type](form)}</>
