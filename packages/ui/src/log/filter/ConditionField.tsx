/** A field for a condition that is a text. It takes effect after a short pause, or at once with Enter. */
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import type { FilterName } from "../../place/Filter.ts"
import type { LogReader } from "../LogReader.ts"
import { actorIdOf, actorSuggestions } from "./ActorNames.ts"
import { starNote } from "./StarNote.ts"

/** Milliseconds without a keystroke after which a text takes effect. */
const PAUSE = 350

/** Longest condition that the interface takes for an identifier. */
const MAX_LENGTH = 256

/** What has to be said about a text that will not find what was meant; undefined for nothing. */
const useNote = (reader: LogReader, name: FilterName, text: string): string | undefined => {
  const { messages } = useLanguage()
  const note = starNote(name, text)
  if (note !== undefined) return messages.starNotes[note]
  const [applied] = reader.place.value.filter.actor_id ?? []
  const pages = reader.pages.value
  pages.followed()
  return name === "actor_id" &&
    applied !== undefined &&
    pages.complete.value &&
    pages.rows === 0 &&
    !reader.actors.value.has(applied)
    ? messages.unknownActor
    : undefined
}

/** The text of a condition, which may be ahead of the filter. */
const useText = (reader: LogReader, name: FilterName) => {
  const applied = [reader.place.value.filter[name] ?? []].flat().join(" ")
  const [text, setText] = useState(applied)
  const timer = useRef(0)
  // Changes from here do not alter the text: more may have been typed in the meantime, and a space at the end
  // may be followed by another word.
  const own = useRef(applied)
  useEffect(() => {
    if (own.current !== applied) setText(applied)
    own.current = applied
  }, [applied])
  useEffect(() => () => clearTimeout(timer.current), [])
  const apply = (value: string) => {
    clearTimeout(timer.current)
    const trimmed = value.trim()
    own.current = name === "actor_id" ? actorIdOf(reader.actors.value, trimmed) : trimmed
    reader.narrow(name, own.current)
  }
  const type = (value: string) => {
    setText(value)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => apply(value), PAUSE)
  }
  return { text, type, apply }
}

/** The field. */
export const ConditionField = ({
  reader,
  name,
  hint = ""
}: {
  readonly reader: LogReader
  readonly name: FilterName
  readonly hint?: string
}) => {
  const { messages } = useLanguage()
  const id = useId()
  const { text, type, apply } = useText(reader, name)
  const note = useNote(reader, name, text)
  const names = name === "actor_id" ? reader.actors.value : undefined
  const suggestions = useMemo(() => (names === undefined ? [] : actorSuggestions(names)), [names])
  return (
    <div class={`field field-${name}`}>
      <label>
        <span>{messages.conditions[name]}</span>
        <input
          type="search"
          value={text}
          maxLength={MAX_LENGTH}
          placeholder={hint}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          {...(note === undefined ? {} : { "aria-describedby": `${id}-note` })}
          {...(suggestions.length === 0 ? {} : { list: `${id}-list` })}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onKeyDown={({ key, currentTarget }) => key === "Enter" && apply(currentTarget.value)}
        />
      </label>
      {suggestions.length > 0 && (
        <datalist id={`${id}-list`}>
          {suggestions.map(({ value, label }) => (
            <option key={value} value={value} label={label} />
          ))}
        </datalist>
      )}
      <p class="field-note" id={`${id}-note`} role="status">
        {note}
      </p>
    </div>
  )
}
