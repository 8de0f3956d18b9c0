/** When an event was, and its other time where that is another one. */
import type { Event } from "@cairn/core/event"
import { useLanguage } from "../../locale/Messages.ts"
import { millisOf } from "../../locale/Moment.ts"
import type { Clock } from "../../place/Place.ts"
import { Icon } from "../../theme/Icon.tsx"
import type { LogReader } from "../LogReader.ts"
import { timeOf, timesDiffer } from "./EventTime.ts"

/**
 * The mark of an event that was recorded more than minutes after it happened, or before; nothing for any
 * other. It names the time that `clock` does not tell: `told`, to everybody, or else to those who listen.
 */
export const OtherTime = ({
  event,
  clock,
  told = false
}: {
  readonly event: Event
  readonly clock: Clock
  readonly told?: boolean
}) => {
  const { messages, moments } = useLanguage()
  if (!timesDiffer(event)) return null
  const tell = (which: Clock) => messages.clock.other[which](moments.full(millisOf(timeOf(event, which))))
  return (
    <span class="apart" title={`${tell("occurred")}\n${tell("recorded")}`}>
      <Icon name="apart" />
      <span class={told ? undefined : "hidden"}> {tell(clock === "occurred" ? "recorded" : "occurred")}</span>
    </span>
  )
}

/** The time by which the list goes, in a row. */
export const EventMoment = ({
  reader,
  event,
  now
}: {
  readonly reader: LogReader
  readonly event: Event
  readonly now: number
}) => {
  const { moments } = useLanguage()
  const { clock, timeStyle } = reader.place.value
  const at = timeOf(event, clock)
  const millis = millisOf(at)
  const isRelative = timeStyle === "relative" && !reader.isPrinting.value
  return (
    <>
      <time dateTime={at} title={isRelative ? moments.full(millis) : moments.relative(millis, now)}>
        {isRelative ? moments.brief(millis, now) : moments.absolute(millis)}
      </time>{" "}
      <OtherTime event={event} clock={clock} />
    </>
  )
}
