/** A row of buttons that is one stop of the tabulator key; the arrow keys go from button to button. */
import { useLayoutEffect, useRef } from "preact/hooks"

/** What its element needs. */
export const useRoving = () => {
  const toolbar = useRef<HTMLDivElement>(null)
  // What a dialog holds is no part of the row.
  const buttons = () =>
    Array.from(toolbar.current?.querySelectorAll<HTMLButtonElement>("button:not(dialog button)") ?? [])
  const stopAt = (stop: unknown) => {
    for (const button of buttons()) button.tabIndex = button === stop ? 0 : -1
  }
  // After each drawing: buttons come and go.
  useLayoutEffect(() => {
    const all = buttons()
    if (all.filter(({ tabIndex }) => tabIndex === 0).length !== 1)
      stopAt(all.find((button) => button === document.activeElement) ?? all[0])
  })
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
