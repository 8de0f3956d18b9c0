/** Dialogs, by the browser's own element: focus stays within, and Escape closes. */
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { TextField } from "./Field.tsx"
import { Glyph } from "./Glyph.tsx"
import { usePartsTexts } from "./PartsTexts.ts"

/** A dialog, open as long as it is there. */
export const Dialog = ({
  title,
  close,
  children
}: {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
}) => {
  const texts = usePartsTexts()
  const heading = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (dialog.current?.open !== false) return
    dialog.current.showModal()
    // A form begins at its first field; the browser would begin at the button that closes.
    dialog.current.querySelector<HTMLElement>("form :is(input, select, textarea)")?.focus()
  }, [])
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={heading} onClose={close}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="bare" onClick={() => dialog.current?.close()}>
          <Glyph name="cross" />
          <span class="hidden">{texts.close}</span>
        </button>
      </header>
      {children}
    </dialog>
  )
}

/**
 * Asks before something is done. `name`, where given, must be typed: for what cannot be undone. `error` is
 * why it has failed.
 */
export const Confirm = ({
  title,
  action,
  name,
  dangerous = false,
  busy,
  error,
  confirm,
  close,
  children
}: {
  readonly title: string
  /** What the button says. */
  readonly action: string
  readonly name?: string
  readonly dangerous?: boolean
  readonly busy: boolean
  readonly error?: ComponentChildren
  readonly confirm: () => void
  readonly close: () => void
  readonly children: ComponentChildren
}) => {
  const texts = usePartsTexts()
  const [typed, setTyped] = useState("")
  return (
    <Dialog title={title} close={close}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (name === undefined || typed === name) confirm()
        }}
      >
        {children}
        {name !== undefined && (
          <TextField label={texts.typeToConfirm(name)} value={typed} change={setTyped} required />
        )}
        {error}
        <div class="form-actions">
          <button type="button" onClick={close}>
            {texts.cancel}
          </button>
          <button
            type="submit"
            class={dangerous ? "danger" : "primary"}
            disabled={busy || (name !== undefined && typed !== name)}
          >
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
