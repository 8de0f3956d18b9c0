/** Single keys that do something wherever the focus is but where one types. */
import { useEffect } from "preact/hooks"
import type { LogReader } from "../LogReader.ts"

const isTypedIn = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName))

/** Does what belongs to a key that is pressed, unless the reader has turned that off or a dialog is open. */
export const useShortcuts = (reader: LogReader, actions: Readonly<Record<string, () => void>>): void => {
  const { keys } = reader.place.value
  useEffect(() => {
    if (!keys) return
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target, altKey, ctrlKey, metaKey, defaultPrevented } = event
      if (altKey || ctrlKey || metaKey || defaultPrevented || isTypedIn(target)) return
      const action = Object.hasOwn(actions, key) ? actions[key] : undefined
      if (action === undefined || document.querySelector("dialog[open]") !== null) return
      event.preventDefault()
      action()
    }
    addEventListener("keydown", onKeyDown)
    return () => removeEventListener("keydown", onKeyDown)
  })
}
