/** The mark of an event that the service itself has recorded. */
import type { Event } from "@cairn/core/event"
import { useLanguage } from "../locale/Messages.ts"
import { Icon } from "../theme/Icon.tsx"

/** What such actions begin with: exactly so, which the service accepts from no client. */
const OWN = "cairn."

/** The mark; nothing for an event of anybody else, however its action is spelt. */
export const OwnMark = ({ of: { action } }: { readonly of: Pick<Event, "action"> }) => {
  const { messages } = useLanguage()
  if (!action.startsWith(OWN)) return null
  return (
    <span class="own" title={messages.byCairn}>
      <Icon name="own" />
      <span class="hidden">{messages.byCairn}: </span>
    </span>
  )
}
