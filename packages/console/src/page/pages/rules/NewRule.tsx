/** A new rule. */
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useChange } from "../../data/Read.ts"
import { useAddress, useMay } from "../../data/Session.ts"
import { FaultNotice } from "../../frame/FaultNotice.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { inputOf, newDraft, RULE_TYPES, type RuleDraft, type RuleInput, type RuleType } from "./RuleDraft.ts"
import { RuleEditor } from "./RuleEditor.tsx"
import { faultsOf } from "./RuleFaults.ts"
import { TypeChoice } from "./RuleFields.tsx"
import { RULES, ToList } from "./RuleParts.tsx"
import { rulesTexts } from "./RulesTexts.ts"

/** The type that an address names. */
const typeIn = (query: Readonly<Record<string, string>>): RuleType =>
  RULE_TYPES.find((type) => type === query.type) ?? "high_volume_destructive"

/** The reader's own time zone. */
const ownTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

const NewRuleForm = () => {
  const texts = useTexts(rulesTexts)
  const address = useAddress()
  const { query, route } = useLocation()
  const [draft, setDraft] = useState<RuleDraft>(() => {
    const type = typeIn(query)
    return newDraft(type, texts.types[type].first, ownTimeZone())
  })
  const creation = useChange(
    [RULES],
    (calls, input: RuleInput) => calls.alertRules.create(input),
    () => route(address("rules"))
  )
  const choose = (type: RuleType) => {
    const isNamed = draft.name !== texts.types[draft.type].first
    setDraft({ ...draft, type, name: isNamed ? draft.name : texts.types[type].first })
    route(address(`rules/new?type=${type}`), true)
  }
  return (
    <RuleEditor
      title={texts.newRule}
      before={<TypeChoice type={draft.type} choose={choose} />}
      draft={draft}
      faults={faultsOf(draft)}
      change={setDraft}
      send={() => creation.run(inputOf(draft))}
      sendLabel={texts.form.create}
      fault={creation.fault}
      isSending={creation.isRunning}
    />
  )
}

/** The page of a new rule. */
export const NewRule = () => {
  const mayWrite = useMay("alert_rules:write")
  return (
    <>
      <PageHead page="rules">
        <ToList />
      </PageHead>
      {mayWrite ? (
        <NewRuleForm />
      ) : (
        <FaultNotice fault={{ kind: "refused", message: "" }} retry={() => undefined} />
      )}
    </>
  )
}
