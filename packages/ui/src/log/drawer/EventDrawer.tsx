/** One event in full: what it says, what it changed, and whether it is what was recorded. */
import type { Event } from "@cairn/core/event"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { RefusalNotice } from "../../notice/Notice.tsx"
import { copyText } from "../../text/CopyText.ts"
import { PlainText } from "../../text/PlainText.tsx"
import { visibleText } from "../../text/VisibleText.ts"
import { Icon } from "../../theme/Icon.tsx"
import { OnlyThis } from "../filter/OnlyThis.tsx"
import type { LogReader } from "../LogReader.ts"
import { SentenceText } from "../sentence/SentenceText.tsx"
import { VerificationStatement } from "../verification/VerificationMark.tsx"
import { ChangesTable } from "./ChangesTable.tsx"
import { EventFields } from "./EventFields.tsx"
import { foundParts } from "./FoundParts.ts"
import { JsonView } from "./JsonView.tsx"
import { readMetadata, splitMetadata } from "./MetadataChanges.ts"
import { TechnicalDetails } from "./TechnicalDetails.tsx"

const CopyButton = ({ event }: { readonly event: Event }) => {
  const { messages } = useLanguage()
  const [state, setState] = useState<"copy" | "copied" | "copyFailed">("copy")
  const copy = async (near: Element) => {
    const copied = await copyText(JSON.stringify(event, null, 2), near)
    setState(copied ? "copied" : "copyFailed")
  }
  return (
    <>
      <button
        type="button"
        onClick={({ currentTarget }) => {
          copy(currentTarget.parentElement ?? document.body).catch(() => setState("copyFailed"))
        }}
      >
        {messages.copy}
      </button>
      <span role="status" class="muted">
        {state === "copy" ? "" : messages[state]}
      </span>
    </>
  )
}

/** Why a search finds the event, by the rule of the service; nothing without a search that finds it. */
const FoundIn = ({ reader, event }: { readonly reader: LogReader; readonly event: Event }) => {
  const { messages } = useLanguage()
  const { columns, changes, metadata, drawer } = messages
  const { search = [] } = reader.place.value.filter
  // Headings of the event below.
  const names = { ...columns, readable: `${changes}, ${metadata}`, technical: drawer.technical }
  const fields = foundParts(event, search).map((part) => names[part])
  if (fields.length === 0) return null
  return <p class="found-in">{messages.foundIn(visibleText(search.join(" "), 80), fields.join(", "))}</p>
}

const Contents = ({
  reader,
  event,
  now,
  actions
}: {
  readonly actions: ((event: Event) => ComponentChildren) | undefined
  readonly reader: LogReader
  readonly event: Event
  readonly now: number
}) => {
  const { messages } = useLanguage()
  const { changes, rest } = readMetadata(event.metadata ?? {})
  const { readable, technical } = splitMetadata(rest)
  return (
    <>
      <VerificationStatement mark={reader.markOf(event)} />
      <FoundIn reader={reader} event={event} />
      <OnlyThis reader={reader} event={event} />
      {changes.length > 0 && <ChangesTable changes={changes} />}
      <EventFields reader={reader} event={event} now={now} />
      {event.targets.length > 0 && (
        <section>
          <h3>{messages.targets}</h3>
          <ul>
            {event.targets.map(({ type, id, name, metadata }, index) => (
              <li key={index}>
                <PlainText text={[type, name, id].filter(Boolean).join(" · ")} />
                {metadata && <JsonView value={metadata} />}
              </li>
            ))}
          </ul>
        </section>
      )}
      {Object.keys(readable).length > 0 && (
        <section>
          <h3>{messages.metadata}</h3>
          <JsonView value={readable} />
        </section>
      )}
      <TechnicalDetails reader={reader} event={event} metadata={technical} />
      <p class="drawer-actions">
        <CopyButton key={event.id} event={event} />
        {actions?.(event)}
      </p>
    </>
  )
}

/** The drawer; there while an event is open. */
export const EventDrawer = ({
  reader,
  now,
  actions
}: {
  readonly reader: LogReader
  readonly now: number
  /** What else can be done with the event. */
  readonly actions?: (event: Event) => ComponentChildren
}) => {
  const { messages } = useLanguage()
  const dialog = useRef<HTMLDialogElement>(null)
  const { event: id } = reader.place.value
  useEffect(() => {
    if (id !== undefined && dialog.current?.open === false) dialog.current.showModal()
    if (id === undefined) dialog.current?.close()
    dialog.current?.querySelector(".drawer-body")?.scrollTo(0, 0)
  }, [id])
  const opened = reader.open.value
  const pages = reader.pages.value
  const row = id === undefined ? undefined : pages.rowOf(id)
  const step = (by: number) => (row === undefined ? undefined : pages.at(row + by))
  const [newer, older] = [step(-1), step(1)]
  const go = (event: Event | undefined) => event !== undefined && reader.openEvent(event.id)
  return (
    <dialog
      ref={dialog}
      class="drawer"
      aria-label={messages.details}
      onClose={() => reader.openEvent(undefined)}
      onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
      onKeyDown={({ key, target }) => {
        if (target instanceof HTMLInputElement) return
        if (key === "ArrowLeft" || key === "k") go(newer)
        if (key === "ArrowRight" || key === "j") go(older)
        if (key === "Escape") dialog.current?.close()
      }}
    >
      {id !== undefined && (
        <>
          <header>
            <h2>
              {opened !== undefined && "event" in opened ? (
                <SentenceText reader={reader} event={opened.event} limit={300} />
              ) : (
                messages.details
              )}
            </h2>
            <button type="button" class="bare" disabled={newer === undefined} onClick={() => go(newer)}>
              <Icon name="up" />
              <span class="hidden">{messages.previous}</span>
            </button>
            <button type="button" class="bare" disabled={older === undefined} onClick={() => go(older)}>
              <Icon name="down" />
              <span class="hidden">{messages.next}</span>
            </button>
            <button type="button" class="bare" onClick={() => dialog.current?.close()}>
              <Icon name="close" />
              <span class="hidden">{messages.close}</span>
            </button>
          </header>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
          <div class="drawer-body" tabIndex={0} role="region" aria-label={messages.details}>
            {opened === undefined ? (
              <p role="status">{messages.loading}</p>
            ) : "event" in opened ? (
              <Contents reader={reader} event={opened.event} now={now} actions={actions} />
            ) : (
              <RefusalNotice refusal={opened.refusal} retry={() => reader.openEvent(id)} />
            )}
          </div>
        </>
      )}
    </dialog>
  )
}
