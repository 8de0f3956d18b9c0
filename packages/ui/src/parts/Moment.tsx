/** A time: how long ago, and exactly when it is pointed at. */
import { useLanguage } from "../locale/Messages.ts"
import { millisOf } from "../locale/Moment.ts"
import { usePageClock } from "../locale/PageClock.ts"
import { usePartsTexts } from "./PartsTexts.ts"

/** The time of an ISO 8601 text; "never" where there is none. `exact` shows date and time in full. */
export const Moment = ({
  at,
  now: given,
  exact = false
}: {
  readonly at: string | null
  readonly now?: number
  readonly exact?: boolean
}) => {
  const { moments } = useLanguage()
  const clock = usePageClock()
  const texts = usePartsTexts()
  if (at === null) return <span class="muted">{texts.never}</span>
  const millis = millisOf(at)
  const now = given ?? clock.now()
  return (
    <time dateTime={at} title={exact ? moments.relative(millis, now) : moments.full(millis)}>
      {exact ? moments.absolute(millis) : moments.relative(millis, now)}
    </time>
  )
}
