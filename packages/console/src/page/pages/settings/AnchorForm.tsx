/** When the periods of the workspace's anchors end. */
import { NumberField, TextField } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import type { Schemas } from "../../data/Session.ts"
import { Choice } from "../../frame/choice/Choice.tsx"
import { fieldFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { type ScheduleForm, scheduleForm, scheduleOf } from "./AnchorTimes.ts"
import { SettingsForm, useSaving } from "./SettingsForm.tsx"
import { settingsTexts } from "./SettingsTexts.ts"

const RHYTHMS = ["service", "hour", "quarter", "day", "own"] as const

/** The form. */
export const AnchorForm = ({ of: { anchor_schedule: stored } }: { readonly of: Schemas["Workspace"] }) => {
  const texts = useTexts(settingsTexts)
  const saving = useSaving()
  const [touched, setForm] = useState<ScheduleForm>()
  const form = touched ?? scheduleForm(stored)
  const [isSent, setSent] = useState(false)
  const schedule = scheduleOf(form)
  const isSame =
    schedule?.every_seconds === stored?.every_seconds && schedule?.offset_seconds === stored?.offset_seconds
  const missing = isSent && schedule === undefined ? texts.numberMissing : undefined
  return (
    <SettingsForm
      title={texts.anchors}
      hint={texts.anchorsHint}
      saving={saving}
      patch={schedule !== undefined && isSame ? undefined : { anchor_schedule: schedule ?? null }}
      check={() => {
        setSent(true)
        return schedule !== undefined
      }}
    >
      <Choice
        label={texts.period}
        isLine
        value={form.rhythm}
        change={(rhythm) => setForm({ ...form, rhythm })}
        options={RHYTHMS.map((value) => ({ value, label: texts.rhythms[value] }))}
        hint={texts.rhythmHints[form.rhythm]}
        error={fieldFault(saving.fault, "anchor_schedule")}
      />
      {form.rhythm === "day" && (
        <TextField
          label={texts.timeOfDay}
          type="time"
          required
          value={form.time}
          change={(time) => setForm({ ...form, time })}
          error={missing}
        />
      )}
      {form.rhythm === "own" && (
        <>
          <NumberField
            label={texts.every}
            hint={texts.everyHint}
            required
            min={60}
            max={31_622_400}
            value={form.every}
            change={(every) => setForm({ ...form, every })}
            error={missing ?? fieldFault(saving.fault, "anchor_schedule.every_seconds")}
          />
          <NumberField
            label={texts.offset}
            hint={texts.offsetHint}
            required
            min={0}
            value={form.offset}
            change={(offset) => setForm({ ...form, offset })}
            error={missing ?? fieldFault(saving.fault, "anchor_schedule.offset_seconds")}
          />
        </>
      )}
    </SettingsForm>
  )
}
