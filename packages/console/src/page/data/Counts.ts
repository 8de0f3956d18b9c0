/** Counts of events one after the other: the service runs few of a workspace at a time. */
import type { SessionCalls } from "@cairn/client/session"

/** The same calls, of which a count begins when the one before has ended. */
export const countingInTurn = (calls: SessionCalls): SessionCalls => {
  const { count } = calls.events
  let before: Promise<unknown> = Promise.resolve()
  return {
    ...calls,
    events: {
      ...calls.events,
      count: (...given) => {
        const begin = () => count(...given)
        const counted = before.then(begin, begin)
        before = counted
        return counted
      }
    }
  }
}
