/**
 * A recorder in the place of a client, for the unit tests of an application that sends events.
 *
 * @packageDocumentation
 */

export { type CairnMatchers, cairnMatchers } from "./Matchers.ts"
export type { Expected } from "./Matching.ts"
export {
  type RecordedEvent,
  RecordingAssertionError,
  RecordingCairn,
  type RecordingOptions
} from "./RecordingCairn.ts"
