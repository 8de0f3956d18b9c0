/** How much happened when, as bars; dragging across them chooses a period. */
import { BarChart, Svg } from "chartist"
import { useEffect, useRef, useState } from "preact/hooks"
import { type Language, useLanguage } from "../../locale/Messages.ts"
import { millisOf } from "../../locale/Moment.ts"
import type { Histogram } from "../LogSource.ts"

/** Pixels for one label of the time axis. */
const LABEL_WIDTH = 120
/** Share of its place that a bar takes. */
const BAR_SHARE = 0.8
/** Bars beyond which gaps are no longer filled: more than a screen has pixels. */
const MAX_BARS = 4_000
/** Pixels of a drag below which it was a click. */
const DRAG = 4

/** Without an inline style, which the content security policy forbids; the style sheet has the same. */
const { attr } = Svg.prototype
Svg.prototype.attr = function (this: Svg, ...args: Array<unknown>) {
  const [first, ...others] = args
  if (typeof first !== "object" || first === null) return Reflect.apply(attr, this, args)
  const attributes = Object.entries(first).filter(([name]) => name !== "style")
  return Reflect.apply(attr, this, [Object.fromEntries(attributes), ...others])
}

/** One bar. */
interface Bar {
  /** Start of its time, in seconds since the Unix epoch. */
  readonly start: number
  readonly count: number
}

/** The bars, with empty ones where the service left them out. */
const barsOf = ({ bucket_seconds: step, buckets }: Histogram): ReadonlyArray<Bar> => {
  const bars: Array<Bar> = []
  for (const { start, count } of buckets) {
    const time = millisOf(start) / 1000
    if (Number.isNaN(time) || !(step > 0)) continue
    for (let gap = (bars.at(-1)?.start ?? time) + step; gap < time && bars.length < MAX_BARS; gap += step) {
      bars.push({ start: gap, count: 0 })
    }
    bars.push({ start: time, count })
  }
  return bars
}

/** A description of the chart, for screen readers. */
const summaryOf = (bars: ReadonlyArray<Bar>, { messages, moments, number }: Language): string => {
  const [first, last] = [bars.at(0), bars.at(-1)]
  if (first === undefined || last === undefined) return messages.empty
  const most = bars.reduce((one, other) => (other.count > one.count ? other : one))
  const total = bars.reduce((sum, { count }) => sum + count, 0)
  const say = ({ start }: Bar) => moments.absolute(start * 1000)
  return messages.activitySummary(number(total), say(first), say(last), number(most.count), say(most))
}

/** Where the bars stand, in pixels from the left. */
interface Extent {
  readonly left: number
  readonly right: number
}

/** Draws the bars into an element, and again when its size changes; gives what undoes that. */
const draw = (
  element: HTMLElement,
  bars: ReadonlyArray<Bar>,
  step: number,
  { moments, number }: Language,
  tell: (extent: Extent) => void
): (() => void) => {
  const every = () => Math.max(1, Math.ceil((bars.length * LABEL_WIDTH) / Math.max(1, element.clientWidth)))
  const chart = new BarChart(
    element,
    { labels: bars.map(({ start }) => start), series: [bars.map(({ count }) => count)] },
    {
      // A label stands on its line, so the topmost has its height above the plot.
      chartPadding: { top: 16, right: 0, bottom: 0, left: 0 },
      axisX: {
        showGrid: false,
        offset: 20,
        labelInterpolationFnc: (start, index) =>
          index % every() === 0 && index + 0.8 * every() <= Math.max(bars.length, every())
            ? moments.tick(Number(start) * 1000, bars.length * step * 1000)
            : null
      },
      axisY: {
        onlyInteger: true,
        offset: 56,
        scaleMinSpace: 30,
        labelInterpolationFnc: (value) => number(Number(value))
      }
    }
  )
  chart.on("created", ({ chartRect: { x1, x2 } }) => tell({ left: x1, right: x2 }))
  chart.on("draw", (drawn) => {
    if (drawn.type !== "bar") return
    drawn.element.attr({ "stroke-width": Math.max(1, (drawn.axisX.axisLength / bars.length) * BAR_SHARE) })
  })
  const observer = new ResizeObserver(() => chart.update())
  observer.observe(element)
  return () => {
    observer.disconnect()
    chart.detach()
    element.replaceChildren()
  }
}

/**
 * The chart. `choose` gets the chosen period in seconds since the Unix epoch, in whole bars; the keyboard has
 * the same by the fields for from and to.
 */
export const HistogramChart = ({
  histogram,
  choose
}: {
  readonly histogram: Histogram
  readonly choose: (from: number, to: number) => void
}) => {
  const language = useLanguage()
  const plot = useRef<HTMLDivElement>(null)
  const extent = useRef<Extent>({ left: 0, right: 1 })
  const [drag, setDrag] = useState<readonly [number, number] | undefined>(undefined)
  const bars = barsOf(histogram)
  const step = histogram.bucket_seconds

  useEffect(() => {
    if (plot.current === null) return
    return draw(plot.current, bars, step, language, (now) => {
      extent.current = now
    })
  }, [histogram, language])

  /** The pointer's place among the bars, in pixels. */
  const placeOf = (event: PointerEvent & { readonly currentTarget: HTMLElement }): number => {
    const { left, right } = extent.current
    return Math.min(right, Math.max(left, event.clientX - event.currentTarget.getBoundingClientRect().left))
  }
  const barAt = (x: number): number => {
    const { left, right } = extent.current
    return Math.min(bars.length - 1, Math.floor(((x - left) / (right - left)) * bars.length))
  }
  const finish = () => {
    setDrag(undefined)
    if (drag === undefined || Math.abs(drag[1] - drag[0]) < DRAG) return
    const [from, to] = [bars[barAt(Math.min(...drag))], bars[barAt(Math.max(...drag))]]
    if (from !== undefined && to !== undefined) choose(from.start, to.start + step)
  }
  return (
    <figure class="histogram">
      <figcaption class="hidden">{language.messages.activity}</figcaption>
      <div
        class="plot"
        role="img"
        aria-label={summaryOf(bars, language)}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          setDrag([placeOf(event), placeOf(event)])
        }}
        onPointerMove={(event) => drag !== undefined && setDrag([drag[0], placeOf(event)])}
        onPointerUp={finish}
        onPointerCancel={() => setDrag(undefined)}
      >
        <div ref={plot} class="bars" />
        {drag !== undefined && (
          <div
            class="brush"
            style={{ left: `${Math.min(...drag)}px`, width: `${Math.abs(drag[1] - drag[0])}px` }}
          />
        )}
      </div>
      <p class="hint">{language.messages.activityHint}</p>
    </figure>
  )
}
