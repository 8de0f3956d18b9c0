/** What of an event is for tools rather than for readers, folded below the rest. */
import type { Event } from "@cairn/core/event"
import { useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { PlainText } from "../../text/PlainText.tsx"
import type { LogReader } from "../LogReader.ts"
import { TechnicalFields } from "./EventFields.tsx"
import { JsonView } from "./JsonView.tsx"

/** All of the event; drawn once it is asked for. */
const WholeEvent = ({ event }: { readonly event: Event }) => {
  const { drawer } = useLanguage().messages
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{drawer.json}</summary>
      {open && (
        <pre class="leaf">
          <PlainText text={JSON.stringify(event, null, 2)} />
        </pre>
      )}
    </details>
  )
}

/** The details, which stay open from event to event; `metadata` is what of the event's belongs to them. */
export const TechnicalDetails = ({
  reader,
  event,
  metadata
}: {
  readonly reader: LogReader
  readonly event: Event
  readonly metadata: Readonly<Record<string, unknown>>
}) => {
  const { drawer } = useLanguage().messages
  return (
    <details class="technical">
      <summary>{drawer.technical}</summary>
      <TechnicalFields reader={reader} event={event} />
      {Object.keys(metadata).length > 0 && <JsonView value={metadata} />}
      <WholeEvent event={event} />
    </details>
  )
}
