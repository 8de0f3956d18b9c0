/** The values that are asked for while somebody types: after a short pause, and only the newest text's. */
import { useEffect, useState } from "preact/hooks"
import { type Filter, withValues } from "../../place/Filter.ts"
import { selectionParameters } from "../../place/Place.ts"
import type { LogReader } from "../LogReader.ts"
import type { Facets } from "../LogSource.ts"
import type { Entry } from "./Entry.ts"
import { keyOf, type Source, type SourceKey, sourcesOf } from "./Fields.ts"

/** Milliseconds without a keystroke after which values are asked for. */
const PAUSE = 150

/** Longest beginning that the interface takes. */
const MAX_LENGTH = 256

/** What has come. */
interface Answers {
  /** What it was asked for. */
  readonly key: string
  /** One that could not be read is missing. */
  readonly facets: ReadonlyMap<SourceKey, Facets>
  /** Whether nothing more comes. */
  readonly isWhole: boolean
}

const NONE: Answers = { key: "", facets: new Map(), isWhole: false }

/** The filter without what a field already narrows it by: one more of its values is what is looked for. */
const beside = (filter: Filter, { name }: Source): Filter =>
  name === "target_id" || name === "target_type"
    ? withValues(withValues(filter, "target_id", []), "target_type", [])
    : withValues(filter, name, [])

/** Asks for the values of each source; calls `tell` with each answer, and with undefined for none. */
const ask = (
  reader: LogReader,
  { field, text }: Entry,
  signal: AbortSignal,
  tell: (key: SourceKey, facets: Facets | undefined) => void
): void => {
  const { filter, clock } = reader.place.value
  for (const source of sourcesOf(field, text)) {
    const prefix = source.isChosenHere ? "" : text.trim().slice(0, MAX_LENGTH)
    reader.facets(source.facet, prefix, { filter: beside(filter, source), clock }, signal).then(
      (facets) => {
        if (signal.aborted) return
        if (source.facet === "actor")
          reader.learnNames(facets.values.map(({ value, label }) => ({ id: value, name: label })))
        tell(keyOf(source), facets)
      },
      () => signal.aborted || tell(keyOf(source), undefined)
    )
  }
}

/** The values for what is typed, as far as they have come; none while nobody looks. */
export const useFacets = (reader: LogReader, entry: Entry, isLooking: boolean): Answers => {
  const [answers, setAnswers] = useState(NONE)
  const key = JSON.stringify([entry, selectionParameters(reader.place.value)])
  useEffect(() => {
    if (!isLooking) return
    const abort = new AbortController()
    const wanted = sourcesOf(entry.field, entry.text).length
    let told = 0
    let facets: Answers["facets"] = new Map()
    const tell = (of: SourceKey, answer: Facets | undefined) => {
      if (answer !== undefined) facets = new Map([...facets, [of, answer]])
      setAnswers({ key, facets, isWhole: ++told === wanted })
    }
    const timer = setTimeout(() => ask(reader, entry, abort.signal, tell), entry.text === "" ? 0 : PAUSE)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [key, isLooking])
  return answers.key === key ? answers : { ...NONE, isWhole: sourcesOf(entry.field, entry.text).length === 0 }
}
