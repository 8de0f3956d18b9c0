/**
 * Writing the content of an event: the canonical bytes that are hashed and stored, and from which every
 * response is made.
 *
 * It is the JCS (RFC 8785) of the members that {@link ENVELOPE} lists, see docs/HashFormat.md. They are
 * listed there in canonical order, so nothing is sorted.
 */
import { Result } from "effect"
import { canonicalize, canonicalString, canonicalStringOrNull } from "../encoding/CanonicalJson.ts"
import * as Micros from "../encoding/Micros.ts"
import { ENVELOPE_END, ENVELOPE_PARTS, type EnvelopeLeaf, type EnvelopePart, TARGET } from "./Envelope.ts"
import type { EventInput, TargetInput } from "./EventInput.ts"
import type { Place } from "./GeoIp.ts"
import type { ValidEvent } from "./ValidEvent.ts"

/**
 * Canonical content in two parts, with a gap for country and city, which are filled in when the event is
 * sequenced.
 */
export interface ContentParts {
  /** Up to and including the comma before country and city. */
  readonly head: string
  /** From the name of the first member after country and city on. */
  readonly tail: string
}

/** Writes a value. */
type Write = (event: ValidEvent, acceptedAt: Micros.Micros) => string

/** The fields of an event's body that are text. */
type TextField = {
  [Field in keyof EventInput]-?: Exclude<EventInput[Field], null | undefined> extends string ? Field : never
}[keyof EventInput]

const targetText = (target: typeof TargetInput.Type, metadata: string | undefined): string => {
  let text = ""
  for (const { name, kind } of TARGET.members) {
    const value = kind === "object" ? metadata : target[name]
    if (value === undefined || value === null) continue
    text += `${text === "" ? "{" : ","}"${name}":${kind === "object" ? value : canonicalString(value)}`
  }
  return `${text}}`
}

const targetsText: Write = ({ input, targetMetadata }) => {
  const targets = input.targets ?? []
  return `[${targets.map((target, index) => targetText(target, targetMetadata[index])).join(",")}]`
}

/** When it occurred: when it was accepted, unless the body states another time. */
const momentText: Write = ({ input }, acceptedAt) =>
  `"${(input.occurred_at && Micros.normalize(input.occurred_at)) || Micros.format(acceptedAt)}"`

/** A value and the text before it. */
interface Piece {
  readonly before: string
  /** The field that holds it, if the field is text. */
  readonly field: TextField | undefined
  /** Writes any other field. */
  readonly write: Write
}

const writeOf = (kind: EnvelopePart["member"]["kind"]): Write => {
  if (kind === "list") return targetsText
  if (kind === "time") return momentText
  return kind === "object" ? ({ metadata }) => metadata : ({ input }) => String(input.version ?? null)
}

const pieceOf = ({ before, member }: EnvelopePart): Piece => ({
  before,
  field: member.kind === "text" ? (member.input as TextField) : undefined,
  write: writeOf(member.kind)
})

/** The same, where the text before already ends with the comma. */
const afterComma = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> =>
  pieces.map((piece, index) => (index === 0 ? { ...piece, before: piece.before.slice(1) } : piece))

const isOfPlace = ({ member }: EnvelopePart): boolean => "place" in member

const PLACE = ENVELOPE_PARTS.findIndex(isOfPlace)
const BEHIND_PLACE = ENVELOPE_PARTS.findLastIndex(isOfPlace) + 1
const HEAD = ENVELOPE_PARTS.slice(0, PLACE).map(pieceOf)
const TAIL = afterComma(ENVELOPE_PARTS.slice(BEHIND_PLACE).map(pieceOf))
const PLACE_MEMBERS = ENVELOPE_PARTS.slice(PLACE, BEHIND_PLACE).map(({ before, member }, index) => ({
  before: index === 0 ? before.slice(1) : before,
  field: (member as EnvelopeLeaf).place ?? "city"
}))

const written = (pieces: ReadonlyArray<Piece>, event: ValidEvent, acceptedAt: Micros.Micros): string => {
  let text = ""
  for (const { before, field, write } of pieces) {
    text +=
      before + (field === undefined ? write(event, acceptedAt) : canonicalStringOrNull(event.input[field]))
  }
  return text
}

/**
 * The content of a valid event accepted at `acceptedAt`, which is also when it occurred unless the event
 * states another time.
 */
export const contentParts = (event: ValidEvent, acceptedAt: Micros.Micros): ContentParts => ({
  head: `${written(HEAD, event, acceptedAt)},`,
  tail: written(TAIL, event, acceptedAt) + ENVELOPE_END
})

/** The whole content, once country and city are known. */
export const contentText = ({ head, tail }: ContentParts, place: Place): string => {
  let text = head
  for (const { before, field } of PLACE_MEMBERS) text += before + canonicalStringOrNull(place[field])
  return `${text},${tail}`
}

/**
 * The content of an event that the service writes by itself: the service is the actor, and there is no
 * resource.
 */
export const systemContent = (
  action: string,
  metadata: Readonly<Record<string, unknown>>,
  at: Micros.Micros
): ContentParts =>
  contentParts(
    {
      input: { actor_id: "cairn", actor_type: "system", action, action_category: "cairn" },
      metadata: Result.getOrThrow(canonicalize(metadata)),
      targetMetadata: []
    },
    at
  )
