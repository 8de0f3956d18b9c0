/** The content of an event as a value: its schema, its check, and reading it from its text. */
import { Schema } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { parseText } from "../encoding/StrictJson.ts"
import { ENVELOPE, type EnvelopeLeaf, type EnvelopeValue, TARGET } from "./Envelope.ts"
import { type Event, JsonObject } from "./Event.ts"

/** The content as a value. */
export type EventContent = EnvelopeValue

const SCHEMAS = {
  text: Schema.String,
  time: Schema.String,
  integer: Schema.Number,
  object: JsonObject
}

const leafSchema = ({ kind, presence }: EnvelopeLeaf): Schema.Top => {
  const schema = SCHEMAS[kind]
  if (presence === "nullable") return Schema.NullOr(schema)
  return presence === "optional" ? Schema.optionalKey(schema) : schema
}

const structOf = (members: ReadonlyArray<EnvelopeLeaf>): Schema.Top =>
  Schema.Struct(Object.fromEntries(members.map((member) => [member.name, leafSchema(member)])))

const memberSchema = (member: (typeof ENVELOPE)[number]): Schema.Top => {
  if (member.kind === "group") return structOf(member.members)
  return member.kind === "list" ? Schema.Array(structOf(member.members)) : leafSchema(member)
}

/** The schema of a content. */
export const EventContent = Schema.Struct(
  Object.fromEntries(ENVELOPE.map((member) => [member.name, memberSchema(member)]))
) as unknown as Schema.Codec<EventContent>

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What a member must be. */
interface Expected {
  readonly name: string
  /** Its `typeof`. */
  readonly type: "string" | "number" | "object"
  readonly isList: boolean
  readonly nullable: boolean
  readonly optional: boolean
  /** What the object that it holds must be, or each object of the list. */
  readonly members: ReadonlyArray<Expected> | undefined
}

const TYPES = { text: "string", time: "string", integer: "number", object: "object" } as const

const expected = (member: (typeof ENVELOPE)[number] | EnvelopeLeaf): Expected => {
  const { name, kind } = member
  const isList = kind === "list"
  if (!("members" in member)) {
    const [nullable, optional] = [member.presence === "nullable", member.presence === "optional"]
    return { name, type: TYPES[member.kind], isList, nullable, optional, members: undefined }
  }
  const members = member.members.map(expected)
  return { name, type: "object", isList, nullable: false, optional: false, members }
}

const isExpected = (value: unknown, { type, isList, nullable, optional, members }: Expected): boolean => {
  if (value === null) return nullable
  if (value === undefined) return optional
  if (type !== "object") return typeof value === type
  if (members === undefined) return isObject(value)
  return isList ? haveMembers(value, members) : hasMembers(value, members)
}

/** Whether the object has exactly the members, in order. Looking up each by its name takes twice as long. */
const stand = (value: Readonly<Record<string, unknown>>, members: ReadonlyArray<Expected>): boolean => {
  let next = 0
  for (const name in value) {
    let member = members[next++]
    while (member?.optional === true && member.name !== name) member = members[next++]
    if (member === undefined || member.name !== name || !isExpected(value[name], member)) return false
  }
  while (members[next]?.optional === true) next++
  return next >= members.length
}

/** The members with these names, in order. */
const arranged = (value: Readonly<Record<string, unknown>>, members: ReadonlyArray<Expected>) =>
  Object.fromEntries(members.flatMap(({ name }) => (Object.hasOwn(value, name) ? [[name, value[name]]] : [])))

const hasMembers = (value: unknown, members: ReadonlyArray<Expected>): boolean =>
  isObject(value) && (stand(value, members) || stand(arranged(value, members), members))

const haveMembers = (values: unknown, members: ReadonlyArray<Expected>): boolean => {
  if (!Array.isArray(values)) return false
  for (const value of values) if (!hasMembers(value, members)) return false
  return true
}

const EXPECTED = ENVELOPE.map(expected)

/**
 * Whether a value has the shape of {@link EventContent}. It runs for every event that is sequenced, and the
 * schema takes several times as long as the parsing. A test checks that both agree.
 */
export const isContent = (value: unknown): value is EventContent => hasMembers(value, EXPECTED)

const [TARGET_MEMBERS] = EXPECTED.flatMap(({ name, members }) => (name === TARGET.name ? [members] : []))

/** Whether a value has the shape of the targets of a content. */
export const areTargets = (value: unknown): value is EventContent["targets"] =>
  haveMembers(value, TARGET_MEMBERS ?? [])

/** Reads a stored content; `undefined` if somebody changed it to something that is not a content. */
export const parseContent = (text: string): EventContent | undefined => {
  try {
    const value = parseText(text)
    return isContent(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The members of an event beside its content. */
export interface EventFrame {
  /** A UUID. */
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
