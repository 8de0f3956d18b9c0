/** The alerts that the rules have raised. */
import "./alerts.css"
import { useLanguage, usePageClock } from "@cairn/ui/locale"
import { type Column, Glyph, Moment } from "@cairn/ui/parts"
import { PlainText, visibleText } from "@cairn/ui/text"
import { useMemo, useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { usePages } from "../../data/Pages.ts"
import { useChange } from "../../data/Read.ts"
import { useAddress, useMay } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { ListFrame } from "../../frame/ListFrame.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { rulesTexts } from "../rules/RulesTexts.ts"
import { AlertFilters } from "./AlertFilters.tsx"
import { type AlertPlace, alertFilter, alertPlaceFrom, alertQuery } from "./AlertPlace.ts"
import { type Alert, AlertState, useNames } from "./AlertState.tsx"
import { alertsTexts } from "./AlertsTexts.ts"

/** What the keys of everything that is read about alerts begin with. */
const ALERTS = "alerts"

/** The rule that raised an alert, and why. */
const Why = ({ alert }: { readonly alert: Alert }) => {
  const address = useAddress()
  const mayReadRules = useMay("alert_rules:read")
  const name = <PlainText text={alert.rule_name} limit={120} />
  return (
    <>
      {mayReadRules ? <a href={address(`rules/${encodeURIComponent(alert.rule_id)}`)}>{name}</a> : name}
      <p class="alerts-reason" lang="en">
        <PlainText text={alert.reason} limit={600} />
      </p>
    </>
  )
}

const useAlertColumns = (alerts: ReadonlyArray<Alert>) => {
  const texts = useTexts(alertsTexts)
  const { types } = useTexts(rulesTexts)
  const address = useAddress()
  const names = useNames(alerts)
  const mayAcknowledge = useMay("alerts:acknowledge")
  const [said, setSaid] = useState("")
  const acknowledging = useChange(
    [ALERTS],
    (calls, { id }: Alert) => calls.alerts.acknowledge(id),
    (_, { rule_name }) => setSaid(`${texts.acknowledged}: ${visibleText(rule_name, 120)}`)
  )
  const columns: ReadonlyArray<Column<Alert>> = [
    { name: texts.columns.alert, cell: (alert) => <Why alert={alert} /> },
    {
      name: texts.columns.type,
      cell: ({ rule_type }) => <span class="alerts-type">{types[rule_type].name}</span>
    },
    {
      name: texts.columns.event,
      cell: ({ event_id, reason }) => (
        <a class="alerts-event" href={address(`events?event=${encodeURIComponent(event_id)}`)}>
          {texts.event}
          <span class="hidden" lang="en">
            : <PlainText text={reason} limit={120} />
          </span>
        </a>
      )
    },
    {
      name: texts.columns.when,
      cell: ({ triggered_at }) => (
        <span class="alerts-when">
          <Moment at={triggered_at} />
        </span>
      )
    },
    {
      name: texts.columns.state,
      cell: (alert) => (
        <AlertState
          alert={alert}
          names={names}
          busy={acknowledging.isRunning}
          acknowledge={mayAcknowledge ? acknowledging.run : undefined}
        />
      )
    }
  ]
  return { columns, fault: acknowledging.fault, said }
}

/** What stands in place of alerts where there are none. */
const useEmpty = (isFiltered: boolean) => {
  const texts = useTexts(alertsTexts)
  const address = useAddress()
  const mayWrite = useMay("alert_rules:write")
  if (isFiltered) {
    return { empty: texts.emptyFiltered, emptyHint: texts.emptyFilteredHint }
  }
  if (!mayWrite) return { empty: texts.empty, emptyHint: texts.emptyHintReader }
  return {
    empty: texts.empty,
    emptyHint: texts.emptyHint,
    emptyAction: (
      <a class="button primary" href={address("rules/new")}>
        <Glyph name="plus" /> {texts.newRule}
      </a>
    )
  }
}

/** The page. */
const AlertsPage = () => {
  const clock = usePageClock()
  const texts = useTexts(alertsTexts)
  const { messages, number } = useLanguage()
  const address = useAddress()
  const mayReadRules = useMay("alert_rules:read")
  const { query, route } = useLocation()
  const place = alertPlaceFrom(query)
  const text = alertQuery(place)
  const show = (next: AlertPlace) => route(`${address("alerts")}${alertQuery(next)}`, true)
  // Once for each choice, so that the pages of a list are of one period.
  const filter = useMemo(() => alertFilter(place, clock.now()), [text])
  const alerts = usePages([ALERTS, filter], (calls, page, signal) =>
    calls.alerts.list({ ...page, ...filter }, { signal }).page()
  )
  const { columns, fault, said } = useAlertColumns(alerts.data?.data ?? [])
  const total = alerts.data?.pagination.total
  return (
    <>
      <PageHead page="alerts" hint={texts.hint}>
        {mayReadRules && (
          <a class="button" href={address("rules")}>
            <Glyph name="rule" /> {texts.rules}
          </a>
        )}
      </PageHead>
      {(total !== 0 || text !== "") && (
        <>
          <AlertFilters place={place} change={show} />
          <div class="alerts-bar">
            <p role="status">{typeof total === "number" && texts.count(total, number(total))}</p>
            <button type="button" class="bare" disabled={alerts.isReading} onClick={alerts.again}>
              <Glyph name="refresh" /> {messages.refresh}
            </button>
          </div>
        </>
      )}
      <p role="status" class="hidden">
        {said}
      </p>
      <ChangeFault fault={fault} />
      <ListFrame
        label={texts.list}
        pages={alerts}
        columns={columns}
        keyOf={({ id }) => id}
        {...useEmpty(text !== "")}
      />
    </>
  )
}

export default AlertsPage
