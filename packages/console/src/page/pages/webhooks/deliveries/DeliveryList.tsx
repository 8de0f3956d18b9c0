/** A list of deliveries with its filters; each opens in full. */
import { useLanguage, usePageClock } from "@cairn/ui/locale"
import { type Column, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import type { ComponentChildren } from "preact"
import { type ListPage, usePages } from "../../../data/Pages.ts"
import { useQuery } from "../../../data/Query.ts"
import { useMay } from "../../../data/Session.ts"
import { ListFrame } from "../../../frame/ListFrame.tsx"
import { useTexts } from "../../../locale/Texts.ts"
import { type Delivery, isMoving } from "./Delivery.ts"
import { DeliveryBadge, DeliveryDialog } from "./DeliveryDialog.tsx"
import { type DeliveryChannel, type DeliveryState, deliveryTexts } from "./DeliveryTexts.ts"
import "./deliveries.css"

const STATES = ["pending", "delivered", "failed"] as const
const CHANNELS = ["webhook", "mail", "stream"] as const

/** How often a list is read in which something is about to change, in milliseconds. */
const LOOK_EVERY = 3_000

/** One of the values that a filter has; undefined for any other text. */
const oneOf = <Value extends string>(
  values: ReadonlyArray<Value>,
  text: string | undefined
): Value | undefined => values.find((value) => value === text)

const Choice = <Value extends string>({
  label,
  any,
  values,
  names,
  value,
  change
}: {
  readonly label: string
  readonly any: string
  readonly values: ReadonlyArray<Value>
  readonly names: Readonly<Record<Value, string>>
  readonly value: Value | undefined
  readonly change: (value: Value | undefined) => void
}) => (
  <select
    aria-label={label}
    value={value ?? ""}
    onChange={({ currentTarget }) => change(oneOf(values, currentTarget.value))}
  >
    <option value="">{any}</option>
    {values.map((value) => (
      <option key={value} value={value}>
        {names[value]}
      </option>
    ))}
  </select>
)

const useColumns = (
  open: (id: string) => void,
  receiverOf: ((delivery: Delivery) => ComponentChildren) | undefined
): ReadonlyArray<Column<Delivery>> => {
  const texts = useTexts(deliveryTexts)
  const { number } = useLanguage()
  const to: Column<Delivery> = { name: texts.to, cell: (row) => receiverOf?.(row) }
  return [
    {
      name: texts.message,
      cell: (row) => (
        <button type="button" class="link" onClick={() => open(row.id)}>
          <code class="delivery-type">{row.type}</code>
        </button>
      )
    },
    ...(receiverOf === undefined ? [] : [to]),
    {
      name: texts.state,
      cell: (row) => (
        <span class="delivery-state">
          <DeliveryBadge delivery={row} />
          {row.next_attempt_at !== null && row.attempts > 0 && <Moment at={row.next_attempt_at} />}
        </span>
      )
    },
    { name: texts.attempts, cell: ({ attempts }) => number(attempts) },
    { name: texts.made, cell: ({ created_at }) => <Moment at={created_at} /> }
  ]
}

/** The deliveries to one webhook, or, where `webhookId` is undefined, all of the workspace. */
export const DeliveryList = ({
  webhookId,
  receiverOf
}: {
  readonly webhookId?: string
  /** How a row's receiver is shown, where there are several. */
  readonly receiverOf?: (delivery: Delivery) => ComponentChildren
}) => {
  const texts = useTexts(deliveryTexts)
  const clock = usePageClock()
  const maySend = useMay("webhooks:write")
  const query = useQuery()
  const status: DeliveryState | undefined = oneOf(STATES, query.get("status"))
  const channel: DeliveryChannel | undefined =
    webhookId === undefined ? oneOf(CHANNELS, query.get("channel")) : undefined
  const delivery = query.get("delivery")
  const columns = useColumns((id) => query.change({ delivery: id }), receiverOf)
  const pages = usePages<Delivery>(
    ["deliveries", webhookId ?? "all", status, channel],
    (calls, page, signal) =>
      webhookId === undefined
        ? calls.deliveries.list({ ...page, status, channel }, { signal }).page()
        : calls.webhooks.deliveries(webhookId, { ...page, status }, { signal }).page(),
    {
      every: (read: ListPage<Delivery> | undefined) => (someMoves(read, clock.now()) ? LOOK_EVERY : undefined)
    }
  )
  const filtered = status !== undefined || channel !== undefined
  return (
    <>
      <div class="delivery-filters" role="group" aria-label={texts.filters}>
        {webhookId === undefined && (
          <Choice
            label={texts.channel}
            any={texts.anyChannel}
            values={CHANNELS}
            names={texts.channels}
            value={channel}
            change={(channel) => query.change({ channel })}
          />
        )}
        <Choice
          label={texts.state}
          any={texts.anyState}
          values={STATES}
          names={texts.states}
          value={status}
          change={(status) => query.change({ status })}
        />
      </div>
      <ListFrame
        label={texts.deliveries}
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        empty={filtered ? texts.noneMatch : texts.none}
        emptyHint={filtered ? texts.noneMatchHint : maySend ? texts.noneHint : texts.noneYet}
        emptyAction={
          filtered && (
            <button type="button" onClick={() => query.change({ status: undefined, channel: undefined })}>
              {texts.clear}
            </button>
          )
        }
      />
      {delivery !== undefined && (
        <DeliveryDialog key={delivery} id={delivery} close={() => query.change({ delivery: undefined })} />
      )}
    </>
  )
}

const someMoves = (read: ListPage<Delivery> | undefined, now: number): boolean =>
  read?.data.some((delivery) => isMoving(delivery, now)) ?? false

/** The receiver of a delivery that is no webhook's. */
export const OtherReceiver = ({ delivery }: { readonly delivery: Delivery }) => (
  <PlainText text={delivery.target} limit={80} />
)
