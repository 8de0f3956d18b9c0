/** Changing how long contents are kept, with what that would do. */
import { useLanguage, usePageClock } from "@cairn/ui/locale"
import { Card, Confirm, NumberField } from "@cairn/ui/parts"
import { useEffect, useState } from "preact/hooks"
import { useChange } from "../../data/Read.ts"
import { useMay } from "../../data/Session.ts"
import { ChangeFault, fieldFault } from "../../frame/FaultNotice.tsx"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { useTexts } from "../../locale/Texts.ts"
import { useDays } from "./Current.tsx"
import { type Effect, effectOf, figureOf, type Workspace } from "./RetentionPreview.ts"
import { retentionTexts } from "./RetentionTexts.ts"
import { useCount, useSettled } from "./useCount.ts"

const Preview = ({ effect }: { readonly effect: Effect }) => {
  const texts = useTexts(retentionTexts)
  const say = useDays()
  const { number, moments } = useLanguage()
  // To the minute, so that what is counted stays the same while the reader thinks.
  const cut =
    effect.kind === "shorter" ? new Date(Math.floor(effect.before.getTime() / 60_000) * 60_000) : undefined
  const settled = useSettled(cut?.toISOString())
  const { data: count, fault } = useCount(settled === undefined ? undefined : { to: settled })
  if (effect.kind === "none") return <p class="muted">{texts.none}</p>
  if (effect.kind === "longer") return <p>{texts.longer(say(effect.days))}</p>
  if (effect.kind !== "shorter" || cut === undefined) return null
  if (fault !== undefined) return <ChangeFault fault={fault} />
  if (count === undefined || settled !== cut.toISOString()) return <p class="muted">{texts.counting}</p>
  return (
    <>
      <p>
        <strong>
          {texts.shorter(
            count,
            number(count),
            moments.absolute(cut.getTime()),
            moments.absolute(effect.at.getTime())
          )}
        </strong>
      </p>
      <p class="muted">{texts.shorterHint}</p>
    </>
  )
}

const Form = ({ workspace }: { readonly workspace: Workspace }) => {
  const clock = usePageClock()
  const texts = useTexts(retentionTexts)
  const say = useDays()
  const [text, setText] = useState(workspace.retention_days?.toString() ?? "")
  // It may be called off elsewhere on the page.
  useEffect(() => setText(workspace.retention_days?.toString() ?? ""), [workspace.retention_days])
  const [asking, setAsking] = useState(false)
  const [isSaved, setSaved] = useState(false)
  const effect = effectOf(workspace, text, clock.now())
  const change = useChange(
    ["workspace"],
    ({ workspace }, retention_days: number | null) => workspace.update({ retention_days }),
    () => {
      setAsking(false)
      setSaved(true)
    }
  )
  const save = () => change.run(figureOf(text) ?? null)
  const refused =
    effect.kind === "invalid"
      ? texts.invalid
      : effect.kind === "beyond"
        ? texts.beyond(say(effect.most))
        : fieldFault(change.fault, "retention_days")
  return (
    <>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (effect.kind === "shorter") setAsking(true)
          else if (effect.kind === "longer") save()
        }}
      >
        <div class="retention-days">
          <NumberField
            label={texts.field}
            hint={texts.fieldHint}
            value={text}
            min={1}
            max={workspace.limits.retention_days ?? 36_500}
            change={(value) => {
              setSaved(false)
              change.reset()
              setText(value)
            }}
            error={refused}
          />
        </div>
        <div class="retention-preview" aria-live="polite">
          {isSaved ? <p>{texts.saved}</p> : <Preview effect={effect} />}
        </div>
        {!asking && <ChangeFault fault={change.fault} />}
        <div class="actions">
          <button
            type="submit"
            class="primary"
            disabled={change.isRunning || (effect.kind !== "shorter" && effect.kind !== "longer")}
          >
            {texts.save}
          </button>
        </div>
      </form>
      {asking && effect.kind === "shorter" && (
        <Confirm
          title={texts.confirmTitle(say(effect.days))}
          action={texts.shorten}
          dangerous
          busy={change.isRunning}
          error={<ChangeFault fault={change.fault} />}
          confirm={save}
          close={() => setAsking(false)}
        >
          <Preview effect={effect} />
        </Confirm>
      )}
    </>
  )
}

/** The card. */
export const ChangeForm = ({ workspace }: { readonly workspace: Workspace }) => {
  const texts = useTexts(retentionTexts)
  const frame = useTexts(frameTexts)
  return (
    <Card title={texts.change} hint={texts.changeHint}>
      {useMay("workspace:write") ? <Form workspace={workspace} /> : <p class="muted">{frame.roleCannot}</p>}
    </Card>
  )
}
