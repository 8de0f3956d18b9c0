/** What has been recorded since the list was read, and the button that shows it. */
import { useLanguage } from "../../locale/Messages.ts"
import { Icon } from "../../theme/Icon.tsx"
import type { LogReader } from "../LogReader.ts"
import { useCalm } from "./Calm.ts"

/** Milliseconds for which those who listen hear nothing more of it. */
const QUIET = 20_000

/** The button that reads the list again; it says how much there is to be seen. */
export const News = ({ reader }: { readonly reader: LogReader }) => {
  const { messages, number } = useLanguage()
  const count = reader.news.value
  // None of a list before this one.
  const told = Math.min(count, useCalm(count, QUIET, "told"))
  return (
    <>
      <button type="button" class={count > 0 ? "news" : "bare"} onClick={() => reader.refresh()}>
        <Icon name="refresh" /> {count > 0 ? messages.live.news(count, number(count)) : messages.refresh}
      </button>
      <span role="status" class="hidden">
        {told > 0 ? messages.live.news(told, number(told)) : ""}
      </span>
    </>
  )
}
