/**
 * The envelope of an event's content: its members, in the order of canonical JSON (keys sorted by UTF-16 code
 * units).
 *
 * It is defined here only. The type and the schema of a content, its writer and its checks derive from this
 * table.
 */
import type { EventInput } from "./EventInput.ts"

/** A member that has one value. */
export interface EnvelopeLeaf {
  readonly name: string
  /** `time` is text: a time in UTC with six fractional digits. `object` is any JSON object. */
  readonly kind: "text" | "time" | "integer" | "object"
  /** Without a value, an `optional` member is left out and a `nullable` one is null. */
  readonly presence: "required" | "nullable" | "optional"
  /** The field of an event's body that holds it. */
  readonly input?: keyof EventInput
  /** The part of the client's location that it holds, which is known when the event is sequenced. */
  readonly place?: "city" | "country"
}

/** A member that is an object with members of its own, all of them present. */
interface EnvelopeGroup {
  readonly name: string
  readonly kind: "group"
  readonly members: ReadonlyArray<EnvelopeLeaf>
}

/** A member that is a list of objects, the last of whose members is required. */
export interface EnvelopeList {
  readonly name: string
  readonly kind: "list"
  readonly members: ReadonlyArray<EnvelopeLeaf>
}

/** The members of a target. */
export const TARGET = {
  name: "targets",
  kind: "list",
  members: [
    { name: "id", kind: "text", presence: "optional" },
    { name: "metadata", kind: "object", presence: "optional" },
    { name: "name", kind: "text", presence: "optional" },
    { name: "type", kind: "text", presence: "required" }
  ]
} as const satisfies EnvelopeList

/** The members of a content. */
export const ENVELOPE = [
  { name: "action", kind: "text", presence: "required", input: "action" },
  { name: "action_category", kind: "text", presence: "nullable", input: "action_category" },
  {
    name: "actor",
    kind: "group",
    members: [
      { name: "id", kind: "text", presence: "required", input: "actor_id" },
      { name: "name", kind: "text", presence: "nullable", input: "actor_name" },
      { name: "type", kind: "text", presence: "nullable", input: "actor_type" }
    ]
  },
  { name: "idempotency_key", kind: "text", presence: "nullable", input: "idempotency_key" },
  { name: "ip_city", kind: "text", presence: "nullable", place: "city" },
  { name: "ip_country", kind: "text", presence: "nullable", place: "country" },
  { name: "metadata", kind: "object", presence: "nullable", input: "metadata" },
  { name: "occurred_at", kind: "time", presence: "required", input: "occurred_at" },
  {
    name: "resource",
    kind: "group",
    members: [
      { name: "id", kind: "text", presence: "nullable", input: "resource_id" },
      { name: "name", kind: "text", presence: "nullable", input: "resource_name" },
      { name: "type", kind: "text", presence: "nullable", input: "resource" }
    ]
  },
  { name: "session_id", kind: "text", presence: "nullable", input: "session_id" },
  TARGET,
  { name: "tenant_id", kind: "text", presence: "nullable", input: "tenant_id" },
  { name: "version", kind: "integer", presence: "nullable", input: "version" }
] as const satisfies ReadonlyArray<EnvelopeLeaf | EnvelopeGroup | EnvelopeList>

interface KindValues {
  readonly text: string
  readonly time: string
  readonly integer: number
  readonly object: Readonly<Record<string, unknown>>
}

type LeafValue<Member extends EnvelopeLeaf> =
  | KindValues[Member["kind"]]
  | (Member["presence"] extends "nullable" ? null : never)

type OptionalMember = EnvelopeLeaf & { readonly presence: "optional" }

type LeafValues<Member extends EnvelopeLeaf> = {
  readonly [M in Exclude<Member, OptionalMember> as M["name"]]: LeafValue<M>
} & { readonly [M in Extract<Member, OptionalMember> as M["name"]]?: LeafValue<M> }

type MemberValue<Member> = Member extends EnvelopeLeaf
  ? LeafValue<Member>
  : Member extends EnvelopeGroup
    ? LeafValues<Member["members"][number]>
    : Member extends EnvelopeList
      ? ReadonlyArray<LeafValues<Member["members"][number]>>
      : never

/** An object with these members. */
export type EnvelopeValue = {
  readonly [Member in (typeof ENVELOPE)[number] as Member["name"]]: MemberValue<Member>
}

/** A value in the text of a content. */
export interface EnvelopePart {
  /** The text before it: the brackets, the comma and the name. */
  readonly before: string
  readonly member: EnvelopeLeaf | EnvelopeList
}

const partsOf = (): { readonly parts: ReadonlyArray<EnvelopePart>; readonly end: string } => {
  const parts: Array<EnvelopePart> = []
  let before = "{"
  for (const member of ENVELOPE) {
    before += `"${member.name}":`
    if (member.kind !== "group") {
      parts.push({ before, member })
      before = ","
      continue
    }
    for (const [index, inner] of member.members.entries()) {
      parts.push({ before: `${index === 0 ? `${before}{` : ","}"${inner.name}":`, member: inner })
    }
    before = "},"
  }
  return { parts, end: `${before.slice(0, -1)}}` }
}

/** The text of a content: its values in order, the text between them, and its end. */
export const { parts: ENVELOPE_PARTS, end: ENVELOPE_END } = partsOf()
