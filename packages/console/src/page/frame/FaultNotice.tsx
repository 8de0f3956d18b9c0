/** What went wrong, in place of what could not be shown. */
import { useLanguage } from "@cairn/ui/locale"
import { Notice } from "@cairn/ui/notice"
import { FormError } from "@cairn/ui/parts"
import { useContext, useEffect, useState } from "preact/hooks"
import type { Fault } from "../data/Fault.ts"
import { SessionContext } from "../data/Session.ts"
import { useTexts } from "../locale/Texts.ts"
import { frameTexts } from "./FrameTexts.ts"

/** Signs in again, and comes back here. */
const signInAgain = (): void => {
  const here = `${location.pathname}${location.search}`
  location.assign(`/sign-in?why=session_ended&return=${encodeURIComponent(here)}`)
}

/**
 * Asks again who may do what, once something was rejected: the role was changed meanwhile, or the access has
 * ended, and then the whole page says so.
 */
const useRefused = (isRefused: boolean): void => {
  const renew = useContext(SessionContext)?.renew
  useEffect(() => {
    if (isRefused) renew?.()
  }, [isRefused])
}

/** Counts down, and then tries again. */
const Waiting = ({
  fault: { kind, seconds },
  retry
}: {
  readonly fault: Extract<Fault, { readonly seconds: number }>
  readonly retry: () => void
}) => {
  const { messages, number } = useLanguage()
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const timer = setTimeout(() => (left <= 1 ? retry() : setLeft(left - 1)), 1_000)
    return () => clearTimeout(timer)
  }, [left])
  return (
    <p class="notice" role="status">
      {messages[kind](number(left))}
    </p>
  )
}

/** Why nothing can be shown, and what can be done about it. */
export const FaultNotice = ({ fault, retry }: { readonly fault: Fault; readonly retry: () => void }) => {
  const { messages } = useLanguage()
  const texts = useTexts(frameTexts)
  useEffect(() => {
    if (fault.kind === "signed_out") signInAgain()
  }, [fault.kind])
  useRefused(fault.kind === "refused")
  if (fault.kind === "signed_out") return null
  if (fault.kind === "busy" || fault.kind === "unavailable") return <Waiting fault={fault} retry={retry} />
  if (fault.kind === "refused") return <Notice title={texts.refused} hint={texts.refusedHint} alert />
  if (fault.kind === "gone") return <Notice title={texts.gone} hint={texts.goneHint} alert />
  return (
    <Notice title={texts.failed} hint={fault.message || texts.failedHint} alert>
      <button type="button" onClick={retry}>
        {messages.retry}
      </button>
    </Notice>
  )
}

/** Why a change was not made, in a form. Faults of fields stand at the fields. */
export const ChangeFault = ({ fault }: { readonly fault: Fault | undefined }) => {
  const { messages, number } = useLanguage()
  const texts = useTexts(frameTexts)
  useEffect(() => {
    if (fault?.kind === "signed_out") signInAgain()
  }, [fault?.kind])
  useRefused(fault?.kind === "refused")
  if (fault === undefined || fault.kind === "signed_out") return null
  if (fault.kind === "busy" || fault.kind === "unavailable") {
    return <FormError>{messages[fault.kind](number(fault.seconds))}</FormError>
  }
  if (fault.kind === "gone") return <FormError>{texts.goneHint}</FormError>
  if (fault.kind === "refused") {
    return (
      <FormError>
        {texts.refused} <span lang="en">{fault.message}</span>
      </FormError>
    )
  }
  return (
    <FormError>{fault.message === "" ? texts.failedHint : <span lang="en">{fault.message}</span>}</FormError>
  )
}

/** What the service says of a field of a form, by the field's name. */
export const fieldFault = (fault: Fault | undefined, field: string): string | undefined =>
  fault?.kind === "invalid" ? fault.fields[field] : undefined
