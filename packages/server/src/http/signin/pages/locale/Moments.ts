/** Times and durations in the language of a page. */
import { Micros } from "@cairn/core/encoding"
import { type Html, html } from "../Html.ts"
import type { Language } from "./Language.ts"

/** How times are written: in UTC, which says it, since the server does not know the reader's zone. */
const FORMAT: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
  timeZoneName: "short"
}

/** Writes times, in microseconds since the epoch, as elements that also hold them for programs. */
export const momentsIn = (language: Language): ((time: Micros.Micros) => Html) => {
  const format = new Intl.DateTimeFormat(language, FORMAT)
  return (time) => html`<time datetime="${Micros.formatSeconds(time)}">${format.format(time / 1_000)}</time>`
}

const HOUR = 60 * Micros.MINUTE

/** The units of durations, and up to which duration each is used. */
const UNITS = [
  ["second", Micros.SECOND, 2 * Micros.MINUTE],
  ["minute", Micros.MINUTE, 2 * HOUR],
  ["hour", HOUR, 2 * Micros.DAY],
  ["day", Micros.DAY, Number.POSITIVE_INFINITY]
] as const

/** A duration in words such as "15 minutes", rounded up. */
export const durationIn = (language: Language, duration: Micros.Micros): string => {
  const [unit, length] = UNITS.find(([, , limit]) => duration < limit) ?? UNITS[3]
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(
    Math.ceil(duration / length)
  )
}
