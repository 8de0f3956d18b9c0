/** The list of suggestions below the box. */
import { useLanguage } from "../../locale/Messages.ts"
import { PlainText } from "../../text/PlainText.tsx"
import { Icon } from "../../theme/Icon.tsx"
import type { Suggestion, SuggestionGroup } from "./Suggestions.ts"

/** What a suggestion says, without its count. */
const Line = ({ of: { origin, text, detail, choice } }: { readonly of: Suggestion }) => {
  const { filter, conditions } = useLanguage().messages
  const shown = <PlainText text={text} limit={120} />
  switch (origin) {
    case "field":
      return choice.kind === "field" ? (
        <span>
          {filter.fields[choice.field]} <span class="muted">{filter.hints[choice.field]}</span>
        </span>
      ) : null
    case "search":
      return (
        <span>
          <Icon name="search" /> {filter.searchFor} <strong>{shown}</strong>
        </span>
      )
    case "typed":
      return (
        <span>
          {choice.kind === "values" && conditions[choice.name]}: <strong>{shown}</strong>{" "}
          {choice.kind === "values" && choice.name.endsWith("_id") && (
            <span class="muted">{filter.byId}</span>
          )}
        </span>
      )
    default:
      return (
        <span>
          {shown}{" "}
          <span class="muted">
            {origin === "below" ? (
              filter.below
            ) : origin === "ending" ? (
              filter.ending
            ) : (
              <PlainText text={detail} limit={120} />
            )}
          </span>
        </span>
      )
  }
}

/** The list; the focus stays in the box. Each option's id is that of the list with its number. */
export const SuggestionList = ({
  id,
  groups,
  active,
  choose
}: {
  readonly id: string
  readonly groups: ReadonlyArray<SuggestionGroup>
  readonly active: string | undefined
  readonly choose: (suggestion: Suggestion) => void
}) => {
  const { messages, number } = useLanguage()
  let index = 0
  return (
    <div role="listbox" id={id} aria-label={messages.filter.suggestions}>
      {groups.map(({ name, suggestions }) => (
        <div
          key={name ?? suggestions[0]?.key}
          role="group"
          {...(name === undefined ? {} : { "aria-label": messages.conditions[name] })}
        >
          {name !== undefined && (
            <p class="suggestion-title" aria-hidden="true">
              {messages.conditions[name]}
            </p>
          )}
          {suggestions.map((suggestion) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the box that has the focus has the keys.
            <div
              key={suggestion.key}
              id={`${id}-${index++}`}
              class="suggestion"
              role="option"
              tabIndex={-1}
              aria-selected={suggestion.key === active}
              onClick={() => choose(suggestion)}
            >
              <Line of={suggestion} />
              {suggestion.count !== undefined && <span class="count">{number(suggestion.count)}</span>}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}
