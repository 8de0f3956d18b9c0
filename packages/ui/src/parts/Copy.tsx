/** Buttons that copy, and secrets that are shown once. */
import { useEffect, useState } from "preact/hooks"
import { copyText } from "../text/CopyText.ts"
import { Glyph } from "./Glyph.tsx"
import { usePartsTexts } from "./PartsTexts.ts"

/** Milliseconds for which the button says that it has copied. */
const SAID = 4_000

/** Copies a text; `label` says what, where "Copy" alone would not. `copied` hears of it. */
export const CopyButton = ({
  text,
  label,
  copied
}: {
  readonly text: string
  readonly label?: string
  readonly copied?: (() => void) | undefined
}) => {
  const texts = usePartsTexts()
  const [state, setState] = useState<"copy" | "copied" | "copyFailed">("copy")
  useEffect(() => {
    if (state === "copy") return
    const timer = setTimeout(() => setState("copy"), SAID)
    return () => clearTimeout(timer)
  }, [state])
  return (
    <span class="copy">
      <button
        type="button"
        class="bare small"
        onClick={({ currentTarget }) => {
          copyText(text, currentTarget.parentElement ?? document.body).then(
            (isCopied) => {
              setState(isCopied ? "copied" : "copyFailed")
              if (isCopied) copied?.()
            },
            () => setState("copyFailed")
          )
        }}
      >
        <Glyph name={state === "copied" ? "check" : "copy"} />{" "}
        {state === "copied" ? texts.copied : (label ?? texts.copy)}
      </button>
      <span role="status" class="hidden">
        {state === "copy" ? "" : texts[state]}
      </span>
    </span>
  )
}

/**
 * A secret, or a text of several lines such as a snippet, whole and ready to be copied. `copied` hears of it,
 * by the button or otherwise.
 */
export const Secret = ({
  text,
  label,
  copied
}: {
  readonly text: string
  readonly label: string
  readonly copied?: () => void
}) => (
  <div class="secret" onCopy={copied}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
    <pre tabIndex={0} role="region" aria-label={label}>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} copied={copied} />
  </div>
)
