/** One event as a row of the list. */
import type { Event } from "@cairn/core/event"
import { countryName, flagOf } from "../../locale/Country.ts"
import { useLanguage } from "../../locale/Messages.ts"
import { Highlighted } from "../../text/Highlight.tsx"
import { PlainText } from "../../text/PlainText.tsx"
import { visibleText } from "../../text/VisibleText.ts"
import { EventMoment } from "../clock/EventMoment.tsx"
import type { LogReader } from "../LogReader.ts"
import { SentenceText } from "../sentence/SentenceText.tsx"
import { VerificationMark } from "../verification/VerificationMark.tsx"
import { SkeletonRow } from "./Skeleton.tsx"

/** Characters of a text that a row shows at most; the style sheet cuts them where they end. */
const LIMIT = 160

const Place = ({ event }: { readonly event: Event }) => {
  const { locale } = useLanguage()
  const { ip_country: country, ip_city: city } = event
  if (country === null && city === null) return null
  const name = country === null ? "" : countryName(country, locale)
  return (
    <span title={[city, name].filter(Boolean).join(", ")}>
      <span aria-hidden="true">{flagOf(country ?? "")}</span> <PlainText text={city ?? name} limit={LIMIT} />
      {city !== null && name !== "" && <span class="hidden">, {name}</span>}
    </span>
  )
}

/** A row; `top` is where it stands in the list. */
export const EventRow = ({
  reader,
  event,
  row,
  top,
  now,
  focusable
}: {
  readonly reader: LogReader
  /** Undefined while it is being read. */
  readonly event: Event | undefined
  readonly row: number
  readonly top: number
  readonly now: number
  /** Whether the tabulator key stops here. */
  readonly focusable: boolean
}) => {
  if (event === undefined) return <SkeletonRow row={row} top={top} />
  const columns = reader.columns.value
  const words = reader.place.value.filter.search ?? []
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around it has the keys.
    <div
      class="row"
      role="row"
      aria-rowindex={row + 2}
      data-row={row}
      tabIndex={focusable ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => reader.openEvent(event.id)}
    >
      <span class="cell-mark" role="gridcell">
        <VerificationMark mark={reader.markOf(event)} />
      </span>
      <span class="cell-time" role="gridcell">
        <EventMoment reader={reader} event={event} now={now} />
      </span>
      <span class="cell-event" role="gridcell">
        <SentenceText reader={reader} event={event} limit={LIMIT} />
      </span>
      <span class="cell-action" role="gridcell" title={visibleText(event.action, LIMIT)}>
        <Highlighted text={event.action} words={words} limit={LIMIT} />
      </span>
      {columns.has("category") && (
        <span class="cell-category" role="gridcell">
          <PlainText text={event.action_category ?? ""} limit={LIMIT} />
        </span>
      )}
      {columns.has("place") && (
        <span class="cell-place" role="gridcell">
          <Place event={event} />
        </span>
      )}
    </div>
  )
}
