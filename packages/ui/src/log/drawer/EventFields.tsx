/** The fields of an event, by their names; those that one would filter by are links. */
import type { Event } from "@cairn/core/event"
import type { ComponentChildren } from "preact"
import { countryName, flagOf } from "../../locale/Country.ts"
import { useLanguage } from "../../locale/Messages.ts"
import { millisOf } from "../../locale/Moment.ts"
import type { FilterName } from "../../place/Filter.ts"
import { PlainText } from "../../text/PlainText.tsx"
import { visibleText } from "../../text/VisibleText.ts"
import { OtherTime } from "../clock/EventMoment.tsx"
import type { LogReader } from "../LogReader.ts"

interface FieldProps {
  readonly reader: LogReader
  readonly event: Event
}

/** One field. */
const Field = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
)

/** A text that can be made a filter. */
const FilterLink = ({
  reader,
  name,
  value,
  text
}: {
  readonly reader: LogReader
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
      onClick={() => reader.narrow(name, value)}
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

/** The actor: by name where there is one. */
const ActorField = ({ reader, event: { actor } }: FieldProps) => {
  const { messages } = useLanguage()
  return (
    <Field label={messages.fields.actor}>
      <FilterLink reader={reader} name="actor_id" value={actor.id} text={actor.name || actor.id} />{" "}
      <span class="muted">
        <PlainText text={[actor.type, actor.name ? actor.id : null].filter(Boolean).join(" · ")} />
      </span>
    </Field>
  )
}

/** The resource; nothing where the event names none. */
const ResourceField = ({ reader, event: { resource } }: FieldProps) => {
  const { messages } = useLanguage()
  if (!(resource.type || resource.id || resource.name)) return null
  return (
    <Field label={messages.fields.resource}>
      {resource.name && (
        <>
          <PlainText text={resource.name} />{" "}
        </>
      )}
      {resource.type && (
        <>
          <FilterLink reader={reader} name="resource" value={resource.type} text={resource.type} />{" "}
        </>
      )}
      {resource.id && (
        <FilterLink reader={reader} name="resource_id" value={resource.id} text={resource.id} />
      )}
    </Field>
  )
}

/** The city and the country; nothing where neither is known. */
const PlaceField = ({ event }: Pick<FieldProps, "event">) => {
  const { messages, locale } = useLanguage()
  const place = [event.ip_city, event.ip_country && countryName(event.ip_country, locale)].filter(Boolean)
  if (place.length === 0) return null
  return (
    <Field label={messages.fields.place}>
      <span aria-hidden="true">{flagOf(event.ip_country ?? "")}</span> <PlainText text={place.join(", ")} />
    </Field>
  )
}

/** The action, and the kind of actions that it is of. */
const ActionField = ({ reader, event: { action, action_category } }: FieldProps) => {
  const { columns, sentence } = useLanguage().messages
  return (
    <>
      <Field label={columns.action}>
        <FilterLink reader={reader} name="action" value={action} text={action} />
      </Field>
      {action_category && (
        <Field label={sentence.category}>
          <PlainText text={action_category} />
        </Field>
      )}
    </>
  )
}

/** What identifies an event, for a reader who looks into it with tools. */
export const TechnicalFields = ({ reader, event }: FieldProps) => {
  const { fields } = useLanguage().messages
  const texts: ReadonlyArray<readonly [string, string | null]> = [
    [fields.id, event.id],
    [fields.tenant, reader.acrossTenants ? null : event.tenant_id],
    [fields.version, event.version === null ? null : String(event.version)],
    [fields.idempotencyKey, event.idempotency_key],
    [fields.eventHash, event.integrity.event_hash],
    [fields.previousHash, event.integrity.previous_event_hash]
  ]
  return (
    <dl class="fields">
      {texts.map(
        ([label, text]) =>
          text !== null && (
            <Field key={label} label={label}>
              <PlainText text={text} />
            </Field>
          )
      )}
    </dl>
  )
}

/** What an event says for readers, but its metadata and targets. */
export const EventFields = ({ reader, event, now }: FieldProps & { readonly now: number }) => {
  const { fields } = useLanguage().messages
  return (
    <dl class="fields">
      <Field label={fields.recorded}>
        <Time text={event.created_at} now={now} />
      </Field>
      {event.occurred_at !== event.created_at && (
        <Field label={fields.occurred}>
          <Time text={event.occurred_at} now={now} /> <OtherTime event={event} clock="occurred" told />
        </Field>
      )}
      <ActorField reader={reader} event={event} />
      <ActionField reader={reader} event={event} />
      <ResourceField reader={reader} event={event} />
      <PlaceField event={event} />
      {event.session_id && (
        <Field label={fields.session}>
          <FilterLink reader={reader} name="session_id" value={event.session_id} text={event.session_id} />
        </Field>
      )}
      {reader.acrossTenants && event.tenant_id !== null && (
        <Field label={fields.tenant}>
          <FilterLink reader={reader} name="tenant_id" value={event.tenant_id} text={event.tenant_id} />
        </Field>
      )}
    </dl>
  )
}
