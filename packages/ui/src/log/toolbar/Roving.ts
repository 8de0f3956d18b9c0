/** A row of buttons that is one stop of the tabulator key; the arrow keys go from button to button. */
import { useLayoutEffect, useRef } from "preact/hooks"

/** What its element needs. */
export const useRoving = () => {
  const toolbar = useRef<HTMLDivElement>(null)
  // What a dialog holds is no part of the row.
  const buttons = () =>
    Array.from(toolbar.current?.querySelectorAll<HTMLButtonElement>("button:not(dialog button)") ?? [])
  const stop = useRef<unknown>(undefined)
  const stopAt = (wanted: unknown) => {
    stop.current = wanted
    for (const button of buttons()) button.tabIndex = button === wanted ? 0 : -1
  }
  // Buttons come and go, and parts of the row are drawn by themselves.
  useLayoutEffect(() => {
    const arrange = () => {
      const all = buttons()
      const find = (wanted: unknown) => all.find((button) => button === wanted)
      stopAt(find(document.activeElement) ?? find(stop.current) ?? all[0])
    }
    arrange()
    const observer = new MutationObserver(arrange)
    if (toolbar.current !== null) observer.observe(toolbar.current, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const all = buttons()
    const at = event.target instanceof HTMLButtonElement ? all.indexOf(event.target) : -1
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: -1
    }
    const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined
    if (at < 0 || step === undefined) return
    event.preventDefault()
    all.at(step % all.length)?.focus()
  }
  const onFocusIn = ({ target }: FocusEvent) => {
    if (buttons().some((button) => button === target)) stopAt(target)
  }
  return { ref: toolbar, onKeyDown, onFocusIn }
}
