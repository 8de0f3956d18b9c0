/** The list of rules. */
import { useLanguage } from "@cairn/ui/locale"
import { Badge, type Column, Glyph, Moment } from "@cairn/ui/parts"
import { PlainText, visibleText } from "@cairn/ui/text"
import { useState } from "preact/hooks"
import { usePages } from "../../data/Pages.ts"
import { useChange } from "../../data/Read.ts"
import { useAddress, useMay } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { ListFrame } from "../../frame/ListFrame.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import type { Rule } from "./RuleDraft.ts"
import { DeleteRule, RULES, useRuleLimit, Watched } from "./RuleParts.tsx"
import { rulesTexts } from "./RulesTexts.ts"

/** Turns a rule on or off. */
const Switch = ({
  rule,
  busy,
  turn
}: {
  readonly rule: Rule
  readonly busy: boolean
  readonly turn: (enabled: boolean) => void
}) => {
  const texts = useTexts(rulesTexts)
  return (
    <span class="rules-state">
      <button
        type="button"
        role="switch"
        class="rules-switch"
        aria-checked={rule.enabled}
        aria-label={texts.watching(visibleText(rule.name))}
        // Disabled it would lose the focus.
        aria-disabled={busy}
        onClick={() => !busy && turn(!rule.enabled)}
      >
        <span class="rules-knob" />
      </button>
      <span aria-hidden="true">{rule.enabled ? texts.on : texts.off}</span>
    </span>
  )
}

/** A rule's name and type. */
const Name = ({ rule }: { readonly rule: Rule }) => {
  const texts = useTexts(rulesTexts)
  const address = useAddress()
  return (
    <div class="rules-name">
      <a href={address(`rules/${encodeURIComponent(rule.id)}`)}>
        <PlainText text={rule.name} limit={120} />
      </a>
      <p class="muted rules-type-name">{texts.types[rule.rule_type].name}</p>
    </div>
  )
}

/** What can be done with the rules, for those who may. */
const useRuleColumns = (remove: (rule: Rule) => void) => {
  const texts = useTexts(rulesTexts)
  const address = useAddress()
  const mayWrite = useMay("alert_rules:write")
  const turning = useChange([RULES], (calls, { id, enabled }: Pick<Rule, "id" | "enabled">) =>
    calls.alertRules.update(id, { enabled })
  )
  const state = (rule: Rule) =>
    mayWrite ? (
      <Switch
        rule={rule}
        busy={turning.isRunning}
        turn={(enabled) => turning.run({ id: rule.id, enabled })}
      />
    ) : (
      <Badge tone={rule.enabled ? "good" : "calm"}>{rule.enabled ? texts.on : texts.off}</Badge>
    )
  const actions = (rule: Rule) => (
    <div class="rules-actions">
      <a
        class="button small"
        href={address(`rules/${encodeURIComponent(rule.id)}`)}
        aria-label={texts.editNamed(visibleText(rule.name))}
      >
        {texts.edit}
      </a>
      <button
        type="button"
        class="bare small"
        aria-label={texts.removeNamed(visibleText(rule.name))}
        onClick={() => remove(rule)}
      >
        <Glyph name="trash" />
      </button>
    </div>
  )
  const columns: ReadonlyArray<Column<Rule>> = [
    { name: texts.columns.rule, cell: (rule) => <Name rule={rule} /> },
    { name: texts.columns.watches, cell: (rule) => <Watched rule={rule} /> },
    { name: texts.columns.state, cell: state },
    {
      name: texts.columns.changed,
      cell: ({ updated_at }) => (
        <span class="rules-changed">
          <Moment at={updated_at} />
        </span>
      )
    },
    ...(mayWrite ? [{ name: texts.columns.actions, unnamed: true, cell: actions }] : [])
  ]
  return { columns, fault: turning.fault }
}

/** The button for a new rule, or why there can be none. */
const NewRuleLink = ({ used }: { readonly used: number | null | undefined }) => {
  const texts = useTexts(rulesTexts)
  const { number } = useLanguage()
  const address = useAddress()
  const limit = useRuleLimit()
  if (typeof limit === "number" && typeof used === "number" && used >= limit) {
    return <p class="muted rules-limit">{texts.limitReached}</p>
  }
  return (
    <>
      {typeof limit === "number" && typeof used === "number" && (
        <p class="muted rules-limit">{texts.limit(number(used), number(limit))}</p>
      )}
      <a class="button primary" href={address("rules/new")}>
        <Glyph name="plus" /> {texts.newRule}
      </a>
    </>
  )
}

/** The list. */
export const RuleList = () => {
  const texts = useTexts(rulesTexts)
  const { roleCannot } = useTexts(frameTexts)
  const address = useAddress()
  const mayWrite = useMay("alert_rules:write")
  const mayRead = useMay("alert_rules:read")
  const [removed, setRemoved] = useState<Rule | undefined>(undefined)
  const rules = usePages([RULES, "list"], (calls, query, signal) =>
    calls.alertRules.list(query, { signal }).page()
  )
  const { columns, fault } = useRuleColumns(setRemoved)
  const isEmpty = rules.data?.data.length === 0
  return (
    <>
      <PageHead page="rules" hint={mayWrite || !mayRead ? texts.hint : `${texts.hint} ${roleCannot}`}>
        {mayWrite && !isEmpty && <NewRuleLink used={rules.data?.pagination.total} />}
      </PageHead>
      <ChangeFault fault={fault} />
      <ListFrame
        label={texts.list}
        pages={rules}
        columns={columns}
        keyOf={({ id }) => id}
        empty={texts.empty}
        emptyHint={mayWrite ? texts.emptyHint : roleCannot}
        emptyAction={
          mayWrite && (
            <a class="button primary" href={address("rules/new")}>
              <Glyph name="plus" /> {texts.newRule}
            </a>
          )
        }
      />
      {removed !== undefined && (
        <DeleteRule rule={removed} close={() => setRemoved(undefined)} done={() => setRemoved(undefined)} />
      )}
    </>
  )
}
