/** A field for when something ends: usual lengths, or a date; and below, the exact time that comes of it. */
import { useLanguage, usePageClock } from "@cairn/ui/locale"
import { TextField } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useTexts } from "../../locale/Texts.ts"
import { Choice } from "../choice/Choice.tsx"
import { type End, endOf } from "./Ends.ts"
import { endTexts } from "./EndTexts.ts"

/** What is chosen. */
export interface EndChosen {
  readonly end: End
  /** The date, as its input holds it. */
  readonly date: string
}

/** What is wrong with what is chosen, once it was sent. */
export const useEndFault = (chosen: EndChosen): string | undefined => {
  const clock = usePageClock()
  const texts = useTexts(endTexts)
  if (chosen.end !== "date") return undefined
  const at = endOf("date", chosen.date, 0)
  if (typeof at !== "string") return texts.missing
  return Date.parse(at) <= clock.now() ? texts.past : undefined
}

/** The field. */
export const EndField = ({
  label,
  ends,
  chosen,
  change,
  error
}: {
  readonly label: string
  /** The ends to choose from, in this order. */
  readonly ends: ReadonlyArray<End>
  readonly chosen: EndChosen
  readonly change: (chosen: EndChosen) => void
  readonly error?: string | undefined
}) => {
  const texts = useTexts(endTexts)
  const { moments } = useLanguage()
  const clock = usePageClock()
  const [now] = useState(clock.now)
  const at = endOf(chosen.end, chosen.date, now)
  const said =
    at === null
      ? texts.endsNever
      : at === undefined || error !== undefined
        ? undefined
        : texts.endsAt(moments.full(Date.parse(at)))
  const isDate = chosen.end === "date"
  return (
    <>
      <Choice
        label={label}
        isLine
        options={ends.map((end) => ({ value: end, label: texts.ends[end] }))}
        value={chosen.end}
        change={(end) => change({ ...chosen, end })}
        {...(said === undefined || isDate ? {} : { hint: said })}
        error={isDate ? undefined : error}
      />
      {isDate && (
        <TextField
          label={texts.date}
          type="datetime-local"
          required
          value={chosen.date}
          change={(date) => change({ ...chosen, date })}
          {...(said === undefined ? {} : { hint: said })}
          error={error}
        />
      )}
    </>
  )
}
