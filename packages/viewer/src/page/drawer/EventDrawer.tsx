/** One event in full: what it says, what it changed, and whether it is what was recorded. */
import type { Event } from "@cairn/core/event"
import { useEffect, useRef, useState } from "preact/hooks"
import type { FilterName } from "../filter/Filter.ts"
import { countryName, flagOf } from "../locale/Country.ts"
import { useLanguage } from "../locale/Messages.ts"
import { millisOf } from "../locale/Moment.ts"
import { RefusalNotice } from "../notice/Notice.tsx"
import type { Viewer } from "../state/Viewer.ts"
import { PlainText } from "../text/PlainText.tsx"
import { visibleText } from "../text/VisibleText.ts"
import { Icon } from "../theme/Icon.tsx"
import { VerificationStatement } from "../verification/VerificationMark.tsx"
import { copyText } from "./CopyText.ts"
import { JsonValue, JsonView } from "./JsonView.tsx"
import { readMetadata } from "./MetadataChanges.ts"

/** A text that can be made a filter. */
const FilterLink = ({
  viewer,
  name,
  value,
  text
}: {
  readonly viewer: Viewer
  readonly name: FilterName
  readonly value: string
  readonly text: string
}) => {
  const { messages } = useLanguage()
  return (
    <button
      type="button"
      class="link"
      title={messages.onlyThis(visibleText(text, 80))}
      onClick={() => viewer.narrow(name, value)}
    >
      <PlainText text={text} limit={1_100} />
    </button>
  )
}

const Time = ({ text, now }: { readonly text: string; readonly now: number }) => {
  const { moments } = useLanguage()
  const millis = millisOf(text)
  return (
    <>
      {moments.full(millis)} <span class="muted">({moments.relative(millis, now)})</span>
      <br />
      <time class="muted" dateTime={text}>
        {text}
      </time>
    </>
  )
}

const Changes = ({ changes }: { readonly changes: ReturnType<typeof readMetadata>["changes"] }) => {
  const { messages, number } = useLanguage()
  const [limit, setLimit] = useState(100)
  return (
    <section>
      <h3>{messages.changes}</h3>
      <table class="changes">
        <thead>
          <tr>
            <th scope="col">{messages.field}</th>
            <th scope="col">{messages.before}</th>
            <th scope="col">{messages.after}</th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, limit).map(({ field, before, after }, index) => (
            <tr key={`${index} ${field}`}>
              <th scope="row">
                <PlainText text={field} limit={200} />
              </th>
              <td class="before" data-label={messages.before}>
                <JsonValue value={before} />
              </td>
              <td class="after" data-label={messages.after}>
                <JsonValue value={after} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.length > limit && (
        <button type="button" class="link" onClick={() => setLimit(changes.length)}>
          {messages.showMore(number(changes.length - limit))}
        </button>
      )}
    </section>
  )
}

const Fields = ({
  viewer,
  event,
  now
}: {
  readonly viewer: Viewer
  readonly event: Event
  readonly now: number
}) => {
  const { messages, locale } = useLanguage()
  const { fields } = messages
  const { actor, resource } = event
  const place = [event.ip_city, event.ip_country && countryName(event.ip_country, locale)].filter(Boolean)
  const texts: ReadonlyArray<readonly [string, string | null]> = [
    [fields.category, event.action_category],
    [fields.tenant, event.tenant_id],
    [fields.version, event.version === null ? null : String(event.version)],
    [fields.idempotencyKey, event.idempotency_key],
    [fields.id, event.id],
    [fields.eventHash, event.integrity.event_hash],
    [fields.previousHash, event.integrity.previous_event_hash]
  ]
  return (
    <dl class="fields">
      <dt>{fields.recorded}</dt>
      <dd>
        <Time text={event.created_at} now={now} />
      </dd>
      {event.occurred_at !== event.created_at && (
        <>
          <dt>{fields.occurred}</dt>
          <dd>
            <Time text={event.occurred_at} now={now} />
          </dd>
        </>
      )}
      <dt>{fields.actor}</dt>
      <dd>
        <FilterLink viewer={viewer} name="actor_id" value={actor.id} text={actor.name || actor.id} />{" "}
        <span class="muted">
          <PlainText text={[actor.type, actor.name ? actor.id : null].filter(Boolean).join(" · ")} />
        </span>
      </dd>
      {(resource.type || resource.id || resource.name) && (
        <>
          <dt>{fields.resource}</dt>
          <dd>
            {resource.name && (
              <>
                <PlainText text={resource.name} />{" "}
              </>
            )}
            {resource.type && (
              <>
                <FilterLink viewer={viewer} name="resource" value={resource.type} text={resource.type} />{" "}
              </>
            )}
            {resource.id && (
              <FilterLink viewer={viewer} name="resource_id" value={resource.id} text={resource.id} />
            )}
          </dd>
        </>
      )}
      {place.length > 0 && (
        <>
          <dt>{fields.place}</dt>
          <dd>
            <span aria-hidden="true">{flagOf(event.ip_country ?? "")}</span>{" "}
            <PlainText text={place.join(", ")} />
          </dd>
        </>
      )}
      {event.session_id && (
        <>
          <dt>{fields.session}</dt>
          <dd>
            <FilterLink viewer={viewer} name="session_id" value={event.session_id} text={event.session_id} />
          </dd>
        </>
      )}
      {texts.map(
        ([label, text]) =>
          text !== null && (
            <>
              <dt key={label}>{label}</dt>
              <dd key={`${label}.`}>
                <PlainText text={text} />
              </dd>
            </>
          )
      )}
    </dl>
  )
}

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

const Contents = ({
  viewer,
  event,
  now
}: {
  readonly viewer: Viewer
  readonly event: Event
  readonly now: number
}) => {
  const { messages } = useLanguage()
  const { changes, rest } = readMetadata(event.metadata ?? {})
  return (
    <>
      <VerificationStatement mark={viewer.markOf(event)} />
      {changes.length > 0 && <Changes changes={changes} />}
      <Fields viewer={viewer} event={event} now={now} />
      {event.targets.length > 0 && (
        <section>
          <h3>{messages.targets}</h3>
          <JsonView value={event.targets} />
        </section>
      )}
      {Object.keys(rest).length > 0 && (
        <section>
          <h3>{messages.metadata}</h3>
          <JsonView value={rest} />
        </section>
      )}
      <p class="actions">
        <CopyButton key={event.id} event={event} />
      </p>
    </>
  )
}

/** The drawer; there while an event is open. */
export const EventDrawer = ({ viewer, now }: { readonly viewer: Viewer; readonly now: number }) => {
  const { messages } = useLanguage()
  const dialog = useRef<HTMLDialogElement>(null)
  const { event: id } = viewer.place.value
  useEffect(() => {
    if (id !== undefined && dialog.current?.open === false) dialog.current.showModal()
    if (id === undefined) dialog.current?.close()
    dialog.current?.querySelector(".drawer-body")?.scrollTo(0, 0)
  }, [id])
  const opened = viewer.open.value
  const pages = viewer.pages.value
  const row = id === undefined ? undefined : pages.rowOf(id)
  const step = (by: number) => (row === undefined ? undefined : pages.at(row + by))
  const [newer, older] = [step(-1), step(1)]
  const go = (event: Event | undefined) => event !== undefined && viewer.openEvent(event.id)
  return (
    <dialog
      ref={dialog}
      class="drawer"
      aria-label={messages.details}
      onClose={() => viewer.openEvent(undefined)}
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
                <PlainText text={opened.event.action} limit={300} />
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
              <Contents viewer={viewer} event={opened.event} now={now} />
            ) : (
              <RefusalNotice refusal={opened.refusal} retry={() => viewer.openEvent(id)} />
            )}
          </div>
        </>
      )}
    </dialog>
  )
}
