/** The form of a rule, and beside it what the rule would have raised. */
import { Card } from "@cairn/ui/parts"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Fault } from "../../data/Fault.ts"
import { useAddress } from "../../data/Session.ts"
import { ChangeFault, fieldFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { BacktestPreview } from "./BacktestPreview.tsx"
import type { RuleDraft } from "./RuleDraft.ts"
import type { RuleFaults } from "./RuleFaults.ts"
import { RuleFields } from "./RuleFields.tsx"
import { shownFaults, useFaultText } from "./RuleFormParts.tsx"
import { rulesTexts } from "./RulesTexts.ts"

/** Moves to the first field that something is wrong with, once it is marked. */
const toFirstFault = (form: HTMLElement): void => {
  requestAnimationFrame(() => form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus())
}

/** The form and the preview. */
export const RuleEditor = ({
  title,
  actions,
  before,
  draft,
  faults,
  change,
  send,
  sendLabel,
  fault,
  isSending,
  isUnchanged = false
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  /** What stands above the fields: the choice of a type, or which it is. */
  readonly before: ComponentChildren
  readonly draft: RuleDraft
  readonly faults: RuleFaults
  readonly change: (draft: RuleDraft) => void
  readonly send: () => void
  readonly sendLabel: string
  readonly fault: Fault | undefined
  readonly isSending: boolean
  readonly isUnchanged?: boolean
}) => {
  const { form } = useTexts(rulesTexts)
  const address = useAddress()
  const faultText = useFaultText()
  const [isSent, setIsSent] = useState(false)
  const shown = shownFaults(faults, isSent)
  const errorOf = (path: string): string | undefined => {
    const own = shown[path]
    return own === undefined ? fieldFault(fault, path) : faultText(own)
  }
  return (
    <div class="rules-editor">
      <Card title={title} actions={actions}>
        <form
          class="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            setIsSent(true)
            if (Object.keys(faults).length === 0) send()
            else toFirstFault(event.currentTarget)
          }}
        >
          {before}
          <RuleFields
            draft={draft}
            change={change}
            errorOf={errorOf}
            isSound={!Object.keys(faults).some((path) => path.startsWith("parameters."))}
          />
          <ChangeFault fault={fault} />
          <div class="form-actions">
            {isUnchanged && <p class="muted rules-unchanged">{form.unchanged}</p>}
            <a class="button" href={address("rules")}>
              {form.cancel}
            </a>
            <button type="submit" class="primary" disabled={isSending || isUnchanged}>
              {sendLabel}
            </button>
          </div>
        </form>
      </Card>
      <BacktestPreview draft={draft} faults={faults} />
    </div>
  )
}
