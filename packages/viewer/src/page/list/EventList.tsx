/** The list of events, of any length: only the rows in sight are in the document. The keyboard moves from row to row. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { useLanguage } from "../locale/Messages.ts"
import { Notice, RefusalNotice } from "../notice/Notice.tsx"
import type { Viewer } from "../state/Viewer.ts"
import { EventRow } from "./EventRow.tsx"
import { virtualWindow } from "./VirtualWindow.ts"

const COLUMNS = ["verification", "time", "actor", "action", "resource", "place"] as const

/** Where the list stands in the window. */
interface Sight {
  readonly offset: number
  readonly viewport: number
  readonly rowHeight: number
}

/** Follows the window's scrolling and size, and the height of a row, which the style sheet decides. */
const useSight = () => {
  const list = useRef<HTMLDivElement>(null)
  const probe = useRef<HTMLDivElement>(null)
  const [sight, setSight] = useState<Sight>({ offset: 0, viewport: innerHeight, rowHeight: 44 })
  useLayoutEffect(() => {
    const look = () => {
      const rowHeight = probe.current?.offsetHeight || 44
      const offset = -(list.current?.getBoundingClientRect().top ?? 0)
      setSight((before) =>
        before.offset === offset && before.viewport === innerHeight && before.rowHeight === rowHeight
          ? before
          : { offset, viewport: innerHeight, rowHeight }
      )
    }
    look()
    addEventListener("scroll", look, { passive: true })
    const observer = new ResizeObserver(look)
    observer.observe(document.documentElement)
    if (probe.current !== null) observer.observe(probe.current)
    return () => {
      removeEventListener("scroll", look)
      observer.disconnect()
    }
  }, [])
  return { list, probe, sight }
}

/** The row that a key leads to; undefined for a key that leads nowhere. */
const rowAfter = (key: string, row: number, rows: number, page: number): number | undefined => {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: row + 1,
    ArrowUp: row - 1,
    PageDown: row + page,
    PageUp: row - page,
    Home: 0,
    End: rows - 1
  }
  const to = Object.hasOwn(steps, key) ? steps[key] : undefined
  return to === undefined ? undefined : Math.max(0, Math.min(rows - 1, to))
}

const Nothing = ({ viewer }: { readonly viewer: Viewer }) => {
  const { messages } = useLanguage()
  const filtered = Object.keys(viewer.place.value.filter).length > 0
  return (
    <Notice
      title={filtered ? messages.emptyFiltered : messages.empty}
      hint={filtered ? messages.emptyFilteredHint : messages.emptyHint}
    >
      {filtered && (
        <button type="button" onClick={() => viewer.filterBy({})}>
          {messages.clearFilters}
        </button>
      )}
    </Notice>
  )
}

/** What stands below the rows. */
const Foot = ({ viewer }: { readonly viewer: Viewer }) => {
  const { messages } = useLanguage()
  const pages = viewer.pages.value
  const refusal = pages.refusal.value
  if (refusal !== undefined) return <RefusalNotice refusal={refusal} retry={() => pages.retry()} />
  if (pages.total.value === undefined || !pages.complete) {
    return (
      <p class="notice" role="status">
        {messages.loading}
      </p>
    )
  }
  return pages.rows === 0 ? <Nothing viewer={viewer} /> : null
}

/** The list. */
export const EventList = ({ viewer, now }: { readonly viewer: Viewer; readonly now: number }) => {
  const { messages } = useLanguage()
  const { list, probe, sight } = useSight()
  const [active, setActive] = useState(0)
  const moveFocus = useRef(false)
  const pages = viewer.pages.value
  pages.version.value
  const { rows } = pages
  const view = virtualWindow({ ...sight, rows })

  useEffect(() => {
    pages.want(Math.min(view.first, Math.max(0, rows - 1)), view.end)
  }, [pages, view.first, view.end, rows])

  useEffect(() => setActive(0), [pages])

  useLayoutEffect(() => {
    if (!moveFocus.current) return
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${active}"]`)
    if (row == null) return
    moveFocus.current = false
    row.focus({ preventScroll: true })
  })

  const goTo = (row: number) => {
    moveFocus.current = true
    setActive(row)
    const [top, bottom] = [view.offsetOf(row), view.offsetOf(row + 1)]
    const head = 2 * sight.rowHeight
    const listTop = scrollY - sight.offset
    if (top < sight.offset + head) scrollTo({ top: listTop + top - head })
    else if (bottom > sight.offset + sight.viewport) scrollTo({ top: listTop + bottom - sight.viewport })
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof HTMLElement)) return
    const row = Number(event.target.dataset.row ?? Number.NaN)
    if (Number.isNaN(row)) return
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault()
      const opened = pages.at(row)
      if (opened !== undefined) viewer.openEvent(opened.id)
      return
    }
    const next = rowAfter(event.key, row, rows, Math.max(1, Math.floor(sight.viewport / sight.rowHeight) - 3))
    if (next === undefined) return
    event.preventDefault()
    goTo(next)
  }

  const shown = Array.from({ length: Math.max(0, view.end - view.first) }, (_, index) => view.first + index)
  // The row that has the focus stays, wherever the reader scrolled to, or the focus would be lost.
  if (active < rows && !shown.includes(active)) shown.push(active)
  return (
    <>
      <div
        class="list"
        role="grid"
        aria-label={messages.title}
        aria-rowcount={(pages.total.value ?? -2) + 1}
        aria-busy={pages.total.value === undefined}
        onKeyDown={onKeyDown}
        onFocusIn={({ target }) => {
          const row = Number((target as HTMLElement).dataset.row ?? Number.NaN)
          if (!Number.isNaN(row)) setActive(row)
        }}
      >
        <div role="rowgroup" class="head">
          <div class="row" role="row" aria-rowindex={1} ref={probe}>
            {COLUMNS.map((column) => (
              <span key={column} class={`cell-${column}`} role="columnheader">
                {column === "verification" ? (
                  <span class="hidden">{messages.columns[column]}</span>
                ) : (
                  messages.columns[column]
                )}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" ref={list} class="rows" style={{ height: `${view.height}px` }}>
          {shown.map((row) => (
            <EventRow
              key={row}
              viewer={viewer}
              event={pages.at(row)}
              row={row}
              top={view.topOf(row)}
              now={now}
              focusable={row === active}
            />
          ))}
        </div>
      </div>
      <Foot viewer={viewer} />
    </>
  )
}
