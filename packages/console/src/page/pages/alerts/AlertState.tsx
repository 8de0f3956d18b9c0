/** What has become of an alert: who has acknowledged it and when, or the button for it. */
import { Badge, Glyph, Moment } from "@cairn/ui/parts"
import { PlainText, visibleText } from "@cairn/ui/text"
import { useRef } from "preact/hooks"
import { useRead } from "../../data/Read.ts"
import { type Schemas, useMay, useSession } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { alertsTexts } from "./AlertsTexts.ts"

/** An alert, as it is listed. */
export type Alert = Schemas["ListedAlert"]

/** The most members that are asked for by name. */
const MOST_NAMES = 100

/** The names of members, by their ids, once somebody else has acknowledged something. */
export const useNames = (alerts: ReadonlyArray<Alert>): ReadonlyMap<string, string> => {
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
export const AlertState = ({
  alert,
  names,
  busy,
  acknowledge
}: {
  readonly alert: Alert
  readonly names: ReadonlyMap<string, string>
  readonly busy: boolean
  /** Undefined for those who may not. */
  readonly acknowledge: ((alert: Alert) => void) | undefined
}) => {
  const texts = useTexts(alertsTexts)
  const place = useRef<HTMLDivElement>(null)
  if (alert.acknowledged_at !== null) {
    return (
      <div ref={place} tabIndex={-1}>
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
      </div>
    )
  }
  if (acknowledge === undefined) return <Badge tone="warning">{texts.open}</Badge>
  return (
    <div ref={place} tabIndex={-1}>
      <button
        type="button"
        class="small alerts-acknowledge"
        disabled={busy}
        aria-label={texts.acknowledgeNamed(visibleText(alert.reason, 120))}
        onClick={() => {
          // The button goes away, and the focus would with it.
          place.current?.focus()
          acknowledge(alert)
        }}
      >
        <Glyph name="check" /> {texts.acknowledge}
      </button>
    </div>
  )
}
