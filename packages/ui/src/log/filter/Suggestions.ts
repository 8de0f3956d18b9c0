/** What is suggested while somebody types: values with their counts, patterns of actions, the search. */
import { countryName, flagOf } from "../../locale/Country.ts"
import type { ConditionName, Filter } from "../../place/Filter.ts"
import type { Facets } from "../LogSource.ts"
import { type Entry, termsOf } from "./Entry.ts"
import type { FieldName, Source, SourceKey } from "./Fields.ts"
import { SOURCES, sourcesOf } from "./Fields.ts"
import { isPattern } from "./StarNote.ts"

/** What a suggestion does once it is chosen. */
export type Choice =
  | { readonly kind: "field"; readonly field: FieldName }
  | { readonly kind: "search"; readonly words: ReadonlyArray<string> }
  | { readonly kind: "values"; readonly name: ConditionName; readonly values: ReadonlyArray<string> }

/** How a suggestion came to be: it decides on the words around its text. */
export type Origin = "field" | "search" | "value" | "below" | "ending" | "typed"

/** One line of the list. */
export interface Suggestion {
  readonly key: string
  readonly origin: Origin
  readonly text: string
  /** What tells it from others of the same text. */
  readonly detail: string
  /** How often the value stands in the events that were counted; undefined where that is not known. */
  readonly count: number | undefined
  readonly choice: Choice
}

/** Suggestions of one condition; what is no value of one has none. */
export interface SuggestionGroup {
  readonly name: ConditionName | undefined
  readonly suggestions: ReadonlyArray<Suggestion>
}

/** What suggestions are made of. */
export interface Asked {
  readonly entry: Entry
  readonly filter: Filter
  /** The fields that there are. */
  readonly fields: ReadonlyArray<FieldName>
  /** Answers that have come. */
  readonly facets: ReadonlyMap<SourceKey, Facets>
  /** What sentences say was done by an action; empty if not known. */
  readonly deedOf: (action: string) => string
  readonly locale: string
}

/** Suggestions of a condition where several conditions are suggested at once. */
const FEW = 5

/** Suggestions of a condition where it is the only one. */
const MANY = 20

const COUNTRIES = Array.from({ length: 26 * 26 }, (_, index) =>
  String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26))
)

/** Whether a text, or a word of it, begins with another, in any letter case. */
const beginsWith = (text: string, beginning: string): boolean => {
  const [whole, wanted] = [text.toLowerCase(), beginning.toLowerCase()]
  return whole.startsWith(wanted) || whole.split(/[\s.,;:/_-]+/u).some((word) => word.startsWith(wanted))
}

const suggestionOf = (
  name: ConditionName,
  origin: Origin,
  text: string,
  values: ReadonlyArray<string>,
  { detail = "", count }: { readonly detail?: string; readonly count?: number } = {}
): Suggestion => ({
  key: `${name} ${values.join(" ")}`,
  origin,
  text,
  detail,
  count,
  choice: { kind: "values", name, values }
})

/** The types of things among values, each with the count of all its things. */
const typesOf = ({ values }: Facets): Facets["values"] => {
  const counts = new Map<string, number>()
  for (const { type, count } of values) if (type !== null) counts.set(type, (counts.get(type) ?? 0) + count)
  return Array.from(counts, ([value, count]) => ({ value, label: null, type: null, count }))
}

/** Countries: those of the events, then all others of which the name is typed. */
const countries = ({ entry, locale }: Asked, { values }: Facets): ReadonlyArray<Suggestion> => {
  const isMeant = (code: string) => beginsWith(countryName(code, locale), entry.text) || code === entry.text
  const known = new Map(values.map(({ value, count }) => [value, count]))
  const others = COUNTRIES.filter((code) => !known.has(code) && countryName(code, locale) !== code)
  const all = [...known.keys(), ...(entry.text === "" ? [] : others)]
  return all.filter(isMeant).map((code) => {
    const count = known.get(code)
    return suggestionOf("country", "value", `${flagOf(code)} ${countryName(code, locale)}`, [code], {
      detail: code,
      ...(count === undefined ? {} : { count })
    })
  })
}

const suggestionOfValue = (
  { deedOf }: Asked,
  name: ConditionName,
  { value, label, type, count }: Facets["values"][number]
): Suggestion => {
  const details = [
    type,
    label === null || label === value ? null : value,
    name === "action" ? deedOf(value) : null
  ]
  return suggestionOf(name, "value", label ?? value, [value], {
    detail: details.filter(Boolean).join(" · "),
    count
  })
}

/** The values that were counted. */
const counted = (asked: Asked, { name }: Source): ReadonlyArray<Suggestion> => {
  const facets = asked.facets.get(name)
  if (facets === undefined) return []
  if (name === "country") return countries(asked, facets)
  const isTypes = name === "target_type"
  const values = isTypes
    ? typesOf(facets).filter(({ value }) => beginsWith(value, asked.entry.text))
    : facets.values
  return values.map((value) => suggestionOfValue(asked, name, value))
}

/** Of the most frequent actions those whose sentences have the words. */
const toldSo = (asked: Asked): ReadonlyArray<Suggestion> => {
  const words = asked.entry.text.split(/\s+/u).filter((word) => word !== "")
  const values = asked.facets.get("told")?.values ?? []
  return values
    .filter(({ value }) => words.every((word) => beginsWith(asked.deedOf(value), word)))
    .map((value) => suggestionOfValue(asked, "action", value))
}

const belowOf = (word: string): Suggestion =>
  suggestionOf("action", "below", `${word}.*`, [word, `${word}.*`])

/** What actions have in common that begin with a text: several with `docu` may have `document`. */
const stems = (text: string, { values }: Facets): ReadonlyArray<string> => {
  const known = values.flatMap(({ value }) => {
    const dot = value.startsWith(text) ? value.indexOf(".", text.length) : -1
    return dot < 0 ? [] : [value.slice(0, dot)]
  })
  const isCommon = (stem: string) => stem === text || known.filter((other) => other === stem).length > 1
  return Array.from(new Set(known.filter(isCommon))).slice(0, FEW)
}

/**
 * Actions of which a text is the pattern, or a part: those that are known to begin with it come before what
 * was counted, and what it may be besides comes after.
 */
const patterns = ({ entry: { field, text }, facets }: Asked) => {
  const word = text.trim().replace(/\.$/u, "")
  const known = facets.get("action")
  if (isPattern(word)) return { before: [suggestionOf("action", "typed", word, [word])], after: [] }
  if (word === "" || /[\s*]/u.test(word)) return { before: [], after: [] }
  const begun = known === undefined ? [] : stems(word, known)
  // A whole action is rarely the beginning of others, or their end.
  const isWhole = known?.values.some(({ value }) => value === word)
  const ending = suggestionOf("action", "ending", `*.${word}`, [`*.${word}`])
  return {
    before: begun.map(belowOf),
    after:
      field === undefined || isWhole
        ? []
        : [ending, ...(begun.includes(word) ? [] : [belowOf(word)])].slice(word.includes(".") ? 1 : 0)
  }
}

/** The group of a condition; of what is set already nothing is suggested. */
const groupOf = (asked: Asked, source: Source, most: number): SuggestionGroup => {
  const { name } = source
  const set = asked.filter[name] ?? []
  const { before, after } = name === "action" ? patterns(asked) : { before: [], after: [] }
  const isNew = ({ choice }: Suggestion) =>
    choice.kind !== "values" || choice.values.some((value) => !set.includes(value))
  const values = [...before, ...counted(asked, source)].filter(isNew).slice(0, most)
  const suggestions = [...values, ...after.filter(isNew)]
  const known = new Set(suggestions.map(({ key }) => key))
  const told = name === "action" ? toldSo(asked).filter(isNew) : []
  return { name, suggestions: [...suggestions, ...told.filter(({ key }) => !known.has(key)).slice(0, FEW)] }
}

/** The text itself as a value, for what is not among the values that were counted. */
const asTyped = ({ entry, filter }: Asked, groups: ReadonlyArray<SuggestionGroup>): SuggestionGroup => {
  const text = entry.text.trim()
  const sources = entry.field === undefined || text === "" ? [] : SOURCES[entry.field]
  const typed = sources
    .filter(({ name }) => name !== "country" && !filter[name]?.includes(text))
    .map(({ name }) => suggestionOf(name, "typed", text, [text]))
  const known = new Set(groups.flatMap(({ suggestions }) => suggestions.map(({ key }) => key)))
  return { name: undefined, suggestions: typed.filter(({ key }) => !known.has(key)) }
}

const offered = (fields: ReadonlyArray<FieldName>): SuggestionGroup => ({
  name: undefined,
  suggestions: fields.map((field) => ({
    key: field,
    origin: "field",
    text: field,
    detail: "",
    count: undefined,
    choice: { kind: "field", field }
  }))
})

/**
 * The answer of those with values that counts the fewest events, and whether all of them are whole; undefined
 * where there is none.
 */
export const leastCounted = (
  facets: ReadonlyMap<SourceKey, Facets>
): Pick<Facets, "events" | "complete"> | undefined => {
  const shown = Array.from(facets.values()).filter(({ values }) => values.length > 0)
  if (shown.length === 0) return undefined
  return {
    events: Math.min(...shown.map(({ events }) => events)),
    complete: shown.every(({ complete }) => complete)
  }
}

/** What is suggested, in groups of which none is empty. */
export const suggestionsFor = (asked: Asked): ReadonlyArray<SuggestionGroup> => {
  const { field, text } = asked.entry
  const words = field === undefined ? termsOf(text) : []
  const search: Suggestion = {
    key: "search",
    origin: "search",
    text: words.join(" · "),
    detail: "",
    count: undefined,
    choice: { kind: "search", words }
  }
  const sources = sourcesOf(field, text).filter(({ key }) => key === undefined)
  const values = sources.map((source) => groupOf(asked, source, sources.length === 1 ? MANY : FEW))
  return [
    ...(words.length > 0 ? [{ name: undefined, suggestions: [search] }] : []),
    ...values,
    asTyped(asked, values),
    ...(field === undefined && text.trim() === "" ? [offered(asked.fields)] : [])
  ].filter(({ suggestions }) => suggestions.length > 0)
}

/** What Enter chooses where nothing else is pointed at: what is exactly what was typed, or else the first. */
export const foremost = (
  groups: ReadonlyArray<SuggestionGroup>,
  { field, text }: Entry
): string | undefined => {
  const all = groups.flatMap(({ suggestions }) => suggestions)
  const wanted = text.trim().toLowerCase()
  const exact = (suggestion: Suggestion) =>
    suggestion.origin === "value" &&
    [suggestion.text, suggestion.detail].some((shown) => shown.toLowerCase() === wanted)
  if (wanted === "") return undefined
  return ((field === undefined ? undefined : all.find(exact)) ?? all[0])?.key
}
