/** What has been recorded since the list was read, and the button that shows it. */
import { useEffect, useState } from "preact/hooks"
import { useLanguage } from "../../locale/Messages.ts"
import { Icon } from "../../theme/Icon.tsx"
import type { LogReader } from "../LogReader.ts"

/** Milliseconds for which those who listen hear nothing more of it. */
const QUIET = 20_000

/** A value that follows another one, at once and then not again for a while. */
const useCalm = (value: number): number => {
  const [calm, setCalm] = useState({ value, since: Number.NEGATIVE_INFINITY })
  useEffect(() => {
    if (value === calm.value) return
    const tell = () => setCalm({ value, since: performance.now() })
    const wait = value === 0 ? 0 : calm.since + QUIET - performance.now()
    const timer = setTimeout(tell, Math.max(0, wait))
    return () => clearTimeout(timer)
  }, [value, calm])
  return calm.value
}

/** The button that reads the list again; it says how much there is to be seen. */
export const News = ({ reader }: { readonly reader: LogReader }) => {
  const { messages, number } = useLanguage()
  const count = reader.news.value
  const told = useCalm(count)
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
