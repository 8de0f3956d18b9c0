/** What an event changed, a field a row. */
import { useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { PlainText } from "../../text/PlainText.tsx"
import { JsonValue } from "./JsonView.tsx"
import { type Change, kindOfChange, type readMetadata } from "./MetadataChanges.ts"

const SIGNS = { added: "+", removed: "−", changed: "~" } as const

/** A field by its path: what it is within is above it, and smaller. */
const FieldPath = ({ field }: { readonly field: string }) => {
  const names = field.split(".")
  const within = names.slice(0, -1).join(" › ")
  // A name that holds dots itself would be torn to pieces.
  const isPath = names.length > 1 && names.every((name) => name !== "")
  if (!isPath) return <PlainText text={field} limit={200} />
  return (
    <>
      <span class="within">
        <PlainText text={within} limit={200} /> ›{" "}
      </span>
      <span class="leaf-name">
        <PlainText text={names.at(-1) ?? ""} limit={200} />
      </span>
    </>
  )
}

/** What became of a field, as a sign and a word. */
const ChangeMark = ({ change }: { readonly change: Change }) => {
  const { drawer } = useLanguage().messages
  const kind = kindOfChange(change)
  return (
    <span class="change" data-change={kind}>
      <span aria-hidden="true">{SIGNS[kind]} </span>
      {drawer[kind]}
    </span>
  )
}

/** The table. */
export const ChangesTable = ({
  changes
}: {
  readonly changes: ReturnType<typeof readMetadata>["changes"]
}) => {
  const { messages, number } = useLanguage()
  const [limit, setLimit] = useState(100)
  return (
    <section>
      <h3>{messages.changes}</h3>
      <table class="changes">
        <thead>
          <tr>
            <th scope="col">{messages.field}</th>
            <th scope="col">{messages.before}</th>
            <th scope="col">{messages.after}</th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, limit).map((change, index) => (
            <tr key={`${index} ${change.field}`}>
              <th scope="row">
                <FieldPath field={change.field} /> <ChangeMark change={change} />
              </th>
              <td class="before" data-label={messages.before}>
                <JsonValue value={change.before} />
              </td>
              <td class="after" data-label={messages.after}>
                <JsonValue value={change.after} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.length > limit && (
        <button type="button" class="link" onClick={() => setLimit(changes.length)}>
          {messages.showMore(number(changes.length - limit))}
        </button>
      )}
    </section>
  )
}
