/** The button that copies the address of what is shown. */
import { useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { copyText } from "../../text/CopyText.ts"
import { Icon } from "../../theme/Icon.tsx"

/** The button; `class` is that of a button. It says what became of it until there is another address. */
export const CopyLink = ({ address, class: kind }: { readonly address: string; readonly class?: string }) => {
  const { messages } = useLanguage()
  const [copied, setCopied] = useState({ address: "", text: "" })
  const told = copied.address === address ? copied.text : ""
  return (
    <>
      <button
        type="button"
        class={kind}
        onClick={async ({ currentTarget }) => {
          const isCopied = await copyText(address, currentTarget.parentElement ?? document.body)
          setCopied({ address, text: isCopied ? messages.copied : messages.copyFailed })
        }}
      >
        <Icon name="link" /> {told || messages.keys.copyLink}
      </button>
      <span role="status" class="hidden">
        {told}
      </span>
    </>
  )
}
