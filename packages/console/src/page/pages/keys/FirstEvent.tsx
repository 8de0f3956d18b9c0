/** Looks for the first event of a new key, and shows it with what proves it. */
import { useLanguage } from "@cairn/ui/locale"
import { Badge, Card, Facts, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useEffect, useState } from "preact/hooks"
import { useRead } from "../../data/Read.ts"
import { type Schemas, useAddress, useSession } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { type Arrived, firstOf, markOf, WATCHED } from "./Arrival.ts"
import { keysTexts } from "./KeysTexts.ts"

/** Milliseconds between two looks. */
const EVERY = 2_000

/** Events that are looked through: the newest since the key was made. */
const LOOKED = 50

/** Whether the event is in the log as it is shown. */
const Proof = ({ event }: { readonly event: Schemas["Event"] }) => {
  const texts = useTexts(keysTexts)
  const { messages, number } = useLanguage()
  const { calls, membership } = useSession()
  const { data: mark, fault } = useRead(["first-event-proof", event.id], async () => {
    const { checkEvent } = await import("./EventCheck.ts")
    return checkEvent(calls, event, membership.workspace.id)
  })
  if (mark?.kind === "proven") {
    return (
      <>
        <Badge tone="good">{texts.chained}</Badge>
        <p>
          {messages.provenStatement(number(mark.sequence), number(mark.report.checkpoint?.size ?? 0))}{" "}
          {messages.provenHere}
        </p>
      </>
    )
  }
  if (mark?.kind === "broken") {
    return (
      <>
        <Badge tone="bad">{messages.marks.broken}</Badge>
        <p>{messages.brokenStatement}</p>
      </>
    )
  }
  if (mark?.kind === "unchecked" || fault !== undefined) {
    return (
      <>
        <Badge tone="warning">{messages.marks.unchecked}</Badge>
        <p>{messages.uncheckedReasons[mark?.kind === "unchecked" ? mark.reason : "unreachable"]}</p>
      </>
    )
  }
  return <Badge tone="busy">{messages.marks.checking}</Badge>
}

const Shown = ({ arrived: { event, isOurs } }: { readonly arrived: Arrived }) => {
  const texts = useTexts(keysTexts)
  const address = useAddress()
  return (
    <div class="keys-arrived">
      <p>{isOurs ? texts.arrived : texts.otherArrived}</p>
      <Facts
        of={[
          [
            texts.action,
            <a href={`${address("events")}?event=${encodeURIComponent(event.id)}`}>
              <PlainText text={event.action} limit={120} />
            </a>
          ],
          [texts.actor, <PlainText text={event.actor.name || event.actor.id} limit={120} />],
          [texts.recorded, <Moment at={event.created_at} />]
        ]}
      />
      <Proof key={event.id} event={event} />
    </div>
  )
}

/** Whether some time has passed; `again` starts over. */
const useTimeOver = (millis: number): { readonly isOver: boolean; readonly again: () => void } => {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    if (isOver) return
    const timer = setTimeout(() => setOver(true), millis)
    return () => clearTimeout(timer)
  }, [isOver])
  return { isOver, again: () => setOver(false) }
}

/** Looks every two seconds until the snippet's event is there, for some minutes at most. */
export const FirstEvent = ({ of: key }: { readonly of: Schemas["CreatedApiKey"] }) => {
  const texts = useTexts(keysTexts)
  const { isOver, again } = useTimeOver(WATCHED)
  const [isFound, setFound] = useState(false)
  const mark = markOf(key)
  const { data, fault } = useRead(
    ["first-event", key.id],
    async ({ events }, signal) =>
      firstOf(
        (await events.list({ from: key.created_at, limit: LOOKED, total: "none" }, { signal }).page()).data,
        mark
      ) ?? null,
    isFound || isOver ? {} : { every: EVERY }
  )
  useEffect(() => {
    if (data?.isOurs === true) setFound(true)
  }, [data?.isOurs])
  return (
    <Card title={texts.firstTitle}>
      <div role="status" aria-live="polite">
        {data !== undefined && data !== null && <Shown arrived={data} />}
        {!isFound &&
          (isOver ? (
            <p>{texts.watchOver}</p>
          ) : (
            <p class="keys-waiting">
              <Badge tone="busy">{texts.waiting}</Badge>{" "}
              {fault === undefined ? texts.waitingHint : texts.waitingFault}
            </p>
          ))}
      </div>
      {!isFound && isOver && (
        <button type="button" onClick={again}>
          {texts.watchAgain}
        </button>
      )}
    </Card>
  )
}
