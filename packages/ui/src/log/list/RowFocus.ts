/** The row that has the focus, and the keyboard that moves it from row to row. */
import type { RefObject } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { LogReader } from "../LogReader.ts"
import { useShortcuts } from "../toolbar/Shortcuts.ts"
import type { Sight } from "./Sight.ts"
import type { VirtualWindow } from "./VirtualWindow.ts"

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

/** The number of the row that an element is; undefined for what is none. */
const rowOf = (element: EventTarget | null): number | undefined => {
  const row = element instanceof HTMLElement ? Number(element.dataset.row ?? Number.NaN) : Number.NaN
  return Number.isNaN(row) ? undefined : row
}

/** The list, as far as the keyboard moves in it. */
interface ListInSight {
  readonly reader: LogReader
  readonly list: RefObject<HTMLDivElement | null>
  readonly sight: Sight
  readonly view: VirtualWindow
}

/**
 * Scrolls the window so far that a row can be seen, and the head of the list does not cover it. Where the
 * list is now is measured: what was drawn last may be of before the reader scrolled.
 */
const scrollToRow = ({ list, sight, view }: ListInSight, row: number): void => {
  if (list.current === null) return
  const listTop = list.current.getBoundingClientRect().top + scrollY
  const [top, bottom] = [listTop + view.offsetOf(row), listTop + view.offsetOf(row + 1)]
  const head = 2 * sight.rowHeight
  if (top < scrollY + head) scrollTo({ top: top - head })
  else if (bottom > scrollY + sight.viewport) scrollTo({ top: bottom - sight.viewport })
}

/** The row that has the focus, and what the list does with keys and focus. */
export const useRowFocus = (shown: ListInSight) => {
  const { reader, list, sight } = shown
  const pages = reader.pages.value
  const [{ row: active }, setFocus] = useState({ row: 0 })
  /** The row that gets the focus once it is drawn: keys may come faster than that. */
  const next = useRef<number>(undefined)
  /** The row of the last drawing: what handles a key may be of the one before. */
  const drawn = useRef(active)
  drawn.current = active

  useEffect(() => {
    next.current = undefined
    setFocus({ row: 0 })
  }, [pages])

  useLayoutEffect(() => {
    if (next.current === undefined) return
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${active}"]`)
    if (row == null) return
    next.current = undefined
    row.focus({ preventScroll: true })
  })

  const focusOn = (row: number) => {
    next.current = row
    // Drawn again also where the row is the active one already.
    setFocus({ row })
    scrollToRow(shown, row)
  }

  const sought = reader.sought.value
  useEffect(() => {
    const row = sought === undefined ? undefined : pages.rowOf(sought)
    if (row !== undefined) focusOn(row)
    reader.seek(undefined)
  }, [sought])

  /** Goes so many rows down from the one that has the focus, or else to the active one. */
  const step = (rows: number) => {
    const from = next.current ?? rowOf(document.activeElement)
    const last = reader.pages.peek().rows - 1
    focusOn(from === undefined ? drawn.current : Math.max(0, Math.min(from + rows, last)))
  }

  useShortcuts(reader, {
    j: () => step(1),
    k: () => step(-1)
  })

  const onKeyDown = (event: KeyboardEvent) => {
    const target = rowOf(event.target)
    const row = target === undefined ? undefined : (next.current ?? target)
    if (event.altKey || event.ctrlKey || event.metaKey || row === undefined) return
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault()
      const opened = pages.at(row)
      if (opened !== undefined) reader.openEvent(opened.id)
      return
    }
    const page = Math.max(1, Math.floor(sight.viewport / sight.rowHeight) - 3)
    const to = rowAfter(event.key, row, pages.rows, page)
    if (to === undefined) return
    event.preventDefault()
    focusOn(to)
  }

  const onFocusIn = ({ target }: FocusEvent) => {
    const row = rowOf(target)
    if (row !== undefined && row !== active) setFocus({ row })
  }

  return { active, onKeyDown, onFocusIn }
}
