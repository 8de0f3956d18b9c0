/** What stands between the histogram and the list: how much there is, and what can be done with it. */
import { useLanguage } from "../../locale/Messages.ts"
import type { LogPart } from "../../place/LogPart.ts"
import { Icon } from "../../theme/Icon.tsx"
import { ExportButtons } from "../export/ExportButtons.tsx"
import type { LogReader } from "../LogReader.ts"
import { NextUnverified, VerifiedSentence } from "../verification/VerifiedBanner.tsx"
import { CopyLink } from "./CopyLink.tsx"
import { Keys } from "./KeysDialog.tsx"
import { News } from "./News.tsx"
import { useRoving } from "./Roving.ts"

/** How many events there are. */
const Total = ({ reader }: { readonly reader: LogReader }) => {
  const { messages, number } = useLanguage()
  const pages = reader.pages.value
  const total = pages.total.value
  return (
    <p role="status" class="total">
      {total !== undefined
        ? messages.total(total, number(total))
        : pages.uncounted.value
          ? null
          : messages.counting}
    </p>
  )
}

/** Which of the times is shown, and how. */
const Times = ({ reader, now }: { readonly reader: LogReader; readonly now: number }) => {
  const { messages, moments } = useLanguage()
  const { clock, timeStyle, zone } = reader.place.value
  const otherZone = zone === "utc" ? messages.clock.inLocal : messages.clock.inUtc
  return (
    <>
      <button type="button" class="bare" title={otherZone} onClick={() => reader.switchZone()}>
        {moments.zone(now)}
        <span class="hidden">. {otherZone}</span>
      </button>
      <button type="button" class="bare" onClick={() => reader.switchTimes()}>
        <Icon name="clock" /> {timeStyle === "relative" ? messages.showAbsolute : messages.showRelative}
      </button>
      <button type="button" class="bare" onClick={() => reader.switchClock()}>
        <Icon name="apart" />{" "}
        {clock === "occurred" ? messages.clock.byRecording : messages.clock.byOccurrence}
      </button>
    </>
  )
}

/** All of it. */
export const Toolbar = ({
  reader,
  now,
  hidden
}: {
  readonly reader: LogReader
  readonly now: number
  readonly hidden: ReadonlySet<LogPart>
}) => {
  const { messages } = useLanguage()
  return (
    <div {...useRoving()} role="toolbar" class="toolbar" aria-label={messages.keys.toolbar}>
      <div class="facts">
        <Total reader={reader} />
        <VerifiedSentence reader={reader} />
        <NextUnverified reader={reader} />
      </div>
      <div class="buttons">
        <News reader={reader} />
        {!hidden.has("times") && <Times reader={reader} now={now} />}
        {!hidden.has("export") && <ExportButtons reader={reader} now={now} />}
        <CopyLink class="bare" address={reader.addressOf()} />
        <Keys reader={reader} />
      </div>
    </div>
  )
}
