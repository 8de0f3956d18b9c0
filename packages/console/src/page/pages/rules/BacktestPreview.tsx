/** What the rule in the form would have raised, tried on the whole log while it is filled in. */
import { useLanguage, usePageClock } from "@cairn/ui/locale"
import { Card, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Fault } from "../../data/Fault.ts"
import { type Read, useRead } from "../../data/Read.ts"
import { type Schemas, useAddress } from "../../data/Session.ts"
import { ChangeFault, FaultNotice } from "../../frame/FaultNotice.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { backtestBars, countSince } from "./BacktestBars.ts"
import { BacktestPlot } from "./BacktestPlot.tsx"
import { inputOf, type RuleDraft, type RuleInput } from "./RuleDraft.ts"
import { canTry, type RuleFaults } from "./RuleFaults.ts"
import { rulesTexts } from "./RulesTexts.ts"

type Backtest = Schemas["Backtest"]

/** Milliseconds without a change after which a rule is tried. */
const SETTLED = 600
/** Most milliseconds of a trial: it reads every event. */
const PATIENCE = 120_000
/** Bars of the plot. */
const BARS = 60
/** Alerts that are shown one by one. */
const SHOWN = 5
const WEEK = 7 * 86_400_000

/** A rule that can be tried, and its text, by which two are compared. */
interface Tried {
  readonly text: string
  readonly input: RuleInput
}

/** The rule to try; its name matters to nothing that is shown. */
const triedOf = (draft: RuleDraft, faults: RuleFaults): Tried | undefined => {
  if (!canTry(faults)) return undefined
  const input = inputOf({ ...draft, name: "…", enabled: true })
  return { text: JSON.stringify(input), input }
}

/** The rule once nobody has typed for a while. */
const useSettled = (tried: Tried | undefined): Tried | undefined => {
  const [settled, setSettled] = useState(tried)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(tried), SETTLED)
    return () => clearTimeout(timer)
  }, [tried?.text])
  return settled
}

/** What was read last, while something else is being read. */
const useLast = <A,>({ data }: Read<A>): A | undefined => {
  const last = useRef(data)
  if (data !== undefined) last.current = data
  return last.current
}

/** The number of alerts, in a sentence. */
const Summary = ({ trial: { alerts, events, complete } }: { readonly trial: Backtest }) => {
  const clock = usePageClock()
  const { trial: texts } = useTexts(rulesTexts)
  const { number } = useLanguage()
  if (!complete) {
    return (
      <>
        {texts.more(number(alerts.length), number(events))}. <span class="muted">{texts.moreHint}</span>
      </>
    )
  }
  if (events === 0) return <>{texts.noEvents}</>
  if (alerts.length === 0) return <>{texts.none(number(events))}.</>
  const recent = countSince(alerts, clock.now() - WEEK)
  return (
    <>
      {texts.some(alerts.length, number(alerts.length), number(events))}
      <span class="muted">{texts.recent(number(recent))}</span>
    </>
  )
}

/** The first alerts, with their events. */
const FirstAlerts = ({ alerts }: { readonly alerts: Backtest["alerts"] }) => {
  const { trial: texts } = useTexts(rulesTexts)
  const { number } = useLanguage()
  const address = useAddress()
  if (alerts.length === 0) return null
  return (
    <>
      <h3 class="rules-firsts-title">{texts.first}</h3>
      <ol class="rules-firsts">
        {alerts.slice(0, SHOWN).map((alert) => (
          <li key={alert.id}>
            <p lang="en">
              <PlainText text={alert.reason} limit={400} />
            </p>
            <p class="muted">
              <Moment at={alert.triggered_at} exact /> ·{" "}
              <a href={address(`events?event=${encodeURIComponent(alert.event_id)}`)}>
                {texts.event}
                <span class="hidden" lang="en">
                  : <PlainText text={alert.reason} limit={120} />
                </span>
              </a>
            </p>
          </li>
        ))}
      </ol>
      {alerts.length > SHOWN && (
        <p class="muted">{texts.rest(alerts.length - SHOWN, number(alerts.length - SHOWN))}</p>
      )}
    </>
  )
}

/** Why the rule could not be tried. */
const TrialFault = ({ fault, retry }: { readonly fault: Fault; readonly retry: () => void }) =>
  fault.kind === "invalid" ? <ChangeFault fault={fault} /> : <FaultNotice fault={fault} retry={retry} />

/** The preview. */
export const BacktestPreview = ({
  draft,
  faults
}: {
  readonly draft: RuleDraft
  readonly faults: RuleFaults
}) => {
  const { trial: texts } = useTexts(rulesTexts)
  const tried = triedOf(draft, faults)
  const settled = useSettled(tried)
  const trial = useRead(
    ["ruleTrial", settled?.text],
    async (calls, signal) => {
      if (settled === undefined) throw new Error("nothing is to be tried")
      const limits = { signal, timeoutMillis: PATIENCE }
      return (await calls.alertRules.backtestNew(settled.input, limits)).data
    },
    { enabled: settled !== undefined }
  )
  const log = useRead(
    ["logActivity", BARS],
    async (calls, signal) => (await calls.events.histogram({ buckets: BARS }, { signal })).data
  )
  const shown = useLast(trial)
  const isWaiting = tried?.text !== settled?.text || trial.isReading
  const isStale = tried === undefined || isWaiting
  const bars = log.data === undefined || shown === undefined ? [] : backtestBars(log.data, shown.alerts)
  return (
    <div class="rules-trial">
      <Card title={texts.title} hint={texts.hint}>
        <p role="status" class="rules-trial-sum" data-stale={isStale}>
          {tried === undefined ? (
            texts.unfinished
          ) : isWaiting ? (
            texts.running
          ) : trial.fault === undefined && shown !== undefined ? (
            <Summary trial={shown} />
          ) : null}
        </p>
        {trial.fault !== undefined && !isStale ? (
          <TrialFault fault={trial.fault} retry={trial.again} />
        ) : (
          shown !== undefined && (
            <div class="rules-trial-body" data-stale={isStale} aria-busy={isStale}>
              {bars.length > 0 && <BacktestPlot bars={bars} />}
              <FirstAlerts alerts={shown.alerts} />
            </div>
          )
        )}
      </Card>
    </div>
  )
}
