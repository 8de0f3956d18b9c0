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
/** Levels that stand open. */
const OPEN_DEPTH = 2

const isContainer = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0

/** A value that holds no others. */
const JsonLeaf = ({ value }: { readonly value: unknown }) => {
  const { messages, number } = useLanguage()
  const [whole, setWhole] = useState(false)
  if (typeof value !== "string") return <code class="leaf">{JSON.stringify(value)}</code>
  if (value === "") return <code class="leaf">""</code>
  const hidden = value.length - TEXT_LIMIT
  return (
    <span class="leaf">
      <PlainText text={value} {...(whole ? {} : { limit: TEXT_LIMIT })} />
      {hidden > 0 && !whole && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {messages.showMore(number(hidden))}
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

/** A value and what is in it. */
export const JsonView = ({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }) => {
  const { messages, number } = useLanguage()
  const [limit, setLimit] = useState(FIRST)
  if (!isContainer(value)) return <JsonLeaf value={value} />
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
              {isContainer(member) ? <Nested value={member} depth={depth} /> : <JsonLeaf value={member} />}
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
  return isContainer(value) ? <JsonView value={value} depth={OPEN_DEPTH} /> : <JsonLeaf value={value} />
}
