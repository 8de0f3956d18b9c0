/** What a reader can filter by: each field with the conditions of the interface that it stands for. */
import type { ConditionName } from "../../place/Filter.ts"
import type { FacetField } from "../LogSource.ts"

/** The fields, in the order in which they are offered. */
export const FIELD_NAMES = [
  "actor",
  "action",
  "resource",
  "target",
  "session",
  "country",
  "category",
  "tenant"
] as const
export type FieldName = (typeof FIELD_NAMES)[number]

/** A condition, and where its values are suggested from. */
export interface Source {
  readonly name: ConditionName
  /** Under which an answer is kept, if not under the condition. */
  readonly key?: "told"
  readonly facet: FacetField
  /** Whether the values cannot be asked for by how they begin: the page chooses among the most frequent. */
  readonly isChosenHere?: true
}

/** The conditions of each field; the first is what is most often meant. */
export const SOURCES: Readonly<Record<FieldName, ReadonlyArray<Source>>> = {
  actor: [{ name: "actor_id", facet: "actor" }],
  action: [{ name: "action", facet: "action" }],
  resource: [
    { name: "resource", facet: "resource" },
    { name: "resource_id", facet: "resource_id" },
    { name: "resource_name", facet: "resource_name" }
  ],
  target: [
    { name: "target_id", facet: "target" },
    // Of targets, the service knows the beginnings of ids and names.
    { name: "target_type", facet: "target", isChosenHere: true }
  ],
  session: [{ name: "session_id", facet: "session_id" }],
  // Of countries, it knows codes, and people know names.
  country: [{ name: "country", facet: "country", isChosenHere: true }],
  category: [{ name: "category", facet: "category" }],
  tenant: [{ name: "tenant_id", facet: "tenant_id" }]
}

/** The most frequent actions, of which the page knows how sentences tell them. */
const TOLD: Source = { name: "action", key: "told", facet: "action", isChosenHere: true }

/** Where a text without a field may stand, beside the texts that a search looks in. */
const ANYWHERE: ReadonlyArray<Source> = [...SOURCES.actor, ...SOURCES.action, ...SOURCES.resource.slice(0, 2)]

/** What is asked for while a text is typed. */
export const sourcesOf = (field: FieldName | undefined, text: string): ReadonlyArray<Source> => {
  const sources = field !== undefined ? SOURCES[field] : text === "" ? [] : ANYWHERE
  const isOfActions = text !== "" && (field === undefined || field === "action")
  return isOfActions ? [...sources, TOLD] : sources
}

/** Under which an answer is kept. */
export type SourceKey = ConditionName | "told"
export const keyOf = ({ name, key }: Source): SourceKey => key ?? name
