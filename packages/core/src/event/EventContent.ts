/**
 * The content of an event: the canonical bytes that are hashed, stored, and the source of every answer.
 *
 * `JCS({action, action_category, actor, idempotency_key, ip_city, ip_country, metadata, occurred_at, resource, session_id,
 * targets, tenant_id, version})`, see docs/HashFormat.md. The keys of the envelope are known, so it needs no sorting.
 */
import { Schema } from "effect"
import { canonicalString, canonicalStringOrNull } from "../encoding/CanonicalJson.ts"
import * as Micros from "../encoding/Micros.ts"
import { parseText } from "../encoding/StrictJson.ts"
import { Actor, type Event, JsonObject, Resource, Target } from "./Event.ts"
import type { Place } from "./GeoIp.ts"
import type { ValidEvent } from "./ValidEvent.ts"

/** Canonical content around the gap of its two enriched members, which are filled in when the event is sequenced. */
export interface ContentParts {
  /** Up to and including the comma after `idempotency_key`. */
  readonly head: string
  /** From `metadata` on. */
  readonly tail: string
}

const targetsText = ({ input, targetMetadata }: ValidEvent): string => {
  if (input.targets === undefined || input.targets === null || input.targets.length === 0) return "[]"
  const items = input.targets.map((target, index) => {
    const members: Array<string> = []
    if (target.id !== undefined && target.id !== null) members.push(`"id":${canonicalString(target.id)}`)
    const metadata = targetMetadata[index]
    if (metadata !== undefined) members.push(`"metadata":${metadata}`)
    if (target.name !== undefined && target.name !== null)
      members.push(`"name":${canonicalString(target.name)}`)
    members.push(`"type":${canonicalString(target.type)}`)
    return `{${members.join(",")}}`
  })
  return `[${items.join(",")}]`
}

/** The content of a valid event accepted at `acceptedAt`, which is also when it occurred unless it says otherwise. */
export const contentParts = (event: ValidEvent, acceptedAt: Micros.Micros): ContentParts => {
  const { input } = event
  const text = canonicalStringOrNull
  const occurredAt = (input.occurred_at && Micros.normalize(input.occurred_at)) || Micros.format(acceptedAt)
  return {
    head:
      `{"action":${canonicalString(input.action)},"action_category":${text(input.action_category)},` +
      `"actor":{"id":${canonicalString(input.actor_id)},"name":${text(input.actor_name)},"type":${text(input.actor_type)}},` +
      `"idempotency_key":${text(input.idempotency_key)},`,
    tail:
      `"metadata":${event.metadata},"occurred_at":"${occurredAt}",` +
      `"resource":{"id":${text(input.resource_id)},"name":${text(input.resource_name)},"type":${text(input.resource)}},` +
      `"session_id":${text(input.session_id)},"targets":${targetsText(event)},"tenant_id":${text(input.tenant_id)},` +
      `"version":${input.version ?? null}}`
  }
}

/** The whole content, once the place is known. */
export const contentText = ({ head, tail }: ContentParts, place: Place): string =>
  `${head}"ip_city":${canonicalStringOrNull(place.city)},"ip_country":${canonicalStringOrNull(place.country)},${tail}`

const nullable = Schema.NullOr(Schema.String)

/** The content as a value. */
export const EventContent = Schema.Struct({
  action: Schema.String,
  action_category: nullable,
  actor: Actor,
  idempotency_key: nullable,
  ip_city: nullable,
  ip_country: nullable,
  metadata: Schema.NullOr(JsonObject),
  occurred_at: Schema.String,
  resource: Resource,
  session_id: nullable,
  targets: Schema.Array(Target),
  tenant_id: nullable,
  version: Schema.NullOr(Schema.Number)
})
export type EventContent = typeof EventContent.Type

/**
 * Whether a value has the shape of {@link EventContent}. Written out, because it runs for every event that is sequenced or verified,
 * and a schema's check takes several times as long as the parsing; a test holds the two against each other.
 */
export const isContent = (value: unknown): value is EventContent =>
  isObject(value) &&
  typeof value.action === "string" &&
  isTextOrNull(value.action_category) &&
  isObject(value.actor) &&
  typeof value.actor.id === "string" &&
  isTextOrNull(value.actor.name) &&
  isTextOrNull(value.actor.type) &&
  isTextOrNull(value.idempotency_key) &&
  isTextOrNull(value.ip_city) &&
  isTextOrNull(value.ip_country) &&
  (value.metadata === null || isObject(value.metadata)) &&
  typeof value.occurred_at === "string" &&
  isObject(value.resource) &&
  isTextOrNull(value.resource.id) &&
  isTextOrNull(value.resource.name) &&
  isTextOrNull(value.resource.type) &&
  isTextOrNull(value.session_id) &&
  Array.isArray(value.targets) &&
  value.targets.every(isTarget) &&
  isTextOrNull(value.tenant_id) &&
  (value.version === null || typeof value.version === "number")

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === "string"

const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === "string"

const isTarget = (value: unknown): value is Target =>
  isObject(value) &&
  typeof value.type === "string" &&
  isTextOrAbsent(value.id) &&
  isTextOrAbsent(value.name) &&
  (value.metadata === undefined || isObject(value.metadata))

/** Reads stored content; `undefined` when someone changed it into something else. */
export const parseContent = (text: string): EventContent | undefined => {
  try {
    const value = parseText(text)
    return isContent(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** What stands beside the content in an event. */
export interface EventFrame {
  /** UUID v4. */
  readonly id: string
  readonly createdAt: Micros.Micros
  /** Null until sequenced, and for legacy events. */
  readonly eventHash: string | null
  readonly previousEventHash: string | null
}

/** The event as the interface returns it. */
export const toEvent = (content: EventContent, frame: EventFrame): Event => ({
  id: frame.id,
  actor: content.actor,
  action: content.action,
  action_category: content.action_category,
  resource: content.resource,
  targets: content.targets,
  metadata: content.metadata,
  tenant_id: content.tenant_id,
  session_id: content.session_id,
  ip_country: content.ip_country,
  ip_city: content.ip_city,
  idempotency_key: content.idempotency_key,
  version: content.version,
  integrity: { event_hash: frame.eventHash, previous_event_hash: frame.previousEventHash },
  occurred_at: content.occurred_at,
  created_at: Micros.format(frame.createdAt)
})
