/** What the list of rules and the page of one have in common. */
import { useLanguage } from "@cairn/ui/locale"
import { Confirm } from "@cairn/ui/parts"
import { PlainText, visibleText } from "@cairn/ui/text"
import { useChange, useRead } from "../../data/Read.ts"
import { useAddress } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import type { Rule } from "./RuleDraft.ts"
import { rulesTexts } from "./RulesTexts.ts"
import { watchedText } from "./RuleWords.ts"

/** What the keys of everything that is read about rules begin with. */
export const RULES = "alertRules"

/** The most rules that the plan allows; null for any number. */
export const useRuleLimit = (): number | null | undefined =>
  useRead(
    ["workspace", "limits"],
    async (calls, signal) => (await calls.workspace.get({ signal })).data.limits
  ).data?.alert_rules

/** A restriction of a rule to some events. */
const Only = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <span class="rules-only">
    {label}{" "}
    <code>
      <PlainText text={value} limit={80} />
    </code>
  </span>
)

/** What a rule watches, in a sentence, and to which events it is restricted. */
export const Watched = ({ rule }: { readonly rule: Rule }) => {
  const texts = useTexts(rulesTexts)
  const language = useLanguage()
  return (
    <>
      <PlainText text={watchedText(rule, texts, language)} />
      {(rule.action !== null || rule.tenant_id !== null) && (
        <p class="muted rules-onlys">
          {rule.action !== null && <Only label={texts.onlyAction} value={rule.action} />}
          {rule.tenant_id !== null && <Only label={texts.onlyTenant} value={rule.tenant_id} />}
        </p>
      )}
    </>
  )
}

/** Asks whether a rule should be deleted, and deletes it. */
export const DeleteRule = ({
  rule,
  close,
  done
}: {
  readonly rule: Rule
  readonly close: () => void
  readonly done: () => void
}) => {
  const texts = useTexts(rulesTexts)
  const removal = useChange([RULES], (calls, id: string) => calls.alertRules.delete(id), done)
  const name = visibleText(rule.name)
  return (
    <Confirm
      title={texts.removeTitle}
      action={texts.remove}
      name={name}
      dangerous
      busy={removal.isRunning}
      error={<ChangeFault fault={removal.fault} />}
      confirm={() => removal.run(rule.id)}
      close={close}
    >
      <p>{texts.removeExplained(name)}</p>
    </Confirm>
  )
}

/** The way back to the list. */
export const ToList = () => {
  const texts = useTexts(rulesTexts)
  const address = useAddress()
  return (
    <a class="button" href={address("rules")}>
      {texts.allRules}
    </a>
  )
}
