/** The keys that the page knows, and their switch: who speaks to a computer sets them off by talking. */
import { useRef } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import type { LogReader } from "../LogReader.ts"
import { KEYS } from "./KeyUses.ts"
import { useShortcuts } from "./Shortcuts.ts"

/** The button that shows the keys, and what it shows. */
export const Keys = ({ reader }: { readonly reader: LogReader }) => {
  const { messages } = useLanguage()
  const dialog = useRef<HTMLDialogElement>(null)
  const texts = messages.keys
  const show = () => dialog.current?.showModal()
  useShortcuts(reader, {
    "?": show,
    "/": () => document.querySelector<HTMLElement>('[role="search"] input')?.focus()
  })
  return (
    <>
      <button type="button" class="bare" onClick={show}>
        {texts.title}
      </button>
      <dialog ref={dialog} class="keys" aria-label={texts.title}>
        <dl>
          {KEYS.map(([key, use]) => (
            <div key={use}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{texts.uses[use]}</dd>
            </div>
          ))}
        </dl>
        <label>
          <input type="checkbox" checked={reader.place.value.keys} onChange={() => reader.switchKeys()} />{" "}
          {texts.single}
        </label>
        <form method="dialog">
          <button type="submit">{messages.close}</button>
        </form>
      </dialog>
    </>
  )
}
