/** Events at which a log does not hold, each with its place among the events. */
import { type Column, Table } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import type { ComponentChildren } from "preact"
import { useAddress } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { integrityTexts } from "./IntegrityTexts.ts"

interface Break {
  readonly event_id: string
  readonly type: "hash_mismatch" | "chain_break"
}

/** The table; `found` says when each was found, where that is known. */
export const BreakTable = <Row extends Break>({
  label,
  breaks,
  found
}: {
  readonly label: string
  readonly breaks: ReadonlyArray<Row>
  readonly found?: (row: Row) => ComponentChildren
}) => {
  const texts = useTexts(integrityTexts)
  const address = useAddress()
  const columns: ReadonlyArray<Column<Row>> = [
    {
      name: texts.findingEvent,
      cell: ({ event_id }) => (
        <a class="integrity-hash" href={`${address("events")}?event=${encodeURIComponent(event_id)}`}>
          <PlainText text={event_id} limit={80} />
        </a>
      )
    },
    { name: texts.findingKind, cell: ({ type }) => texts.kinds[type] },
    ...(found === undefined ? [] : [{ name: texts.findingFound, cell: found }])
  ]
  return (
    <Table
      label={label}
      columns={columns}
      rows={breaks}
      keyOf={({ type, event_id }) => `${type} ${event_id}`}
    />
  )
}
