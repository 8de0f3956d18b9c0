/** What an event changed, a field a row. */
import { useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { PlainText } from "../../text/PlainText.tsx"
import { JsonValue } from "./JsonView.tsx"
import type { readMetadata } from "./MetadataChanges.ts"

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
          {changes.slice(0, limit).map(({ field, before, after }, index) => (
            <tr key={`${index} ${field}`}>
              <th scope="row">
                <PlainText text={field} limit={200} />
              </th>
              <td class="before" data-label={messages.before}>
                <JsonValue value={before} />
              </td>
              <td class="after" data-label={messages.after}>
                <JsonValue value={after} />
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
