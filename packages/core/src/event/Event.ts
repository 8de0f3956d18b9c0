/** The audit event as the interface returns it. */
import { Schema } from "effect"

/** An arbitrary JSON object. */
export const JsonObject = Schema.Record(Schema.String, Schema.Unknown)

const nullable = Schema.NullOr(Schema.String)

/** Who acted. */
export const Actor = Schema.Struct({
  id: Schema.String,
  name: nullable,
  /** Usually `user`, `system` or `api_client`. */
  type: nullable
}).annotate({ identifier: "Actor" })
export type Actor = typeof Actor.Type

/** What was acted on. */
export const Resource = Schema.Struct({ type: nullable, id: nullable, name: nullable }).annotate({
  identifier: "Resource"
})
export type Resource = typeof Resource.Type

/** Something else that the action touched. A field that the client omitted stays omitted. */
export const Target = Schema.Struct({
  type: Schema.String,
  id: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(JsonObject)
}).annotate({ identifier: "Target" })
export type Target = typeof Target.Type

/** The event's place in its workspace's hash chain; lower-case hexadecimal SHA-256. */
const Integrity = Schema.Struct({
  /** Null until the event is sequenced, and for legacy events. */
  event_hash: nullable,
  /** Null for the first event of a chain, too. */
  previous_event_hash: nullable
}).annotate({ identifier: "Integrity" })

/** One action by one actor, recorded for good. Times are UTC with six fractional digits. */
export const Event = Schema.Struct({
  id: Schema.String.annotate({ description: "UUID v4, generated at ingestion", format: "uuid" }),
  actor: Actor,
  action: Schema.String.annotate({ description: "Typically `resource.verb`" }),
  action_category: nullable,
  resource: Resource,
  targets: Schema.Array(Target),
  metadata: Schema.NullOr(JsonObject),
  tenant_id: nullable,
  session_id: nullable,
  ip_country: nullable.annotate({
    description: "Two-letter ISO 3166-1 country code of the client's address"
  }),
  ip_city: nullable,
  idempotency_key: nullable,
  version: Schema.NullOr(Schema.Int),
  integrity: Integrity,
  occurred_at: Schema.String.annotate({ format: "date-time" }),
  created_at: Schema.String.annotate({ format: "date-time" })
}).annotate({ identifier: "Event" })
export type Event = typeof Event.Type
