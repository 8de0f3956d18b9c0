/** A sink whose defects are failures: otherwise a stream would stop sending and be shown as healthy. */
import type { LogStreamSinkShape, SinkFailed } from "@cairn/core/outbound"
import { Effect } from "effect"
import { sinkFailed } from "./SinkFailure.ts"
import type { Destination } from "./SinkKind.ts"
import { withoutSecrets } from "./Unsaid.ts"

/** Most characters of what a defect says. */
const MAX_SHOWN = 200

type Secrets = Pick<Destination, "config" | "secrets">

/** What a defect says, without the destination's secrets, on one line. */
const reasonOf = (defect: unknown, { config, secrets }: Secrets): string => {
  const said = defect instanceof Error ? defect.message : String(defect)
  const values = secrets.map((name) => config[name])
  const safe = withoutSecrets(
    said,
    values.filter((value) => typeof value === "string"),
    false
  )
  const line = safe.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").slice(0, MAX_SHOWN)
  return `the destination cannot be sent to, by a mistake of this program: ${line}`
}

/** Opens a sink; a defect while it opens or sends fails each batch with its reason. */
export const openSafely = <R>(
  open: Effect.Effect<LogStreamSinkShape, never, R>,
  destination: Secrets
): Effect.Effect<LogStreamSinkShape, never, R> => {
  const failed = (defect: unknown) => Effect.fail(sinkFailed(reasonOf(defect, destination)))
  const safely =
    <A, B>(send: (given: A) => Effect.Effect<B, SinkFailed>) =>
    (given: A) =>
      Effect.catchDefect(
        Effect.suspend(() => send(given)),
        failed
      )
  return open.pipe(
    Effect.map(
      ({ send, sendCheckpoint, sendTest }): LogStreamSinkShape => ({
        send: safely(send),
        ...(sendCheckpoint === undefined ? {} : { sendCheckpoint: safely(sendCheckpoint) }),
        sendTest: safely(sendTest)
      })
    ),
    Effect.catchDefect((defect) => Effect.succeed(failingSink(failed(defect))))
  )
}

/** A sink that fails whatever it is asked for. */
export const failingSink = (failure: Effect.Effect<never, SinkFailed>): LogStreamSinkShape => ({
  send: () => failure,
  sendTest: () => failure
})
