/** The alerts that the rules have raised. */
import "./alerts.css"
import { useLanguage } from "@cairn/ui/locale"
import { Badge, type Column, Glyph, Moment } from "@cairn/ui/parts"
import { PlainText, visibleText } from "@cairn/ui/text"
import { useMemo } from "preact/hooks"
import { useLocation } from "preact-iso"
import { usePages } from "../../data/Pages.ts"
import { useChange, useRead } from "../../data/Read.ts"
import { type Schemas, useAddress, useMay, useSession } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { ListFrame } from "../../frame/ListFrame.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { rulesTexts } from "../rules/RulesTexts.ts"
import { AlertFilters } from "./AlertFilters.tsx"
import { type AlertPlace, alertFilter, alertPlaceFrom, alertQuery } from "./AlertPlace.ts"
import { alertsTexts } from "./AlertsTexts.ts"

type Alert = Schemas["ListedAlert"]

/** What the keys of everything that is read about alerts begin with. */
const ALERTS = "alerts"

/** The most members that are asked for by name. */
const MOST_NAMES = 100

/** The names of members, by their ids, once somebody else has acknowledged something. */
const useNames = (alerts: ReadonlyArray<Alert>): ReadonlyMap<string, string> => {
  const { member_id } = useSession().membership
  const mayRead = useMay("members:read")
  const isNeeded = alerts.some(
    ({ acknowledged_by: by }) => by !== null && by !== member_id && by.startsWith("mem_")
  )
  const members = useRead(
    ["members", "names"],
    async (calls, signal) => (await calls.members.list({ limit: MOST_NAMES }, { signal }).page()).data,
    { enabled: mayRead && isNeeded }
  )
  return new Map((members.data ?? []).map(({ id, name, email }) => [id, name ?? email]))
}

/** Who has acknowledged an alert. */
const By = ({ id, names }: { readonly id: string; readonly names: ReadonlyMap<string, string> }) => {
  const texts = useTexts(alertsTexts)
  const { member_id } = useSession().membership
  if (id === member_id) return <>{texts.you}</>
  const name = names.get(id)
  if (name !== undefined) return <PlainText text={name} limit={60} />
  return (
    <>
      {id.startsWith("key_") && `${texts.key} `}
      <code>
        <PlainText text={id} limit={60} />
      </code>
    </>
  )
}

/** What has become of an alert, or the button that acknowledges it. */
const State = ({
  alert,
  names,
  busy,
  acknowledge
}: {
  readonly alert: Alert
  readonly names: ReadonlyMap<string, string>
  readonly busy: boolean
  /** Undefined for those who may not. */
  readonly acknowledge: ((id: string) => void) | undefined
}) => {
  const texts = useTexts(alertsTexts)
  if (alert.acknowledged_at !== null) {
    return (
      <>
        <Badge tone="good">{texts.acknowledged}</Badge>
        <p class="muted alerts-small">
          <Moment at={alert.acknowledged_at} />
          {alert.acknowledged_by !== null && (
            <>
              {" "}
              {texts.by} <By id={alert.acknowledged_by} names={names} />
            </>
          )}
        </p>
      </>
    )
  }
  if (acknowledge === undefined) return <Badge tone="warning">{texts.open}</Badge>
  return (
    <button
      type="button"
      class="small alerts-acknowledge"
      disabled={busy}
      aria-label={texts.acknowledgeNamed(visibleText(alert.reason, 120))}
      onClick={() => acknowledge(alert.id)}
    >
      <Glyph name="check" /> {texts.acknowledge}
    </button>
  )
}

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
  const acknowledging = useChange([ALERTS], (calls, id: string) => calls.alerts.acknowledge(id))
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
        <State
          alert={alert}
          names={names}
          busy={acknowledging.isRunning}
          acknowledge={mayAcknowledge ? acknowledging.run : undefined}
        />
      )
    }
  ]
  return { columns, fault: acknowledging.fault }
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
  const texts = useTexts(alertsTexts)
  const { messages, number } = useLanguage()
  const address = useAddress()
  const mayReadRules = useMay("alert_rules:read")
  const { query, route } = useLocation()
  const place = alertPlaceFrom(query)
  const text = alertQuery(place)
  const show = (next: AlertPlace) => route(`${address("alerts")}${alertQuery(next)}`, true)
  // Once for each choice, so that the pages of a list are of one period.
  const filter = useMemo(() => alertFilter(place, Date.now()), [text])
  const alerts = usePages([ALERTS, filter], (calls, page, signal) =>
    calls.alerts.list({ ...page, ...filter }, { signal }).page()
  )
  const { columns, fault } = useAlertColumns(alerts.data?.data ?? [])
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
