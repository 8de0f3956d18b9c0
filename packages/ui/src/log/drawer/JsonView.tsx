/**
 * JSON as a reader can take it in: names and values, nested values to be opened, long ones cut until asked
 * for.
 */
import { useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { PlainText } from "../../text/PlainText.tsx"

/** Members shown at first. */
const FIRST = 50
/** Characters of a text shown at first. */
const TEXT_LIMIT = 600
/** Characters of a value shown at first where it stands beside another. */
const SIDE_LIMIT = 200
/** Items of a plain list that stands open wherever it is. */
const SHORT_LIST = 10
/** Levels that stand open. */
const OPEN_DEPTH = 2

const isContainer = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0

/** A value that holds no others. */
const JsonLeaf = ({ value, limit = TEXT_LIMIT }: { readonly value: unknown; readonly limit?: number }) => {
  const { messages, number } = useLanguage()
  const [whole, setWhole] = useState(false)
  if (typeof value !== "string") return <code class="leaf">{JSON.stringify(value)}</code>
  if (value === "") return <code class="leaf">""</code>
  const isCut = value.length > limit && !whole
  return (
    <span class="leaf">
      <PlainText text={value} {...(isCut ? { limit } : {})} />
      {isCut && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {messages.drawer.showAll(number(value.length))}
        </button>
      )}
    </span>
  )
}

const Nested = ({ value, depth }: { readonly value: object; readonly depth: number }) => {
  const { number } = useLanguage()
  const [open, setOpen] = useState(depth < OPEN_DEPTH)
  const count = number(Object.keys(value).length)
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <code>{Array.isArray(value) ? `[ ${count} ]` : `{ ${count} }`}</code>
      </summary>
      {open && <JsonView value={value} depth={depth + 1} />}
    </details>
  )
}

const isPlainList = (value: unknown): value is ReadonlyArray<unknown> =>
  Array.isArray(value) && value.length > 0 && !value.some(isContainer)

/** A list of values that hold no others, an item a line. */
const JsonList = ({ items }: { readonly items: ReadonlyArray<unknown> }) => {
  const { messages, number } = useLanguage()
  const [limit, setLimit] = useState(FIRST)
  const hidden = items.length - limit
  return (
    <>
      <ul class="json-list">
        {items.slice(0, limit).map((item, index) => (
          <li key={index}>
            <JsonLeaf value={item} limit={SIDE_LIMIT} />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <button type="button" class="link" onClick={() => setLimit(limit + 10 * FIRST)}>
          {messages.showMore(number(hidden))}
        </button>
      )}
    </>
  )
}

/** A value that has a name: a list of a few plain values stands open, other containers are to be opened. */
const Member = ({ value, depth }: { readonly value: unknown; readonly depth: number }) => {
  if (!isContainer(value)) return <JsonLeaf value={value} />
  return isPlainList(value) && value.length <= SHORT_LIST ? (
    <JsonList items={value} />
  ) : (
    <Nested value={value} depth={depth} />
  )
}

/** A value and what is in it. */
export const JsonView = ({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }) => {
  const { messages, number } = useLanguage()
  const [limit, setLimit] = useState(FIRST)
  if (!isContainer(value)) return <JsonLeaf value={value} />
  if (isPlainList(value)) return <JsonList items={value} />
  const entries = Object.entries(value)
  const hidden = entries.length - limit
  return (
    <>
      <dl class="json">
        {entries.slice(0, limit).map(([name, member]) => (
          <div key={name}>
            <dt>
              <PlainText text={name} limit={200} />
            </dt>
            <dd>
              <Member value={member} depth={depth} />
            </dd>
          </div>
        ))}
      </dl>
      {hidden > 0 && (
        <button type="button" class="link" onClick={() => setLimit(limit + 10 * FIRST)}>
          {messages.showMore(number(hidden))}
        </button>
      )}
    </>
  )
}

/** A value before or after a change. */
export const JsonValue = ({ value }: { readonly value: unknown }) => {
  const { messages } = useLanguage()
  if (value === undefined) return <em>{messages.absent}</em>
  return isContainer(value) ? (
    <JsonView value={value} depth={OPEN_DEPTH} />
  ) : (
    <JsonLeaf value={value} limit={SIDE_LIMIT} />
  )
}
