/** How much happened when, as bars; dragging across them, or keys, choose a period. */
import type { HTMLAttributes } from "preact"
import { useId, useRef, useState } from "preact/hooks"
import { type Language, useLanguage } from "../../locale/Messages.ts"
import type { Histogram } from "../LogSource.ts"
import { type Bar, barsOf, linesOf, type Range, rangeAfter } from "./Bars.ts"

/** Labels of the time axis at most; the style sheet leaves out some where it is narrow. */
const LABELS = 7
/** Share of its place that a bar takes. */
const BAR_SHARE = 0.8
/** Pixels of a drag below which it was a click. */
const DRAG = 4

/** A description of the chart, for screen readers. */
const summaryOf = (bars: ReadonlyArray<Bar>, { messages, moments, number }: Language): string => {
  const [first, last] = [bars.at(0), bars.at(-1)]
  if (first === undefined || last === undefined) return messages.empty
  const most = bars.reduce((one, other) => (other.count > one.count ? other : one))
  const total = bars.reduce((sum, { count }) => sum + count, 0)
  const say = ({ start }: Bar) => moments.absolute(start * 1000)
  return messages.activitySummary(number(total), say(first), say(last), number(most.count), say(most))
}

const percent = (share: number): string => `${100 * share}%`

/** The texts of both axes. Who listens has the same from the bars. */
const Ticks = ({
  bars,
  step,
  lines
}: {
  readonly bars: ReadonlyArray<Bar>
  readonly step: number
  readonly lines: ReadonlyArray<number>
}) => {
  const { moments, number } = useLanguage()
  const top = lines.at(-1) ?? 1
  const every = Math.ceil(bars.length / LABELS)
  return (
    <div aria-hidden="true">
      {lines.map((line) => (
        <span key={line} class="tick tick-count" style={{ bottom: percent(line / top) }}>
          {number(line)}
        </span>
      ))}
      <div class="tick-times">
        {bars.map(
          ({ start }, index) =>
            index % every === 0 &&
            index + 0.8 * every <= Math.max(bars.length, every) && (
              <span key={start} class="tick tick-time" style={{ left: percent(index / bars.length) }}>
                {moments.tick(start * 1000, bars.length * step * 1000)}
              </span>
            )
        )}
      </div>
    </div>
  )
}

/** The bars between the lines of the grid. Each is an option that names its time and its count. */
const Plot = ({
  bars,
  lines,
  range,
  id,
  textOf
}: {
  readonly bars: ReadonlyArray<Bar>
  readonly lines: ReadonlyArray<number>
  readonly range: Range | undefined
  readonly id: string
  readonly textOf: (range: Range) => string
}) => {
  const top = lines.at(-1) ?? 1
  const isChosen = (index: number) =>
    range !== undefined && index >= Math.min(...range) && index <= Math.max(...range)
  return (
    <svg role="presentation" viewBox={`0 0 ${bars.length} ${top}`} preserveAspectRatio="none">
      {lines.map((line) => (
        <line key={line} class="grid-line" x1={0} x2={bars.length} y1={top - line} y2={top - line} />
      ))}
      {bars.map(({ start, count }, index) => (
        <rect
          key={start}
          id={`${id}${index}`}
          class="bar"
          role="option"
          aria-label={textOf([index, index])}
          aria-selected={isChosen(index)}
          x={index + (1 - BAR_SHARE) / 2}
          y={top - count}
          width={BAR_SHARE}
          height={count}
        />
      ))}
    </svg>
  )
}

/** The place of the chart while it is being read. */
export const HistogramWait = () => {
  const { messages } = useLanguage()
  return (
    <div class="histogram" aria-hidden="true">
      <div class="plot" />
      <p class="hint">{messages.activityHint}</p>
    </div>
  )
}

/** What keys and the pointer do in the plot: they go over bars, and then `choose` them. */
const useRange = (bars: number, choose: (range: Range) => void) => {
  const [last, setRange] = useState<Range | undefined>(undefined)
  // Of a histogram that was read meanwhile there may be fewer.
  const range = last !== undefined && Math.max(...last) < bars ? last : undefined
  /** Where a drag began, in pixels. */
  const pressed = useRef<number | undefined>(undefined)
  const barAt = (event: PointerEvent & { readonly currentTarget: HTMLElement }): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const bar = Math.floor(((event.clientX - left) / Math.max(1, width)) * bars)
    return Math.max(0, Math.min(bars - 1, bar))
  }
  const finish = (chosen: Range | undefined) => {
    setRange(undefined)
    if (chosen !== undefined) choose(chosen)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    // The first key shows where one is: at the newest bar.
    const next =
      range === undefined
        ? rangeAfter({ key: event.key, shiftKey: false }, [bars, bars], bars)
        : rangeAfter(event, range, bars)
    if (next !== undefined) setRange(next)
    else if (event.key === "Enter" && range !== undefined) finish(range)
    else if (event.key === "Escape" && range !== undefined) finish(undefined)
    else return
    event.preventDefault()
  }
  const handlers: HTMLAttributes<HTMLDivElement> = {
    onKeyDown,
    onBlur: () => setRange(undefined),
    onPointerDown: (event) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      pressed.current = event.clientX
      setRange([barAt(event), barAt(event)])
    },
    onPointerMove: (event) => {
      if (pressed.current !== undefined) setRange([range?.[0] ?? barAt(event), barAt(event)])
    },
    onPointerUp: (event) => {
      const moved = Math.abs(event.clientX - (pressed.current ?? event.clientX))
      pressed.current = undefined
      if (moved >= DRAG) finish(range)
    },
    onPointerCancel: () => {
      pressed.current = undefined
      setRange(undefined)
    }
  }
  return { range, handlers }
}

/** The chart. `choose` gets the chosen period in seconds since the Unix epoch, in whole bars. */
export const HistogramChart = ({
  histogram,
  choose
}: {
  readonly histogram: Histogram
  readonly choose: (from: number, to: number) => void
}) => {
  const language = useLanguage()
  const { messages, moments, number } = language
  const id = useId()
  const bars = barsOf(histogram)
  const step = histogram.bucket_seconds
  const lines = linesOf(bars)
  const timesOf = (chosen: Range): Range => [
    bars[Math.min(...chosen)]?.start ?? 0,
    (bars[Math.max(...chosen)]?.start ?? 0) + step
  ]
  const textOf = (chosen: Range): string => {
    const [from, to] = timesOf(chosen)
    const within = bars.slice(Math.min(...chosen), Math.max(...chosen) + 1)
    const count = within.reduce((sum, bar) => sum + bar.count, 0)
    return `${moments.span(from * 1000, to * 1000)}: ${messages.total(count, number(count))}`
  }
  const { range, handlers } = useRange(bars.length, (chosen) => choose(...timesOf(chosen)))
  return (
    <figure class="histogram">
      <figcaption class="hidden">{messages.activity}</figcaption>
      <div
        class="plot"
        role="listbox"
        aria-label={summaryOf(bars, language)}
        aria-multiselectable="true"
        aria-orientation="horizontal"
        {...(range === undefined ? {} : { "aria-activedescendant": `${id}${range[1]}` })}
        tabIndex={0}
        {...handlers}
      >
        <Plot bars={bars} lines={lines} range={range} id={id} textOf={textOf} />
        {range !== undefined && (
          <div
            class="brush"
            style={{
              left: percent(Math.min(...range) / bars.length),
              width: percent((Math.abs(range[1] - range[0]) + 1) / bars.length)
            }}
          />
        )}
        <Ticks bars={bars} step={step} lines={lines} />
      </div>
      <p class="hint">{range === undefined ? messages.activityHint : textOf(range)}</p>
    </figure>
  )
}
