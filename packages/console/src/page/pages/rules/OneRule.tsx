/** One rule: its form, or what it is for those who may not change it. */
import { useLanguage } from "@cairn/ui/locale"
import { Badge, Card, Facts, Glyph, Moment } from "@cairn/ui/parts"
import { PlainText, visibleText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useChange, useRead } from "../../data/Read.ts"
import { useAddress, useMay } from "../../data/Session.ts"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { draftOf, inputOf, patchOf, type Rule, type RulePatch } from "./RuleDraft.ts"
import { RuleEditor } from "./RuleEditor.tsx"
import { faultsOf } from "./RuleFaults.ts"
import { DeleteRule, RULES, ToList, Watched } from "./RuleParts.tsx"
import { rulesTexts } from "./RulesTexts.ts"
import { pauseText } from "./RuleWords.ts"

/** Changes a rule. What others change meanwhile stays, as only what was changed here is sent. */
const ChangedRule = ({ rule }: { readonly rule: Rule }) => {
  const texts = useTexts(rulesTexts)
  const address = useAddress()
  const { route } = useLocation()
  // As it was when the form was opened, however often it is read again.
  const [before] = useState(rule)
  const [draft, setDraft] = useState(() => draftOf(rule))
  const [isRemoving, setIsRemoving] = useState(false)
  const toList = () => route(address("rules"))
  const saving = useChange(
    [RULES],
    (calls, patch: RulePatch) => calls.alertRules.update(rule.id, patch),
    toList
  )
  const patch = patchOf(before, draft)
  return (
    <>
      <RuleEditor
        title={visibleText(before.name, 120)}
        actions={
          <button type="button" class="bare" onClick={() => setIsRemoving(true)}>
            <Glyph name="trash" /> {texts.remove}
          </button>
        }
        before={
          <p class="rules-fixed">
            <strong>{texts.types[before.rule_type].name}</strong>{" "}
            <span class="hint">{texts.form.typeStays}</span>
          </p>
        }
        draft={draft}
        faults={faultsOf(draft, draftOf(before))}
        change={setDraft}
        send={() => patch !== undefined && saving.run(patch)}
        sendLabel={texts.form.save}
        fault={saving.fault}
        isSending={saving.isRunning}
        isUnchanged={patch === undefined}
      />
      {isRemoving && (
        <DeleteRule
          rule={before}
          close={() => setIsRemoving(false)}
          done={() => {
            setIsRemoving(false)
            toList()
          }}
        />
      )}
    </>
  )
}

/** What a rule is. */
const ShownRule = ({ rule }: { readonly rule: Rule }) => {
  const texts = useTexts(rulesTexts)
  const { roleCannot } = useTexts(frameTexts)
  const { locale } = useLanguage()
  return (
    <Card title={visibleText(rule.name, 120)} hint={roleCannot}>
      <Facts
        of={[
          [texts.form.type, texts.types[rule.rule_type].name],
          [
            texts.columns.state,
            <Badge key="state" tone={rule.enabled ? "good" : "calm"}>
              {rule.enabled ? texts.on : texts.off}
            </Badge>
          ],
          [texts.columns.watches, <Watched key="watched" rule={rule} />],
          [
            texts.patterns,
            rule.rule_type === "high_volume_destructive" ? (
              <PlainText text={rule.parameters.actions.join(", ")} />
            ) : undefined
          ],
          [texts.form.often, pauseText(inputOf(draftOf(rule)), texts, locale)],
          [texts.columns.changed, <Moment key="changed" at={rule.updated_at} />]
        ]}
      />
    </Card>
  )
}

/** The page of a rule. */
export const OneRule = ({ id }: { readonly id: string }) => {
  const mayWrite = useMay("alert_rules:write")
  const rule = useRead(
    [RULES, "one", id],
    async (calls, signal) => (await calls.alertRules.get(id, { signal })).data
  )
  return (
    <>
      <PageHead page="rules">
        <ToList />
      </PageHead>
      <Loaded read={rule}>
        {(data) => (mayWrite ? <ChangedRule rule={data} /> : <ShownRule rule={data} />)}
      </Loaded>
    </>
  )
}
