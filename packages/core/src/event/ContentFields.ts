/**
 * The fields of a content as columns of a table: texts unescaped, objects and arrays as JSON; and the few of
 * them that decide what alert rules and log streams do with an event.
 */
import { ContentWalk } from "./ContentWalk.ts"
import { type EventContent, parseContent } from "./EventContent.ts"

/** The fields, by their columns. */
export interface ContentFields {
  readonly action: string
  readonly actionCategory: string | null
  readonly actorId: string
  readonly actorName: string | null
  readonly actorType: string | null
  readonly idempotencyKey: string | null
  readonly ipCity: string | null
  readonly ipCountry: string | null
  /** A JSON object, in the spelling that was hashed. */
  readonly metadata: string | null
  readonly occurredAt: string
  readonly resourceId: string | null
  readonly resourceName: string | null
  readonly resourceType: string | null
  readonly sessionId: string | null
  /** A JSON array. */
  readonly targets: string
  readonly tenantId: string | null
  /** Digits. */
  readonly version: string | null
}

/**
 * Reads a canonical content; `undefined` if the text is not one. The insides of metadata and targets are not
 * examined.
 */
export const canonicalFields = (text: string): ContentFields | undefined => {
  const walk = new ContentWalk(text)
  const action = walk.expect('{"action":').takeText()
  const actionCategory = walk.expect(',"action_category":').takeText()
  const actorId = walk.expect(',"actor":{"id":').takeText()
  const actorName = walk.expect(',"name":').takeText()
  const actorType = walk.expect(',"type":').takeText()
  const idempotencyKey = walk.expect('},"idempotency_key":').takeText()
  const ipCity = walk.expect(',"ip_city":').takeText()
  const ipCountry = walk.expect(',"ip_country":').takeText()
  const metadata = walk.expect(',"metadata":').takeJson("{")
  const occurredAt = walk.expect(',"occurred_at":').takeText()
  const resourceId = walk.expect(',"resource":{"id":').takeText()
  const resourceName = walk.expect(',"name":').takeText()
  const resourceType = walk.expect(',"type":').takeText()
  const sessionId = walk.expect('},"session_id":').takeText()
  const targets = walk.expect(',"targets":').takeJson("[")
  const tenantId = walk.expect(',"tenant_id":').takeText()
  const version = walk.expect(',"version":').takeLastInteger()
  if (walk.at < 0 || action === null || actorId === null || occurredAt === null || targets === null)
    return undefined
  return {
    action,
    actionCategory,
    actorId,
    actorName,
    actorType,
    idempotencyKey,
    ipCity,
    ipCountry,
    metadata,
    occurredAt,
    resourceId,
    resourceName,
    resourceType,
    sessionId,
    targets,
    tenantId,
    version
  }
}

const fieldsOf = ({
  actor,
  metadata,
  resource,
  targets,
  version,
  ...content
}: EventContent): ContentFields => ({
  action: content.action,
  actionCategory: content.action_category,
  actorId: actor.id,
  actorName: actor.name,
  actorType: actor.type,
  idempotencyKey: content.idempotency_key,
  ipCity: content.ip_city,
  ipCountry: content.ip_country,
  metadata: metadata === null ? null : JSON.stringify(metadata),
  occurredAt: content.occurred_at,
  resourceId: resource.id,
  resourceName: resource.name,
  resourceType: resource.type,
  sessionId: content.session_id,
  targets: JSON.stringify(targets),
  tenantId: content.tenant_id,
  version: version === null ? null : String(version)
})

/**
 * Reads a stored content; `undefined` if somebody changed it to something that is not a content. A content in
 * canonical form costs half of {@link parseContent} and writing it; any other is parsed. The insides of
 * metadata and targets are not examined.
 */
export const contentFields = (text: string): ContentFields | undefined => {
  const fields = canonicalFields(text)
  if (fields !== undefined) return fields
  const content = parseContent(text)
  return content === undefined ? undefined : fieldsOf(content)
}

/** Who did what, from where and when, without what describes it further. */
export type ContentHead = Pick<EventContent, "action" | "actor" | "ip_country" | "occurred_at" | "tenant_id">

/** The same as {@link contentFields}, at the same cost, in the form of a content. */
export const contentHead = (text: string): ContentHead | undefined => {
  const fields = contentFields(text)
  if (fields === undefined) return undefined
  const { action, actorId: id, actorName: name, actorType: type, ipCountry, occurredAt, tenantId } = fields
  return {
    action,
    actor: { id, name, type },
    ip_country: ipCountry,
    occurred_at: occurredAt,
    tenant_id: tenantId
  }
}
