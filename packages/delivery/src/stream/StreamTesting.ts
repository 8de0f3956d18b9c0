/** Tests where a log stream sends to, by hand: apart from its turns, its position and its health. */
import { Micros } from "@cairn/core/encoding"
import { type DeliveryAttempt, type StoredLogStream, streamTest } from "@cairn/core/outbound"
import { Effect, Result } from "effect"
import { startTimer } from "../outbound/Elapsed.ts"
import { sinkFailed } from "../sinks/SinkFailure.ts"
import { type OpeningContext, openSink } from "./OpenStream.ts"

/** Most milliseconds of a test: somebody waits for it. */
const TEST_TIMEOUT = 15_000

/** A test, and whether the destination has accepted it. */
export interface StreamTested {
  readonly accepted: boolean
  readonly attempt: DeliveryAttempt
}

/** Text that any store can hold. */
const storable = (text: string): string => text.replaceAll("\0", "\ufffd").toWellFormed()

/** Sends a record to a stream's destination over a connection of its own; `id` is the test's. */
export const testStream = Effect.fnUntraced(function* (
  context: OpeningContext,
  stream: StoredLogStream,
  test: { readonly id: string; readonly at: Micros.Micros }
) {
  const started_at = yield* Micros.now
  const elapsed = yield* startTimer
  const timeout = Math.min(context.timeout, TEST_TIMEOUT)
  const sent = yield* Effect.scoped(
    Effect.gen(function* () {
      const { sink } = yield* openSink({ ...context, timeout }, stream)
      const sending = sink.sendTest(streamTest(stream.settings, stream.workspace_id, test))
      return yield* Effect.result(
        Effect.timeoutOrElse(sending, {
          duration: timeout,
          orElse: () => Effect.fail(sinkFailed(`not accepted within ${timeout} ms`))
        })
      )
    })
  )
  const made = { started_at, duration: Math.round(yield* elapsed), status: null, answer: "", error: null }
  const tested: StreamTested = Result.match(sent, {
    onSuccess: ({ accepted, status, text }) => ({
      accepted,
      attempt: { ...made, status, answer: storable(text) }
    }),
    onFailure: ({ reason }) => ({ accepted: false, attempt: { ...made, error: storable(reason) } })
  })
  return tested
})
