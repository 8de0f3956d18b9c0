/** The fields of a rule. */
import { useLanguage } from "@cairn/ui/locale"
import { CheckField, TextField } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useRef } from "preact/hooks"
import { useTexts } from "../../locale/Texts.ts"
import { inputOf, RULE_TYPES, type RuleType } from "./RuleDraft.ts"
import { ALL_UNITS, type RuleForm, SpanField } from "./RuleFormParts.tsx"
import { RuleParameters } from "./RuleParameters.tsx"
import { rulesTexts } from "./RulesTexts.ts"
import { watchedText } from "./RuleWords.ts"

/** Chooses the type of a new rule. */
export const TypeChoice = ({
  type,
  choose
}: {
  readonly type: RuleType
  readonly choose: (type: RuleType) => void
}) => {
  const { form, types } = useTexts(rulesTexts)
  return (
    <fieldset class="rules-types">
      <legend>{form.type}</legend>
      {RULE_TYPES.map((each) => (
        <label key={each} class="rules-type">
          <input
            type="radio"
            name="rule_type"
            value={each}
            checked={each === type}
            onChange={() => choose(each)}
          />
          <span class="rules-type-title">{types[each].name}</span>
          <span class="hint">{types[each].hint}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** To which events the rule is restricted. */
const Restrictions = ({ draft, change, errorOf }: RuleForm) => {
  const { form } = useTexts(rulesTexts)
  return (
    <fieldset class="rules-part">
      <legend>{form.which}</legend>
      <p class="hint">{form.whichHint}</p>
      <div class="rules-pair">
        <TextField
          label={form.action}
          hint={form.actionHint}
          error={errorOf("action")}
          value={draft.action}
          change={(action) => change({ ...draft, action })}
        />
        <TextField
          label={form.tenant}
          hint={form.tenantHint}
          error={errorOf("tenant_id")}
          value={draft.tenant}
          change={(tenant) => change({ ...draft, tenant })}
        />
      </div>
    </fieldset>
  )
}

/** What the rule watches, as it could last be said. */
const Sentence = ({ draft, isSound }: RuleForm) => {
  const texts = useTexts(rulesTexts)
  const language = useLanguage()
  const text = watchedText(inputOf(draft), texts, language)
  const said = useRef(isSound ? text : "…")
  if (isSound) said.current = text
  return (
    <p class="rules-sentence" data-stale={!isSound}>
      <PlainText text={said.current} />
    </p>
  )
}

/** All fields but that of the type. */
export const RuleFields = (given: RuleForm) => {
  const { draft, change, errorOf } = given
  const { form } = useTexts(rulesTexts)
  return (
    <>
      <TextField
        label={form.name}
        hint={form.nameHint}
        error={errorOf("name")}
        required
        value={draft.name}
        change={(name) => change({ ...draft, name })}
      />
      <fieldset class="rules-part">
        <legend>{form.what}</legend>
        <Sentence {...given} />
        <RuleParameters {...given} />
      </fieldset>
      <Restrictions {...given} />
      <SpanField
        label={form.cooldown}
        hint={form.cooldownHint}
        error={errorOf("cooldown_seconds")}
        value={draft.cooldown}
        units={ALL_UNITS}
        change={(cooldown) => change({ ...draft, cooldown })}
      />
      <CheckField
        label={form.enabled}
        hint={form.enabledHint}
        value={draft.enabled}
        change={(enabled) => change({ ...draft, enabled })}
      />
    </>
  )
}
