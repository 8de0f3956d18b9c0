/** How an export stands, how far it is, and what it is of. */
import { useLanguage, usePageClock } from "@cairn/ui/locale"
import { Badge, type Tone } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useTexts } from "../../locale/Texts.ts"
import { type Export, type ExportState, isMoving, stateOf } from "./Export.ts"
import { CONDITION_NAMES, type ExportFilters, OTHER_CONDITION_NAMES } from "./ExportDraft.ts"
import { exportTexts } from "./ExportTexts.ts"

const STATE_TONES: Readonly<Record<ExportState, Tone>> = {
  pending: "busy",
  processing: "busy",
  completed: "good",
  failed: "bad",
  ended: "calm"
}

/** The state; while it is being made, how much of the log was looked through. */
export const ExportBadge = ({ of }: { readonly of: Export }) => {
  const clock = usePageClock()
  const texts = useTexts(exportTexts)
  const { number } = useLanguage()
  const state = stateOf(of, clock.now())
  return (
    <span class="export-state" title={texts.stateHints[state]}>
      <Badge tone={STATE_TONES[state]} {...(state === "ended" ? { glyph: "trash" } : {})}>
        {texts.states[state]}
      </Badge>
      {isMoving(of) && (
        <>
          <progress class="export-progress" max={100} value={of.progress} aria-label={texts.progress} />
          <span class="muted">{texts.percent(number(of.progress))}</span>
        </>
      )}
    </span>
  )
}

/** A time of a filter as it was given: a date, or date and time. */
const Time = ({ text }: { readonly text: string }) => {
  const { moments } = useLanguage()
  const isDate = text.length === "2026-01-31".length
  return <PlainText text={isDate ? text : moments.absolute(Date.parse(text)) || text} limit={60} />
}

/** The filters in a line; "the whole log" where there are none. */
export const Filters = ({ filters }: { readonly filters: ExportFilters }) => {
  const texts = useTexts(exportTexts)
  const { from, to, time } = filters
  const labels = { ...texts.conditions, ...texts.otherConditions }
  const conditions = [...CONDITION_NAMES, ...OTHER_CONDITION_NAMES].flatMap((name) => {
    const values = filters[name] ?? []
    return (typeof values === "string" ? [values] : values).map((value) => [name, value] as const)
  })
  if (conditions.length === 0 && from === undefined && to === undefined) return <span>{texts.wholeLog}</span>
  return (
    <ul class="export-filters">
      {conditions.map(([name, value]) => (
        <li key={`${name} ${value}`}>
          {labels[name]}: <PlainText text={value} limit={60} />
        </li>
      ))}
      {time === "occurred" && (
        <li>
          {texts.time}: {texts.times[time]}
        </li>
      )}
      {from !== undefined && (
        <li>
          {texts.from}: <Time text={from} />
        </li>
      )}
      {to !== undefined && (
        <li>
          {texts.to}: <Time text={to} />
        </li>
      )}
    </ul>
  )
}
