/** The anchors, and closing the open period. */
import { useLanguage } from "@cairn/ui/locale"
import { Badge, Card, type Column, Confirm, Glyph, Table, type Tone } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { type Read, useChange } from "../../data/Read.ts"
import { type Schemas, useAddress, useMay } from "../../data/Session.ts"
import { ChangeFault } from "../../frame/FaultNotice.tsx"
import { Loaded } from "../../frame/Loaded.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { anchorTexts } from "./AnchorTexts.ts"

/** Anchors as they are listed. */
export interface AnchorList {
  readonly data: ReadonlyArray<Schemas["Anchor"]>
  readonly has_more: boolean
}

/** How each state looks. */
export const ANCHOR_TONES: Readonly<Record<Schemas["Anchor"]["status"], Tone>> = {
  pending: "calm",
  submitted: "busy",
  confirmed: "good"
}

/** The transaction of an anchor, at a block explorer. */
export const Transaction = ({ anchor }: { readonly anchor: Schemas["Anchor"] }) => {
  const texts = useTexts(anchorTexts)
  if (anchor.tx_hash === null) return <span class="muted">{texts.notSent}</span>
  const short = `${anchor.tx_hash.slice(0, 12)}…`
  if (anchor.explorer_url === null) return <code title={anchor.tx_hash}>{short}</code>
  return (
    <a href={anchor.explorer_url} target="_blank" rel="noreferrer" title={anchor.tx_hash}>
      <code>{short}</code> <Glyph name="external" />
      <span class="hidden">{texts.explorer}</span>
    </a>
  )
}

const ClosePeriod = () => {
  const texts = useTexts(anchorTexts)
  const { number } = useLanguage()
  const [asking, setAsking] = useState(false)
  const [said, setSaid] = useState("")
  const change = useChange(
    ["anchors"],
    ({ anchors }, _: undefined) => anchors.closePeriod(),
    ({ data }) => {
      setAsking(false)
      setSaid(data === null ? texts.closedNone : texts.closed(data.events_count, number(data.events_count)))
    }
  )
  return (
    <>
      <span role="status" class="muted integrity-small">
        {said}
      </span>
      <button
        type="button"
        onClick={() => {
          setSaid("")
          change.reset()
          setAsking(true)
        }}
      >
        {texts.close}
      </button>
      {asking && (
        <Confirm
          title={texts.closeTitle}
          action={texts.close}
          busy={change.isRunning}
          error={<ChangeFault fault={change.fault} />}
          confirm={() => change.run(undefined)}
          close={() => setAsking(false)}
        >
          <p>{texts.closeHint}</p>
        </Confirm>
      )}
    </>
  )
}

const AnchorTable = ({
  list: { data, has_more },
  more
}: {
  readonly list: AnchorList
  readonly more: (() => void) | undefined
}) => {
  const texts = useTexts(anchorTexts)
  const { number, moments } = useLanguage()
  const address = useAddress()
  if (data.length === 0) {
    return (
      <div class="notice" role="status">
        <p class="notice-title">{texts.empty}</p>
        <p>{texts.emptyHint}</p>
      </div>
    )
  }
  const time = (at: string) => moments.absolute(Date.parse(at))
  const columns: ReadonlyArray<Column<Schemas["Anchor"]>> = [
    {
      name: texts.period,
      cell: ({ id, period_start, period_end }) => (
        <a href={address(`integrity/${id}`)}>{texts.range(time(period_start), time(period_end))}</a>
      )
    },
    { name: texts.events, cell: ({ events_count }) => number(events_count) },
    {
      name: texts.state,
      cell: ({ status }) => <Badge tone={ANCHOR_TONES[status]}>{texts.states[status]}</Badge>
    },
    { name: texts.transaction, cell: (anchor) => <Transaction anchor={anchor} /> },
    {
      name: texts.open,
      unnamed: true,
      cell: ({ id }) => (
        <a class="button integrity-small" href={address(`integrity/${id}?verify=now`)}>
          {texts.verify}
        </a>
      )
    }
  ]
  return (
    <div class="integrity-stack">
      {data.some(({ status }) => status === "pending") && (
        <p class="muted">{data.every(({ tx_hash }) => tx_hash === null) ? texts.neverSent : texts.pending}</p>
      )}
      <Table label={texts.title} columns={columns} rows={data} keyOf={({ id }) => id} />
      {has_more && more !== undefined && (
        <p>
          <button type="button" onClick={more}>
            {texts.more}
          </button>
        </p>
      )}
      {has_more && more === undefined && <p class="muted">{texts.onlyNewest(number(data.length))}</p>}
    </div>
  )
}

/** The list; `more` shows more of it. */
export const Anchors = ({
  read,
  more
}: {
  readonly read: Read<AnchorList>
  readonly more: (() => void) | undefined
}) => {
  const texts = useTexts(anchorTexts)
  return (
    <Card
      title={texts.title}
      hint={texts.hint}
      actions={useMay("anchors:close") ? <ClosePeriod /> : undefined}
    >
      <Loaded read={read}>{(list) => <AnchorTable list={list} more={more} />}</Loaded>
    </Card>
  )
}
