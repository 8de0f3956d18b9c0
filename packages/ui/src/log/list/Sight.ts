/** Where the list stands in the window. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"

/** Where the list stands in the window. */
export interface Sight {
  readonly offset: number
  readonly viewport: number
  readonly rowHeight: number
}

/** Follows the window's scrolling and size, and the height of a row, which the style sheet decides. */
export const useSight = () => {
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
