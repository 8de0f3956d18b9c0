import type { Expected } from "./Matching.ts"
import { RecordingCairn } from "./RecordingCairn.ts"

/** What a matcher of vitest and jest gives. */
interface Verdict {
  readonly pass: boolean
  readonly message: () => string
}

const recorderOf = (received: unknown): RecordingCairn => {
  if (received instanceof RecordingCairn) return received
  throw new TypeError("the matchers of @cairn/client/testing are for a RecordingCairn")
}

/**
 * Matchers for vitest and jest: `expect.extend(cairnMatchers)`, once.
 *
 * @example
 * expect(cairn).toHaveRecorded({ action: "invoice.paid" })
 * expect(cairn).toHaveRecordedTimes(2, { actor_id: "ada" })
 * expect(cairn).not.toHaveRecorded({ action: "invoice.deleted" })
 */
export const cairnMatchers = {
  /** That at least one event is as expected. */
  toHaveRecorded(received: unknown, expected: Expected = {}): Verdict {
    const recorder = recorderOf(received)
    const found = recorder.find(expected)
    return {
      pass: found.length > 0,
      message: () =>
        found.length > 0
          ? `${found.length} events were recorded that should not have been: ${JSON.stringify(found[0])}`
          : recorder.explain(expected)
    }
  },

  /** That exactly so many events are as expected. */
  toHaveRecordedTimes(received: unknown, times: number, expected: Expected = {}): Verdict {
    const recorder = recorderOf(received)
    if (!Number.isSafeInteger(times) || times < 0) throw new TypeError("times must be a whole number")
    const isRight = recorder.find(expected).length === times
    return {
      pass: isRight,
      message: () => (isRight ? `${times} events were recorded` : recorder.explain(expected, times))
    }
  }
}

/**
 * The matchers as methods of `expect`, to be declared by an application's own types. `R` is what they give;
 * `T`, what is expected of, is not looked at.
 */
export interface CairnMatchers<R = void, _T = unknown> {
  readonly toHaveRecorded: (expected?: Expected) => R
  readonly toHaveRecordedTimes: (times: number, expected?: Expected) => R
}
