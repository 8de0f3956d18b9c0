/** The form that asks for an export, and says how much it will hold. */
import { fromLocalInput, toLocalInput, useLanguage, usePageClock } from "@cairn/ui/locale"
import { SelectField, TextField, usePartsTexts } from "@cairn/ui/parts"
import { PlainText, visibleText } from "@cairn/ui/text"
import { useEffect, useState } from "preact/hooks"
import type { Fault } from "../../data/Fault.ts"
import { useChange, useRead } from "../../data/Read.ts"
import { ChangeFault, fieldFault } from "../../frame/FaultNotice.tsx"
import { useFirstFault } from "../../frame/FirstFault.ts"
import { useTexts } from "../../locale/Texts.ts"
import { Evidence } from "./Evidence.tsx"
import { EXPORT_FORMATS } from "./Export.ts"
import {
  CONDITION_NAMES,
  EXPORT_TIMES,
  type ExportDraft,
  type ExportFilters,
  filtersOf,
  PERIOD_NAMES,
  withPeriod
} from "./ExportDraft.ts"
import { exportTexts } from "./ExportTexts.ts"

/** Milliseconds without a change after which events are counted. */
const PAUSE = 500

interface PartProps {
  readonly draft: ExportDraft
  readonly change: (draft: ExportDraft) => void
  readonly fault: Fault | undefined
}

/** A value once it has not changed for a while. */
const useSettled = <A,>(value: A): A => {
  const [settled, setSettled] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** How many events the filters find. */
const Count = ({ filters }: { readonly filters: ExportFilters }) => {
  const texts = useTexts(exportTexts)
  const { number } = useLanguage()
  const settled = useSettled(filters)
  const counted = useRead(["events", "count", settled], (calls, signal) =>
    calls.events.count(settled, { signal })
  )
  const isOld = JSON.stringify(settled) !== JSON.stringify(filters)
  const total = counted.data?.data.total
  const said =
    counted.fault !== undefined
      ? texts.countFailed
      : isOld || total === undefined
        ? texts.counting
        : total === 0
          ? texts.countNone
          : texts.count(total, number(total))
  return (
    <p class="export-count" role="status">
      {said}
    </p>
  )
}

const Period = ({ draft, change, fault }: PartProps) => {
  const clock = usePageClock()
  const texts = useTexts(exportTexts)
  return (
    <>
      <SelectField
        label={texts.period}
        value={draft.period}
        change={(period) => change(withPeriod(draft, period, new Date(clock.now())))}
        options={PERIOD_NAMES.map((name) => [name, texts.periods[name]] as const)}
      />
      {draft.period !== "all" && (
        <div class="export-pair">
          {(["from", "to"] as const).map((name) => (
            <TextField
              key={name}
              type="datetime-local"
              label={texts[name]}
              error={fieldFault(fault, name)}
              value={toLocalInput(draft[name])}
              change={(text) => change({ ...draft, period: "custom", [name]: fromLocalInput(text) })}
            />
          ))}
        </div>
      )}
    </>
  )
}

/** What the list was narrowed by and no box holds: it can be removed. */
const More = ({ draft, change, fault }: PartProps) => {
  const texts = useTexts(exportTexts)
  const { messages } = useLanguage()
  const labels = { ...texts.conditions, ...texts.otherConditions }
  return (
    <>
      <p class="hint">{texts.more}</p>
      <ul class="export-more">
        {draft.more.map((one) => {
          const error = fieldFault(fault, one.name)
          return (
            <li key={`${one.name} ${one.value}`}>
              {labels[one.name]}: <PlainText text={one.value} limit={80} />{" "}
              <button
                type="button"
                class="link"
                aria-label={messages.remove(`${labels[one.name]} ${visibleText(one.value, 80)}`)}
                onClick={() => change({ ...draft, more: draft.more.filter((other) => other !== one) })}
              >
                {texts.remove}
              </button>
              {error !== undefined && <span class="error">{error}</span>}
            </li>
          )
        })}
      </ul>
    </>
  )
}

const Conditions = ({ draft, change, fault }: PartProps) => {
  const texts = useTexts(exportTexts)
  return (
    <fieldset>
      <legend>{texts.narrow}</legend>
      <div class="export-pair">
        {CONDITION_NAMES.map((name) => {
          const hint = texts.conditionHints[name]
          return (
            <TextField
              key={name}
              label={texts.conditions[name]}
              {...(hint === undefined ? {} : { hint })}
              error={fieldFault(fault, name)}
              value={draft.conditions[name] ?? ""}
              change={(value) => change({ ...draft, conditions: { ...draft.conditions, [name]: value } })}
            />
          )
        })}
      </div>
      {draft.more.length > 0 && <More draft={draft} change={change} fault={fault} />}
    </fieldset>
  )
}

/** The form. */
export const ExportForm = ({ begin, close }: { readonly begin: ExportDraft; readonly close: () => void }) => {
  const texts = useTexts(exportTexts)
  const parts = usePartsTexts()
  const [draft, setDraft] = useState(begin)
  const filters = filtersOf(draft)
  const create = useChange(
    ["exports"],
    (calls, { format }: ExportDraft) => calls.exports.create({ ...filters, format }),
    close
  )
  const part: PartProps = { draft, change: setDraft, fault: create.fault }
  const form = useFirstFault(create.fault)
  return (
    <form
      ref={form}
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        create.run(draft)
      }}
    >
      <SelectField
        label={texts.format}
        hint={texts.formatHints[draft.format]}
        error={fieldFault(create.fault, "format")}
        value={draft.format}
        change={(format) => setDraft({ ...draft, format })}
        options={EXPORT_FORMATS.map((format) => [format, texts.formats[format]] as const)}
      />
      <Period {...part} />
      {draft.format !== "evidence" && (
        <SelectField
          label={texts.time}
          error={fieldFault(create.fault, "time")}
          value={draft.time}
          change={(time) => setDraft({ ...draft, time })}
          options={EXPORT_TIMES.map((name) => [name, texts.times[name]] as const)}
        />
      )}
      {draft.format === "evidence" ? <Evidence file="bundle.cairn" /> : <Conditions {...part} />}
      <Count filters={filters} />
      <ChangeFault fault={create.fault} />
      <p class="hint">{texts.limits}</p>
      <div class="form-actions">
        <button type="button" onClick={close}>
          {parts.cancel}
        </button>
        <button type="submit" class="primary" disabled={create.isRunning}>
          {texts.start}
        </button>
      </div>
    </form>
  )
}
