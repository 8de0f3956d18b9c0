/** Messages in place of events: there are none, or they cannot be loaded. */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useLanguage } from "../locale/Messages.ts"
import type { Refusal } from "../log/LogSource.ts"

/** A message with what can be done about it. */
export const Notice = ({
  title,
  hint,
  children,
  alert = false
}: {
  readonly title: string
  readonly hint: string
  readonly children?: ComponentChildren
  readonly alert?: boolean
}) => (
  <div class="notice" role={alert ? "alert" : "status"}>
    <p class="notice-title">{title}</p>
    <p>{hint}</p>
    {children}
  </div>
)

/** Counts down, and then tries again. */
const Waiting = ({
  refusal: { kind, seconds },
  retry
}: {
  readonly refusal: Extract<Refusal, { readonly seconds: number }>
  readonly retry: () => void
}) => {
  const { messages, number } = useLanguage()
  const [left, setLeft] = useState(Math.ceil(seconds))
  useEffect(() => {
    if (left <= 0) {
      retry()
      return
    }
    const timer = setTimeout(() => setLeft(left - 1), 1_000)
    return () => clearTimeout(timer)
  }, [left, retry])
  return (
    <div class="notice" role="status">
      <p>{messages[kind](number(Math.max(0, left)))}</p>
    </div>
  )
}

/** Why loading failed. */
export const RefusalNotice = ({
  refusal,
  retry
}: {
  readonly refusal: Refusal
  readonly retry: () => void
}) => {
  const { messages } = useLanguage()
  if ("seconds" in refusal) return <Waiting refusal={refusal} retry={retry} />
  const { kind } = refusal
  const title = kind === "invalid" ? messages.invalid(refusal.parameter) : messages[kind]
  return (
    <Notice title={title} hint={messages[`${kind}Hint`]} alert>
      {kind === "failed" && (
        <button type="button" onClick={retry}>
          {messages.retry}
        </button>
      )}
    </Notice>
  )
}
