/** The audit event as the interface returns it. */
import { Schema } from "effect"
import * as Field from "../encoding/FieldSchemas.ts"

/** An arbitrary JSON object. */
export const JsonObject = Schema.Record(Schema.String, Schema.Unknown)

const nullable = (description: string) => Schema.NullOr(Schema.String).annotate({ description })

/** Who acted. */
export const Actor = Schema.Struct({
  id: Field.text("The actor's id in the client's system"),
  name: nullable("The actor's name at that time"),
  type: nullable("Usually `user`, `system` or `api_client`")
}).annotate({ identifier: "Actor", description: "Who acted" })
export type Actor = typeof Actor.Type

/** What was acted on. */
export const Resource = Schema.Struct({
  type: nullable("The resource's type, such as `invoice`"),
  id: nullable("The resource's id in the client's system"),
  name: nullable("The resource's name at that time")
}).annotate({ identifier: "Resource", description: "What was acted on" })
export type Resource = typeof Resource.Type

/** Something else that the action touched. A field that the client omitted stays omitted. */
export const Target = Schema.Struct({
  type: Field.text("The target's type, such as `user`"),
  id: Schema.optionalKey(Field.text("The target's id in the client's system")),
  name: Schema.optionalKey(Field.text("The target's name at that time")),
  metadata: Schema.optionalKey(JsonObject.annotate({ description: "Whatever the client says of it" }))
}).annotate({
  identifier: "Target",
  description: "Something else that the action touched. A field that the client omitted stays omitted"
})
export type Target = typeof Target.Type

/** The event's place in its workspace's hash chain; lower-case hexadecimal SHA-256. */
const Integrity = Schema.Struct({
  event_hash: Field.nullable(
    Field.sha256(),
    "The event's hash; null until the event has its place in the chain, and for legacy events"
  ),
  previous_event_hash: Field.nullable(
    Field.sha256(),
    "The hash of the event before it; null for the first event of a chain, too"
  )
}).annotate({
  identifier: "Integrity",
  description: "The event's place in its workspace's hash chain; lower-case hexadecimal SHA-256"
})

/** One action by one actor, recorded for good. Times are UTC with six fractional digits. */
export const Event = Schema.Struct({
  id: Schema.String.annotate({
    description: "UUID, generated at ingestion: version 4, or 8 if it costs nothing of the quota",
    format: "uuid"
  }),
  actor: Actor,
  action: Schema.String.annotate({ description: "Typically `resource.verb`" }),
  action_category: nullable("A kind of action by which to group, such as `authentication`"),
  resource: Resource,
  targets: Schema.Array(Target).annotate({ description: "What else the action touched; often nothing" }),
  metadata: Schema.NullOr(JsonObject).annotate({ description: "Whatever the client says of the event" }),
  tenant_id: nullable("The client's own customer that the event belongs to"),
  session_id: nullable("The session in which the actor acted"),
  ip_country: nullable("Two-letter ISO 3166-1 country code of the end user's address"),
  ip_city: nullable("The city of the end user's address"),
  idempotency_key: nullable("The key that the client gave, so that the event is recorded once"),
  version: Schema.NullOr(Schema.Int).annotate({
    description: "The version of the event's form, as the client counts it"
  }),
  integrity: Integrity,
  occurred_at: Field.timestamp("When it happened, as the client says; when it was recorded, if it does not"),
  created_at: Field.timestamp("When it was recorded; strictly increasing along the chain")
}).annotate({
  identifier: "Event",
  description: "One action by one actor, recorded for good. Times are UTC with six fractional digits"
})
export type Event = typeof Event.Type
