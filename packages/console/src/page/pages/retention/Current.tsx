/** How long contents are kept at present, and what is about to change. */
import { useLanguage } from "@cairn/ui/locale"
import { Card, Confirm, Facts, Glyph } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useChange } from "../../data/Read.ts"
import { useMay } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { cutOf, figureToCallOff, type Workspace } from "./RetentionPreview.ts"
import { retentionTexts } from "./RetentionTexts.ts"
import { useCount } from "./useCount.ts"

/** Says a number of days; null is for ever. */
export const useDays = (): ((days: number | null) => string) => {
  const texts = useTexts(retentionTexts)
  const { number } = useLanguage()
  return (days) => (days === null ? texts.unlimited : texts.days(days, number(days)))
}

const CallOff = ({ workspace, days }: { readonly workspace: Workspace; readonly days: number | null }) => {
  const texts = useTexts(retentionTexts)
  const say = useDays()
  const [asking, setAsking] = useState(false)
  const change = useChange(
    ["workspace"],
    ({ workspace }, retention_days: number | null) => workspace.update({ retention_days }),
    () => setAsking(false)
  )
  return (
    <>
      <button
        type="button"
        onClick={() => {
          change.reset()
          setAsking(true)
        }}
      >
        {texts.callOff}
      </button>
      {asking && (
        <Confirm
          title={texts.callOffTitle}
          action={texts.callOff}
          busy={change.isRunning}
          error={<ChangeFault fault={change.fault} />}
          confirm={() => change.run(days)}
          close={() => setAsking(false)}
        >
          <p>{texts.callOffHint(say(workspace.effective_retention_days))}</p>
        </Confirm>
      )}
    </>
  )
}

const Pending = ({ workspace }: { readonly workspace: Workspace }) => {
  const texts = useTexts(retentionTexts)
  const say = useDays()
  const { moments, number } = useLanguage()
  const mayChange = useMay("workspace:write")
  const pending = workspace.pending_retention
  const cut = pending === null ? undefined : cutOf(pending.takes_effect_at, pending.retention_days)
  const { data: count } = useCount(cut === undefined ? undefined : { to: cut.toISOString() })
  if (pending === null || cut === undefined) return null
  const figure = figureToCallOff(workspace)
  const at = (time: string) => moments.absolute(Date.parse(time))
  const { followed_by: next } = pending
  return (
    <div class="retention-pending">
      <Glyph name="warning" />
      <div>
        <p>
          <strong>{texts.pendingFact(say(pending.retention_days), at(pending.takes_effect_at))}</strong>{" "}
          {count !== undefined && texts.pendingCut(number(count), moments.absolute(cut.getTime()))}
        </p>
        {next !== undefined && <p>{texts.pendingFact(say(next.retention_days), at(next.takes_effect_at))}</p>}
        {figure === undefined && <p class="muted">{texts.pendingPlan}</p>}
      </div>
      {figure !== undefined && mayChange && <CallOff workspace={workspace} days={figure} />}
    </div>
  )
}

/** The card. */
export const Current = ({ workspace }: { readonly workspace: Workspace }) => {
  const texts = useTexts(retentionTexts)
  const say = useDays()
  const { effective_retention_days: days, retention_days: own, limits, plan } = workspace
  return (
    <Card title={days === null ? texts.keepsAll : texts.keeps(say(days))}>
      <div class="retention-stack">
        <Pending workspace={workspace} />
        <Facts
          of={[
            [texts.own, own === null ? <span class="muted">{texts.asPlanned}</span> : say(own)],
            [
              texts.plan,
              <>
                {say(limits.retention_days)} <span class="muted">({plan})</span>
              </>
            ],
            [texts.archive, <span class="muted">{texts.archiveFact}</span>]
          ]}
        />
      </div>
    </Card>
  )
}
