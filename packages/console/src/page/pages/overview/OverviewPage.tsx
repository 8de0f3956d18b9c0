/** Is all well? One screen that says how things are, and what needs a hand. */
import "@cairn/ui/log/log.css"
import "./overview.css"
import { useLanguage } from "@cairn/ui/locale"
import { HistogramChart } from "@cairn/ui/log"
import { Badge, Card, Glyph, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useCallback } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useAddress, useMay, useSession } from "../../data/Session.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { AuditSteps } from "./AuditSteps.tsx"
import { DeliveryCard } from "./DeliveryCard.tsx"
import { IntegrityCard } from "./IntegrityCard.tsx"
import { overviewTexts } from "./OverviewTexts.ts"
import { type Readings, useIsNew, useReadings } from "./Readings.ts"
import { type Task, tasksOf } from "./Tasks.ts"
import { UsageCard } from "./UsageCard.tsx"

const TaskLine = ({ task }: { readonly task: Task }) => {
  const texts = useTexts(overviewTexts)
  const { number } = useLanguage()
  const address = useAddress()
  const words = {
    findings: texts.handFindings,
    alerts: texts.handAlerts,
    webhook: texts.handWebhook,
    stream: texts.handStream,
    quota: texts.handQuota,
    unheard: texts.handUnheard
  }[task.kind]
  return (
    <li>
      <Glyph name="warning" />{" "}
      <a href={address(task.page)}>
        {typeof words === "string" ? words : words("count" in task ? number(task.count) : "")}
        {"name" in task && (
          <>
            : <PlainText text={task.name} limit={80} />
          </>
        )}
      </a>
    </li>
  )
}

const Tasks = (readings: Readings) => {
  const texts = useTexts(overviewTexts)
  const tasks = tasksOf(readings)
  return (
    <Card title={texts.hand}>
      {tasks.length === 0 ? (
        <p class="muted">{texts.handNothing}</p>
      ) : (
        <ul class="plain overview-tasks">
          {tasks.map((task) => (
            <TaskLine key={`${task.kind} ${task.page}`} task={task} />
          ))}
        </ul>
      )}
    </Card>
  )
}

/** The chart of the week; dragging across it opens the events of that time. */
const Week = ({ week }: Readings) => {
  const texts = useTexts(overviewTexts)
  const address = useAddress()
  const { route } = useLocation()
  const { number } = useLanguage()
  const events = address("events")
  const total = week.data?.buckets.reduce((sum, { count }) => sum + count, 0) ?? 0
  const choose = useCallback(
    (from: number, to: number) => {
      const moment = (seconds: number) => new Date(seconds * 1_000).toISOString()
      route(`${events}?${new URLSearchParams({ from: moment(from), to: moment(to) })}`)
    },
    [events]
  )
  return (
    <Card title={texts.week} hint={total === 0 ? undefined : texts.weekHint(total, number(total))}>
      <Loaded read={week}>
        {(histogram) =>
          histogram.buckets.length === 0 ? (
            <p class="muted">{texts.weekEmpty}</p>
          ) : (
            <HistogramChart histogram={histogram} choose={choose} />
          )
        }
      </Loaded>
    </Card>
  )
}

const Alerts = ({ alerts }: Readings) => {
  const texts = useTexts(overviewTexts)
  const address = useAddress()
  return (
    <Card title={texts.alerts} actions={<a href={address("alerts")}>{texts.allAlerts}</a>}>
      <Loaded read={alerts}>
        {(all) =>
          all.length === 0 ? (
            <p class="muted">{texts.alertsEmpty}</p>
          ) : (
            <ul class="plain overview-alerts">
              {all.slice(0, 5).map((alert) => (
                <li key={alert.id}>
                  <p>
                    <a href={address(`events?event=${alert.event_id}`)}>
                      <PlainText text={alert.rule_name} limit={80} />
                    </a>{" "}
                    {alert.acknowledged_at === null && <Badge tone="warning">{texts.open}</Badge>}
                  </p>
                  <p class="muted">
                    <PlainText text={alert.reason} limit={200} />, <Moment at={alert.triggered_at} />
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

/** For a workspace in which only the service itself has recorded anything. */
const FirstSteps = () => {
  const texts = useTexts(overviewTexts)
  const address = useAddress()
  const steps = [
    useMay("api_keys:write") ? (["keys/new", texts.startKey] as const) : undefined,
    useMay("members:write") ? (["members/new", texts.startMembers] as const) : undefined,
    useMay("alert_rules:write") ? (["rules/new", texts.startRules] as const) : undefined
  ].filter((step) => step !== undefined)
  return (
    <Card title={texts.start} hint={texts.startHint}>
      <ol class="overview-steps">
        {steps.map(([page, words]) => (
          <li key={page}>
            <a href={address(page)}>{words}</a>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** Until when the person has access, to the second and with the zone. */
const AccessEnds = ({ at }: { readonly at: string }) => {
  const texts = useTexts(overviewTexts)
  return (
    <>
      {texts.accessEnds}: <Moment at={at} exact /> (<Moment at={at} />)
    </>
  )
}

/** The page. */
const OverviewPage = () => {
  const readings = useReadings()
  const end = useSession().membership.expires_at
  const isNew = useIsNew(readings)
  return (
    <>
      <PageHead page="" hint={end === null ? undefined : <AccessEnds at={end} />} />
      {isNew === true && <FirstSteps />}
      <IntegrityCard {...readings} />
      <AuditSteps />
      <div class="columns">
        <Tasks {...readings} />
        <DeliveryCard {...readings} />
        <UsageCard {...readings} />
      </div>
      <Week {...readings} />
      {useMay("alerts:read") && <Alerts {...readings} />}
    </>
  )
}

export default OverviewPage
