/** Leaving a page that holds what is not shown again. */
import { useEffect, useRef, useState } from "preact/hooks"
import { useLocation } from "preact-iso"

/** The event by which a page hears that it is about to be left; `detail` goes on. */
const LEAVE = "cairn.leave"

/** The event by which a page hears that the browser has gone back from it, or forward. */
const GONE = "cairn.gone"

/** Lets pages stay where the browser goes back from them. To be called once, before others listen. */
export const followHistory = (): void => {
  // Listeners of the window are called in the order in which they came, whatever their phase.
  addEventListener("popstate", (event) => {
    if (!dispatchEvent(new CustomEvent(GONE, { cancelable: true }))) event.stopImmediatePropagation()
  })
}

/** Goes elsewhere otherwise than by a link, unless the page asks first. */
export const leaveBy = (go: () => void): void => {
  if (dispatchEvent(new CustomEvent(LEAVE, { cancelable: true, detail: go }))) go()
}

/** The link of a click that the console follows itself; undefined for all that the browser does. */
const followed = (event: MouseEvent): string | undefined => {
  const { button, ctrlKey, metaKey, altKey, shiftKey } = event
  if (button !== 0 || ctrlKey || metaKey || altKey || shiftKey || !(event.target instanceof Element)) {
    return undefined
  }
  const link = event.target.closest("a")
  return link !== null &&
    link.target === "" &&
    /^\/w\//.test(link.pathname) &&
    link.origin === location.origin
    ? `${link.pathname}${link.search}`
    : undefined
}

/**
 * Hears of every way to leave until it is ended. `free` says whether one may; otherwise `ask` is called with
 * the way to go on.
 */
const listen = (
  free: { readonly current: boolean },
  route: (address: string) => void,
  ask: (go: () => void) => void
): (() => void) => {
  const here = location.href
  const unload = (event: BeforeUnloadEvent) => {
    if (!free.current) event.preventDefault()
  }
  const click = (event: MouseEvent) => {
    const address = followed(event)
    if (free.current || address === undefined) return
    event.preventDefault()
    event.stopPropagation()
    ask(() => route(address))
  }
  const back = (event: Event) => {
    if (free.current) return
    event.preventDefault()
    history.pushState(null, "", here)
    ask(() => history.back())
  }
  const leave = (event: Event) => {
    if (free.current || !(event instanceof CustomEvent)) return
    event.preventDefault()
    ask(event.detail)
  }
  addEventListener("beforeunload", unload)
  addEventListener("click", click, true)
  addEventListener(GONE, back)
  addEventListener(LEAVE, leave)
  return () => {
    removeEventListener("beforeunload", unload)
    removeEventListener("click", click, true)
    removeEventListener(GONE, back)
    removeEventListener(LEAVE, leave)
  }
}

/** That somebody is about to leave, and what can be done then. */
interface Asked {
  readonly leave: () => void
  readonly stay: () => void
}

/** Holds up who is about to leave, as long as `isHeld`; undefined as long as nobody is. */
export const useLeaving = (isHeld: boolean): Asked | undefined => {
  const { route } = useLocation()
  const [go, setGo] = useState<(() => void) | undefined>()
  // Going back takes a while, in which this is drawn again.
  const hasLeft = useRef(false)
  const free = useRef(!isHeld)
  free.current = hasLeft.current || !isHeld
  useEffect(() => listen(free, route, (next) => setGo(() => next)), [])
  if (go === undefined) return undefined
  const stay = () => setGo(undefined)
  return {
    stay,
    leave: () => {
      stay()
      hasLeft.current = true
      free.current = true
      go()
    }
  }
}
