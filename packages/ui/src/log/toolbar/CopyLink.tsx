/** The button that copies the address of what is shown. */
import { useEffect, useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { copyText } from "../../text/CopyText.ts"
import { Icon } from "../../theme/Icon.tsx"

/** Milliseconds for which it says that it has copied. */
const SAID = 4_000

/** The button; `class` is that of a button. */
export const CopyLink = ({ address, class: kind }: { readonly address: string; readonly class?: string }) => {
  const { messages } = useLanguage()
  const [state, setState] = useState<"copyLink" | "copied" | "copyFailed">("copyLink")
  useEffect(() => {
    if (state === "copyLink") return
    const timer = setTimeout(() => setState("copyLink"), SAID)
    return () => clearTimeout(timer)
  }, [state])
  const texts = { ...messages, copyLink: messages.keys.copyLink }
  return (
    <>
      <button
        type="button"
        class={kind}
        onClick={({ currentTarget }) => {
          copyText(address, currentTarget.parentElement ?? document.body).then(
            (isCopied) => setState(isCopied ? "copied" : "copyFailed"),
            () => setState("copyFailed")
          )
        }}
      >
        <Icon name="link" /> {texts[state]}
      </button>
      <span role="status" class="hidden">
        {state === "copyLink" ? "" : texts[state]}
      </span>
    </>
  )
}
