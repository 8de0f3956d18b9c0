/** How a log stream does: its state, and how far it is behind. */
import { useLanguage } from "@cairn/ui/locale"
import { Badge, type Tone } from "@cairn/ui/parts"
import { Since } from "../../frame/Since.tsx"
import { useTexts } from "../../locale/Texts.ts"
import type { LogStream } from "./StreamKinds.ts"
import { streamTexts } from "./StreamTexts.ts"

const TONES: Readonly<Record<LogStream["status"], Tone>> = {
  healthy: "good",
  retrying: "warning",
  down: "bad",
  paused: "calm",
  disabled: "calm"
}

/** The state, and since when it fails. */
export const StreamBadge = ({ stream }: { readonly stream: LogStream }) => {
  const texts = useTexts(streamTexts)
  const { status, failing_since } = stream
  return (
    <span class="stream-state" title={texts.stateHints[status]}>
      <Badge tone={TONES[status]}>{texts.states[status]}</Badge>
      {status === "down" && failing_since !== null && <Since at={failing_since} say={texts.since} />}
    </span>
  )
}

/** How many events of the log it has not looked at yet. */
export const Lag = ({ stream: { lag } }: { readonly stream: LogStream }) => {
  const texts = useTexts(streamTexts)
  const { number } = useLanguage()
  return lag === 0 ? (
    <span class="muted">{texts.upToDate}</span>
  ) : (
    <span>{texts.behind(lag, number(lag))}</span>
  )
}

/** How often streams are read of which one catches up, in milliseconds. */
const LOOK_EVERY = 5_000

/** How often to read streams: again and again while one that is well is behind. */
export const lookEvery = (streams: ReadonlyArray<LogStream> | undefined): number | undefined =>
  streams?.some(({ status, lag }) => status === "healthy" && lag > 0) ? LOOK_EVERY : undefined
