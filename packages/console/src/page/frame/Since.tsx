/** Since when something has been going on. */
import { millisOf, useLanguage } from "@cairn/ui/locale"

/** A range that is shown with day and time, in milliseconds. */
const DAYS = 7 * 86_400_000

/** The time of an ISO 8601 text, as `say` puts it; in full when it is pointed at. */
export const Since = ({ at, say }: { readonly at: string; readonly say: (time: string) => string }) => {
  const { moments } = useLanguage()
  const millis = millisOf(at)
  return (
    <time class="since" dateTime={at} title={moments.full(millis)}>
      {say(moments.tick(millis, DAYS))}
    </time>
  )
}
