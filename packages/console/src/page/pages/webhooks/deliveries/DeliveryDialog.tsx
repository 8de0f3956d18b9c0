/** A delivery in full: every attempt, what was sent, and the button that sends it again. */
import { useLanguage, usePageClock } from "@cairn/ui/locale"
import { Badge, CopyButton, Dialog, Facts, Glyph, Moment, type Tone } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useChange, useRead } from "../../../data/Read.ts"
import { type Schemas, useAddress, useMay } from "../../../data/Session.ts"
import { ChangeFault } from "../../../frame/FaultNotice.tsx"
import { Loaded } from "../../../frame/Loaded.tsx"
import { useTexts } from "../../../locale/Texts.ts"
import { AttemptFacts, CodeBox } from "./AttemptFacts.tsx"
import { isMoving, isRetrying, readable } from "./Delivery.ts"
import { type DeliveryState, deliveryTexts } from "./DeliveryTexts.ts"

type Detail = Schemas["DeliveryDetail"]

/** How often one is read that is about to change, in milliseconds. */
const LOOK_EVERY = 2_000

/** Mails with a link that signs somebody in, which are not sent again. */
const LINK_MAILS: ReadonlyArray<string> = ["mail.sign_in", "mail.invitation"]

const TONES: Readonly<Record<DeliveryState, Tone>> = { pending: "busy", delivered: "good", failed: "bad" }

/** The state of a delivery. */
export const DeliveryBadge = ({ delivery }: { readonly delivery: Pick<Detail, "status" | "attempts"> }) => {
  const texts = useTexts(deliveryTexts)
  return (
    <Badge tone={isRetrying(delivery) ? "warning" : TONES[delivery.status]}>
      {isRetrying(delivery) ? texts.waiting : texts.states[delivery.status]}
    </Badge>
  )
}

const Attempts = ({ detail, maySee }: { readonly detail: Detail; readonly maySee: boolean }) => {
  const texts = useTexts(deliveryTexts)
  const { number } = useLanguage()
  if (detail.log.length === 0) return <p class="muted">{texts.notTried}</p>
  // The newest is what one looks for.
  return (
    <ol class="delivery-attempts" reversed>
      {detail.log.toReversed().map((attempt, index) => {
        const label = texts.attempt(number(detail.log.length - index))
        return (
          <li key={attempt.started_at}>
            <h4>{label}</h4>
            <AttemptFacts attempt={attempt} maySee={maySee} label={label} />
          </li>
        )
      })}
    </ol>
  )
}

const Again = ({ detail }: { readonly detail: Detail }) => {
  const clock = usePageClock()
  const texts = useTexts(deliveryTexts)
  const again = useChange(["deliveries", "webhooks", "webhook"], (calls) =>
    calls.deliveries.redeliver(detail.id)
  )
  if (LINK_MAILS.includes(detail.type)) return null
  const moving = isMoving(detail, clock.now())
  return (
    <div class="delivery-again">
      <p class="hint">{detail.channel === "webhook" ? texts.sendAgainHint : undefined}</p>
      <ChangeFault fault={again.fault} />
      <div class="form-actions">
        <button
          type="button"
          class="primary"
          disabled={again.isRunning || moving}
          onClick={() => again.run({})}
        >
          <Glyph name="refresh" /> {texts.sendAgain}
        </button>
      </div>
    </div>
  )
}

const PAGES = { webhook: "webhooks", stream: "streams" } as const

/** Whom it is for; a webhook or stream leads to its page. */
const Receiver = ({ detail: { channel, target } }: { readonly detail: Detail }) => {
  const address = useAddress()
  if (channel === "mail") return <PlainText text={target} />
  return (
    <a href={address(`${PAGES[channel]}/${target}`)}>
      <PlainText text={target} />
    </a>
  )
}

const Body = ({ detail }: { readonly detail: Detail }) => {
  const texts = useTexts(deliveryTexts)
  const { number } = useLanguage()
  const maySend = useMay(detail.channel === "stream" ? "log_streams:write" : "webhooks:write")
  const mayAgain = useMay("webhooks:write") && detail.channel !== "stream"
  return (
    <div class="delivery">
      <Facts
        of={[
          [texts.state, <DeliveryBadge key="state" delivery={detail} />],
          [texts.message, <code key="type">{detail.type}</code>],
          [texts.to, <Receiver key="to" detail={detail} />],
          [texts.channel, texts.channels[detail.channel]],
          [texts.made, <Moment key="made" at={detail.created_at} exact />],
          [texts.attempts, number(detail.attempts)],
          [
            texts.next,
            detail.next_attempt_at === null ? undefined : <Moment key="next" at={detail.next_attempt_at} />
          ],
          ["Id", <code key="id">{detail.id}</code>]
        ]}
      />
      {mayAgain && <Again detail={detail} />}
      <section>
        <h3>{texts.attempts}</h3>
        <Attempts detail={detail} maySee={maySend} />
      </section>
      <section>
        <div class="delivery-payload-head">
          <h3>{texts.payload}</h3>
          <CopyButton text={detail.payload} />
        </div>
        <p class="hint">{texts.payloadHint}</p>
        <CodeBox label={texts.payload} text={readable(detail.payload)} />
      </section>
    </div>
  )
}

/** The delivery of an id. */
export const DeliveryDialog = ({ id, close }: { readonly id: string; readonly close: () => void }) => {
  const clock = usePageClock()
  const texts = useTexts(deliveryTexts)
  const read = useRead(["deliveries", "one", id], (calls, signal) => calls.deliveries.get(id, { signal }), {
    every: (read) => (read !== undefined && isMoving(read.data, clock.now()) ? LOOK_EVERY : undefined)
  })
  return (
    <Dialog title={texts.title} close={close}>
      <Loaded read={read}>{({ data }) => <Body detail={data} />}</Loaded>
    </Dialog>
  )
}
