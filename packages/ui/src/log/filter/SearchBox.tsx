/** The box of the bar: what is searched for, and what the list is narrowed to, with suggestions. */
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { MOST_VALUES, type ValuesName, withMore } from "../../place/Filter.ts"
import { Icon } from "../../theme/Icon.tsx"
import type { LogReader } from "../LogReader.ts"
import { deedOf } from "../sentence/Sentence.ts"
import { type Entry, entryOf, NOTHING } from "./Entry.ts"
import { FIELD_NAMES } from "./Fields.ts"
import { starNote } from "./StarNote.ts"
import { SuggestionList } from "./SuggestionList.tsx"
import { foremost, leastCounted, type Suggestion, suggestionsFor } from "./Suggestions.ts"
import { useFacets } from "./useFacets.ts"

/** Longest text that the interface takes for a condition. */
const MAX_LENGTH = 256

/** Hears which text a value was chosen by. */
type Learn = (name: ValuesName, value: string, text: string) => void

/** What is typed, what is suggested for it, and what is pointed at. */
const useBox = (reader: LogReader, learn: Learn) => {
  const { messages, locale } = useLanguage()
  const [entry, setEntry] = useState(NOTHING)
  const [isOpen, setOpen] = useState(false)
  const [pointed, point] = useState<string | undefined>(undefined)
  const [isFull, setFull] = useState(false)
  /** Whether Enter was pressed before the suggestions for the text had come. */
  const [isWaiting, setWaiting] = useState(false)
  const { facets, isWhole } = useFacets(reader, entry, isOpen)
  const { filter } = reader.place.value
  const fields = FIELD_NAMES.filter((name) => reader.acrossTenants || name !== "tenant")
  const groups = suggestionsFor({
    entry,
    filter,
    fields,
    facets,
    locale,
    deedOf: (action) => deedOf(action, messages.sentence)
  })
  const all = groups.flatMap(({ suggestions }) => suggestions)
  const active = all.some(({ key }) => key === pointed) ? pointed : foremost(groups, entry)

  const type = (next: Entry) => {
    setEntry(next)
    setOpen(true)
    point(undefined)
    setFull(false)
    setWaiting(false)
  }
  const close = () => {
    setOpen(false)
    point(undefined)
    setWaiting(false)
  }
  const choose = ({ choice, text }: Suggestion) => {
    if (choice.kind === "field") return type({ field: choice.field, text: "" })
    const [name, values] =
      choice.kind === "search" ? (["search", choice.words] as const) : [choice.name, choice.values]
    if (new Set([...(filter[name] ?? []), ...values]).size > MOST_VALUES) return setFull(true)
    for (const value of values) learn(name, value, text)
    reader.filterBy(withMore(filter, name, values))
    setEntry(NOTHING)
    close()
  }
  const enter = () => {
    const chosen = all.find(({ key }) => key === active)
    // Of a field, the value that is meant may be on its way.
    if (entry.field !== undefined && pointed === undefined && !isWhole) setWaiting(true)
    else if (chosen !== undefined) choose(chosen)
  }
  useEffect(() => {
    if (isWaiting && isWhole) enter()
  }, [isWaiting, isWhole])
  /** Points at the next suggestion, or the one before, around the ends. */
  const step = (by: number) => {
    setOpen(true)
    const at = all.findIndex(({ key }) => key === active)
    const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length
    point(all[next]?.key)
  }
  const typeText = (text: string) =>
    type(entry.field === undefined ? entryOf(text, fields, messages.filter.fields) : { ...entry, text })
  return {
    entry,
    type,
    typeText,
    isOpen,
    setOpen,
    close,
    groups,
    all,
    active,
    facets,
    isWhole,
    isFull,
    choose,
    enter,
    step
  }
}

/** What a key does in the box; undefined for one that does nothing of its own. */
const actOf = (
  box: ReturnType<typeof useBox>,
  { key, isComposing }: KeyboardEvent
): (() => void) | undefined => {
  // What an input method composes is none of the box's keys.
  if (isComposing) return undefined
  const { field, text } = box.entry
  if (key === "Backspace") return field !== undefined && text === "" ? () => box.type(NOTHING) : undefined
  const acts: Readonly<Record<string, () => void>> = {
    ArrowDown: () => box.step(1),
    ArrowUp: () => box.step(-1),
    Enter: () => box.enter(),
    Escape: () => {
      if (!box.isOpen) box.type(NOTHING)
      box.close()
    }
  }
  return Object.hasOwn(acts, key) ? acts[key] : undefined
}

/** What stands below the suggestions: of how many events they are, and what a text will not find. */
const Foot = ({ box }: { readonly box: ReturnType<typeof useBox> }) => {
  const { messages, number } = useLanguage()
  const { filter } = messages
  const { entry, facets, isFull } = box
  const counted = leastCounted(facets)
  const note = starNote(entry.field, entry.text)
  return (
    <>
      {note !== undefined && <p class="suggestion-note">{filter.starNotes[note]}</p>}
      {isFull && <p class="suggestion-note">{filter.full(number(MOST_VALUES))}</p>}
      {counted !== undefined && box.all.some(({ count }) => count !== undefined) && (
        <p class="suggestion-note muted">{filter.counted(number(counted.events), counted.complete)}</p>
      )}
    </>
  )
}

/** The box. */
export const SearchBox = ({ reader, learn }: { readonly reader: LogReader; readonly learn: Learn }) => {
  const { messages, number } = useLanguage()
  const { filter } = messages
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  const box = useBox(reader, learn)
  const { entry, isOpen, groups, all, active } = box
  const place = all.findIndex(({ key }) => key === active)
  const hasList = isOpen && all.length > 0
  useEffect(() => {
    popup.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" })
  }, [active])
  const onKeyDown = (event: KeyboardEvent) => {
    const act = actOf(box, event)
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  return (
    <div
      class="search-box"
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) box.close()
      }}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: what lies beside the text belongs to the text's own box. */}
      <div class="search-line" onClick={() => input.current?.focus()}>
        <Icon name="search" />
        {entry.field !== undefined && (
          <span class="search-field" id={`${id}-field`}>
            {filter.fields[entry.field]}:
          </span>
        )}
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label={filter.label}
          aria-expanded={hasList}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          {...(hasList ? { "aria-controls": `${id}-list` } : {})}
          {...(hasList && place >= 0 ? { "aria-activedescendant": `${id}-list-${place}` } : {})}
          {...(entry.field === undefined ? {} : { "aria-describedby": `${id}-field` })}
          value={entry.text}
          maxLength={MAX_LENGTH}
          placeholder={entry.field === undefined ? filter.placeholder : filter.hints[entry.field]}
          autocomplete="off"
          autocapitalize="off"
          enterKeyHint="search"
          spellcheck={false}
          onInput={({ currentTarget }) => box.typeText(currentTarget.value)}
          onClick={() => box.setOpen(true)}
          onKeyDown={onKeyDown}
        />
      </div>
      {isOpen && (
        // The focus stays where the text is.
        <div class="suggestions" ref={popup} onPointerDown={(event) => event.preventDefault()}>
          {hasList && (
            <SuggestionList id={`${id}-list`} groups={groups} active={active} choose={box.choose} />
          )}
          {!hasList && box.isWhole && <p class="suggestion-note muted">{filter.none}</p>}
          <Foot box={box} />
        </div>
      )}
      <p class="hidden" role="status">
        {isOpen && box.isWhole ? filter.found(all.length, number(all.length)) : ""}
      </p>
    </div>
  )
}
