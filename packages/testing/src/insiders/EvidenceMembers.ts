/**
 * Every line type of an evidence bundle and every member of it, derived from the schemas and the writer of
 * the core: a new type or member is added here automatically.
 *
 * A place in a line is a list of names: `["anchor", "merkle_root"]`. {@link ITEM} stands for any item of a
 * list. The note of a checkpoint is split into its parts, see `NoteParts`.
 */
import { EventContent } from "@cairn/core/event"
import {
  EvidenceAnchor,
  EvidenceCheckpoint,
  EvidenceEnd,
  EvidenceHeader,
  type EvidenceLine,
  EvidencePrefix,
  EvidenceRemoval,
  type EvidenceSource,
  eventLine,
  legacyLine
} from "@cairn/core/evidence"
import type { Schema } from "effect"
import { NOTE_MEMBERS } from "./NoteParts.ts"

/** A type of line. */
export type LineType = EvidenceLine["type"]

/** A place in a line; the empty one is the line itself. */
export type MemberPath = ReadonlyArray<string>

/** Stands for any item of a list in a place. */
export const ITEM = "[]"

/** The members of a content that are Cairn's own and have a meaning for a verifier. */
const METADATA = [
  ["legacy_events"],
  ["legacy_merkle_root"],
  ["below_sequence"],
  ["from_sequence"],
  ["kept"],
  ["kept", ITEM],
  ["sequences"],
  ["sequences", ITEM]
] as const

type Ast = Schema.Top["ast"]

/** The places in what a schema describes, in order. */
const placesIn = (ast: Ast): ReadonlyArray<MemberPath> => {
  switch (ast._tag) {
    case "Objects":
      return ast.propertySignatures.flatMap(({ name, type }) => [
        [String(name)],
        ...placesIn(type).map((inner) => [String(name), ...inner])
      ])
    case "Arrays":
      return [...ast.elements, ...ast.rest].flatMap((item) => [
        [ITEM],
        ...placesIn(item).map((inner) => [ITEM, ...inner])
      ])
    case "Union":
      return ast.types.flatMap(placesIn)
    default:
      return []
  }
}

const under = (name: string, places: ReadonlyArray<MemberPath>): ReadonlyArray<MemberPath> =>
  places.map((place) => [name, ...place])

const contentPlaces: ReadonlyArray<MemberPath> = [
  ...placesIn(EventContent.ast),
  ...METADATA.map((place) => ["metadata", ...place])
]

/** An event without a value, used for the names in its line. */
const nothing: EvidenceSource = {
  sequence: 1,
  id: "",
  createdAt: 0,
  content: null,
  salt: null,
  contentHash: null,
  eventHash: null,
  previousEventHash: null
}

const namesIn = (line: string): ReadonlyArray<MemberPath> =>
  Object.keys(JSON.parse(line) as object).map((name) => [name])

/** The places of each type of line. A type that is missing here does not compile. */
const PLACES: Readonly<Record<LineType, ReadonlyArray<MemberPath>>> = {
  header: placesIn(EvidenceHeader.ast),
  prefix: placesIn(EvidencePrefix.ast),
  legacy: [...namesIn(legacyLine(nothing)), ...under("content", contentPlaces)],
  event: [...namesIn(eventLine(nothing)), ...under("content", contentPlaces)],
  anchor: placesIn(EvidenceAnchor.ast),
  checkpoint: [...placesIn(EvidenceCheckpoint.ast), ...under("note", NOTE_MEMBERS)],
  removal: [
    ...placesIn(EvidenceRemoval.ast),
    ...contentPlaces.map((place) => ["event", "content", ...place])
  ],
  end: placesIn(EvidenceEnd.ast)
}

/** The types of line. */
export const LINE_TYPES = Object.keys(PLACES) as ReadonlyArray<LineType>

/** The places in lines of a type, the line itself first, each once. */
export const membersOf = (type: LineType): ReadonlyArray<MemberPath> => {
  const unique = new Map(PLACES[type].map((place) => [place.join("."), place]))
  return [[], ...unique.values()]
}
