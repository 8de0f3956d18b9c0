/** The clock that a page's components read. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { PageClock } from "./ServiceClock.ts"

/** The clock, for every component; the browser's own unless a page has another. */
export const PageClockContext = createContext<PageClock>({ now: Date.now })

/** The clock in use. */
export const usePageClock = (): PageClock => useContext(PageClockContext)
