/** Alerts and events along the time of the log, as two rows of bars on one axis. */
import { useLanguage } from "@cairn/ui/locale"
import { useTexts } from "../../locale/Texts.ts"
import type { BacktestBar } from "./BacktestBars.ts"
import { rulesTexts } from "./RulesTexts.ts"

/** Height of the rows, in units of the drawing. */
const HEIGHT = 100
/** The least height of a bar that stands for anything at all. */
const LEAST = 6

const largest = (numbers: ReadonlyArray<number>): number =>
  numbers.reduce((one, other) => Math.max(one, other), 0)

/** A row of bars, each with what it stands for. */
const Row = ({
  kind,
  bars,
  most,
  say
}: {
  readonly kind: "alerts" | "events"
  readonly bars: ReadonlyArray<BacktestBar>
  readonly most: number
  readonly say: (bar: BacktestBar) => string
}) => (
  <svg
    class={`rules-bars rules-bars-${kind}`}
    viewBox={`0 0 ${bars.length} ${HEIGHT}`}
    preserveAspectRatio="none"
    aria-hidden="true"
    focusable="false"
  >
    {bars.map((bar, index) => {
      const height = bar[kind] === 0 ? 0 : Math.max(LEAST, (bar[kind] / Math.max(1, most)) * HEIGHT)
      return (
        <g key={bar.start}>
          <title>{say(bar)}</title>
          <rect class="rules-bar-place" x={index} y={0} width={1} height={HEIGHT} />
          <rect class="rules-bar" x={index + 0.1} y={HEIGHT - height} width={0.8} height={height} />
        </g>
      )
    })}
  </svg>
)

/** The plot of at least one bar. */
export const BacktestPlot = ({ bars }: { readonly bars: ReadonlyArray<BacktestBar> }) => {
  const { trial: texts } = useTexts(rulesTexts)
  const { moments, number } = useLanguage()
  const [first, last] = [bars.at(0), bars.at(-1)]
  if (first === undefined || last === undefined) return null
  const length = (bars[1]?.start ?? first.start) - first.start
  const end = last.start + length
  const peak = bars.reduce((one, other) => (other.alerts > one.alerts ? other : one))
  const total = bars.reduce((sum, { alerts }) => sum + alerts, 0)
  const mostEvents = largest(bars.map(({ events }) => events))
  const tick = (at: number) => moments.tick(at, end - first.start)
  const say = ({ start, alerts, events }: BacktestBar) =>
    texts.bar(moments.absolute(start), number(alerts), number(events))
  return (
    <figure
      class="rules-plot"
      role="img"
      aria-label={texts.plot(
        number(total),
        moments.absolute(first.start),
        moments.absolute(end),
        number(peak.alerts),
        moments.absolute(peak.start)
      )}
    >
      <p class="rules-plot-label">
        <span>{texts.alerts}</span>
        {peak.alerts > 0 && <span>{texts.upTo(number(peak.alerts))}</span>}
      </p>
      <Row kind="alerts" bars={bars} most={peak.alerts} say={say} />
      <p class="rules-plot-label">
        <span>{texts.events}</span>
        <span>{texts.upTo(number(mostEvents))}</span>
      </p>
      <Row kind="events" bars={bars} most={mostEvents} say={say} />
      <p class="rules-plot-axis">
        <span>{tick(first.start)}</span>
        {bars.length > 2 && <span>{tick(first.start + Math.floor(bars.length / 2) * length)}</span>}
        {bars.length > 1 && <span>{tick(last.start)}</span>}
      </p>
    </figure>
  )
}
