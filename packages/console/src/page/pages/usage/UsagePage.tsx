/** What the workspace has used of its plan. */
import "./usage.css"
import { useLanguage } from "@cairn/ui/locale"
import { Badge, Card, Facts, Meter, Moment } from "@cairn/ui/parts"
import { useRead } from "../../data/Read.ts"
import { type Schemas, useMay } from "../../data/Session.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { levelOf, shareOf } from "./Share.ts"
import { usageTexts } from "./UsageTexts.ts"

type Usage = Schemas["Usage"]
type Workspace = Schemas["Workspace"]

/** A figure with its bar. */
const Figure = ({
  title,
  hint,
  figure,
  full,
  until
}: {
  readonly title: string
  /** What the number counts, and since when. */
  readonly hint: string
  readonly figure: Schemas["UsageFigure"]
  /** What follows when it is used up. */
  readonly full: string
  readonly until: string
}) => {
  const texts = useTexts(usageTexts)
  const { number, locale } = useLanguage()
  const { used, limit } = figure
  const level = levelOf(figure)
  return (
    <Card title={title} hint={hint}>
      <div class="usage-figure">
        <p class="usage-number">
          {limit === null ? texts.unlimited(number(used)) : texts.of(number(used), number(limit))}
        </p>
        {limit !== null && (
          <>
            <Meter label={title} value={used} limit={limit} />
            <p class="muted">
              {texts.left(
                number(Math.max(0, limit - used)),
                shareOf(used, limit).toLocaleString(locale, { style: "percent" })
              )}
            </p>
          </>
        )}
        {level === "near" && (
          <p>
            <Badge tone="warning">{texts.near}</Badge>
          </p>
        )}
        {level === "full" && (
          <>
            <p>
              <Badge tone="bad">{texts.full}</Badge> {full}
            </p>
            <p>
              {texts.again}: <Moment at={until} exact />
            </p>
          </>
        )}
      </div>
    </Card>
  )
}

/** The limits of the plan. */
const Plan = ({ of: { plan, limits, overrides } }: { readonly of: Workspace }) => {
  const texts = useTexts(usageTexts)
  const { number } = useLanguage()
  const figure = (name: keyof Workspace["limits"]) => {
    const limit = limits[name]
    return (
      <>
        {limit === null
          ? texts.none
          : name === "retention_days"
            ? texts.days(limit, number(limit))
            : number(limit)}
        {overrides[name] !== undefined && <span class="muted"> ({texts.overridden})</span>}
      </>
    )
  }
  return (
    <Card title={texts.planTitle} hint={texts.planHint}>
      <Facts
        of={[
          [texts.plan, texts.plans[plan]],
          [texts.eventsAMonth, figure("events_per_month")],
          [texts.exportsAMonth, figure("exports_per_month")],
          [texts.requestsAMinute, figure("requests_per_minute")],
          [texts.rules, figure("alert_rules")],
          [texts.retention, figure("retention_days")]
        ]}
      />
    </Card>
  )
}

const Figures = ({ of: usage }: { readonly of: Usage }) => {
  const texts = useTexts(usageTexts)
  const { moments } = useLanguage()
  const [from = "", to = ""] = [usage.period_start, usage.period_end].map((time) =>
    moments.absolute(Date.parse(time))
  )
  return (
    <>
      <p class="muted">{texts.month(from, to)}</p>
      <div class="columns">
        <Figure
          title={texts.events}
          hint={texts.eventsCount(from)}
          figure={usage.events}
          full={texts.eventsFull}
          until={usage.period_end}
        />
        <Figure
          title={texts.exports}
          hint={texts.exportsCount(from)}
          figure={usage.exports}
          full={texts.exportsFull}
          until={usage.period_end}
        />
      </div>
    </>
  )
}

/** The page. */
const UsagePage = () => {
  const texts = useTexts(usageTexts)
  const seesWorkspace = useMay("workspace:read")
  const usage = useRead(["usage"], async ({ workspace }, signal) => (await workspace.usage({ signal })).data)
  const workspace = useRead(
    ["workspace"],
    async (calls, signal) => (await calls.workspace.get({ signal })).data,
    { enabled: seesWorkspace }
  )
  return (
    <>
      <PageHead page="usage" hint={texts.hint} />
      <Loaded read={usage}>{(data) => <Figures of={data} />}</Loaded>
      {seesWorkspace && <Loaded read={workspace}>{(data) => <Plan of={data} />}</Loaded>}
      <Card title={texts.rulesTitle}>
        <Facts
          of={[
            [texts.whenFull, texts.whenFullText],
            [texts.counted, texts.countedText],
            [texts.notCounted, texts.notCountedText],
            [texts.rate, texts.rateText]
          ]}
        />
      </Card>
    </>
  )
}

export default UsagePage
