/** From one event to all of the same actor, action, resource or session. */
import type { Event } from "@cairn/core/event"
import { useLanguage } from "../../locale/Messages.ts"
import type { LogReader } from "../LogReader.ts"
import { type Likeness, onlyLike } from "./Likeness.ts"

const LIKENESSES: ReadonlyArray<Likeness> = ["actor", "action", "resource", "session"]

/** A button for each. */
export const OnlyThis = ({ reader, event }: { readonly reader: LogReader; readonly event: Event }) => {
  const { filter: texts } = useLanguage().messages
  const { filter } = reader.place.value
  return (
    <p class="only-this">
      {LIKENESSES.map((likeness) => {
        const narrowed = onlyLike(filter, event, likeness)
        return (
          narrowed !== undefined && (
            <button key={likeness} type="button" onClick={() => reader.filterBy(narrowed)}>
              {texts.only[likeness]}
            </button>
          )
        )
      })}
    </p>
  )
}
