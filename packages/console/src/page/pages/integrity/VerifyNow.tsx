/** The chain verified on demand: all of it, or a period. */
import { fromLocalInput, toLocalInput, useLanguage, usePageClock } from "@cairn/ui/locale"
import { Badge, Card, SelectField, TextField } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { ChangeFault, fieldFault } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { BreakTable } from "./BreakTable.tsx"
import { integrityTexts } from "./IntegrityTexts.ts"
import { type RunState, useVerifyRun } from "./useVerifyRun.ts"
import { beginningOf, PERIODS, type Period } from "./VerifyRun.ts"

const isPeriod = (text: string | undefined): text is Period => PERIODS.some((period) => period === text)

/** What is chosen, kept in the address. */
const useChoice = () => {
  const { path, query, route } = useLocation()
  const [choice, setChoice] = useState({
    period: isPeriod(query.period) ? query.period : "all",
    from: query.from ?? "",
    to: query.to ?? ""
  })
  return {
    choice,
    choose: (change: Partial<typeof choice>) => {
      const next = { ...choice, ...change }
      setChoice(next)
      const kept = Object.entries(next.period === "custom" ? next : { period: next.period }).filter(
        ([, value]) => value !== "" && value !== "all"
      )
      const text = new URLSearchParams(kept).toString()
      route(text === "" ? path : `${path}?${text}`, true)
    }
  }
}

const Progress = ({ state }: { readonly state: RunState }) => {
  const texts = useTexts(integrityTexts)
  const { messages, number } = useLanguage()
  const { run } = state
  return (
    <div class="integrity-progress">
      <progress
        aria-label={texts.now}
        {...(run === undefined ? {} : { value: run.checked, max: Math.max(1, run.total) })}
      />
      <p class="muted">
        {run === undefined ? messages.loading : texts.progress(number(run.checked), number(run.total))}
      </p>
    </div>
  )
}

const Outcome = ({ state: { phase, range, run } }: { readonly state: RunState }) => {
  const texts = useTexts(integrityTexts)
  const { number } = useLanguage()
  if (run === undefined) return null
  const isWholeLog = range.from === undefined && range.to === undefined
  const checked = number(run.checked)
  const isStopped = phase === "stopped"
  const sentence =
    run.broken > 0
      ? texts.breaks(run.broken, number(run.broken), checked)
      : run.checked === 0
        ? texts.nothing
        : texts.holds(run.checked, checked)
  return (
    <>
      <p class="integrity-outcome" data-broken={run.broken > 0}>
        <Badge tone={run.broken > 0 ? "bad" : run.checked === 0 || isStopped ? "calm" : "good"}>
          {sentence}
        </Badge>
      </p>
      <p class="muted">
        {isStopped ? texts.stopped(checked) : isWholeLog ? texts.wholeHint : texts.periodHint}
      </p>
      {run.breaks.length > 0 && <BreakTable label={texts.findings} breaks={run.breaks} />}
      {run.broken > run.breaks.length && (
        <p class="muted">{texts.moreFindings(number(run.broken - run.breaks.length))}</p>
      )}
    </>
  )
}

/** The form, how far it is, and what came out. */
export const VerifyNow = () => {
  const clock = usePageClock()
  const texts = useTexts(integrityTexts)
  const { choice, choose } = useChoice()
  const { state, start, stop } = useVerifyRun()
  const isRunning = state.phase === "running"
  const range = () =>
    choice.period === "custom"
      ? { from: choice.from || undefined, to: choice.to || undefined }
      : { from: beginningOf(choice.period, clock.now()) }
  return (
    <Card title={texts.now} hint={texts.nowHint}>
      <form
        class="form integrity-form"
        onSubmit={(event) => {
          event.preventDefault()
          start(range())
        }}
      >
        <SelectField
          label={texts.period}
          value={choice.period}
          change={(period) => choose({ period })}
          options={PERIODS.map((period) => [period, texts.periods[period]])}
        />
        {choice.period === "custom" && (
          <>
            <TextField
              type="datetime-local"
              label={texts.from}
              value={toLocalInput(choice.from)}
              change={(value) => choose({ from: fromLocalInput(value) })}
              error={fieldFault(state.fault, "from")}
            />
            <TextField
              type="datetime-local"
              label={texts.to}
              value={toLocalInput(choice.to)}
              change={(value) => choose({ to: fromLocalInput(value) })}
              error={fieldFault(state.fault, "to")}
            />
          </>
        )}
        <div class="actions">
          <button type="submit" class="primary" disabled={isRunning}>
            {texts.verify}
          </button>
          {isRunning && (
            <button type="button" onClick={stop}>
              {texts.stop}
            </button>
          )}
        </div>
      </form>
      {isRunning && <Progress state={state} />}
      <ChangeFault fault={state.fault} />
      <div role="status">{!isRunning && <Outcome state={state} />}</div>
    </Card>
  )
}
