/** A sink whose defects are failures: otherwise a stream would stop sending and be shown as healthy. */
import type { LogStreamSinkShape } from "@cairn/core/outbound"
import { Effect } from "effect"
import { sinkFailed } from "./SinkFailure.ts"
import type { Destination } from "./SinkKind.ts"

/** Most characters of what a defect says. */
const MAX_SHOWN = 200

type Secrets = Pick<Destination, "config" | "secrets">

/** What a defect says, without the destination's secrets, on one line. */
const reasonOf = (defect: unknown, { config, secrets }: Secrets): string => {
  const said = defect instanceof Error ? defect.message : String(defect)
  const safe = secrets.reduce((text, name) => {
    const secret = config[name]
    return typeof secret === "string" && secret !== "" ? text.replaceAll(secret, "***") : text
  }, said)
  const line = safe.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").slice(0, MAX_SHOWN)
  return `the destination cannot be sent to, by a mistake of this program: ${line}`
}

/** Opens a sink; a defect while it opens or sends fails each batch with its reason. */
export const openSafely = <R>(
  open: Effect.Effect<LogStreamSinkShape, never, R>,
  destination: Secrets
): Effect.Effect<LogStreamSinkShape, never, R> => {
  const failed = (defect: unknown) => Effect.fail(sinkFailed(reasonOf(defect, destination)))
  return open.pipe(
    Effect.map(
      ({ send, sendCheckpoint }): LogStreamSinkShape => ({
        send: (records) =>
          Effect.catchDefect(
            Effect.suspend(() => send(records)),
            failed
          ),
        ...(sendCheckpoint === undefined
          ? {}
          : {
              sendCheckpoint: (checkpoint) =>
                Effect.catchDefect(
                  Effect.suspend(() => sendCheckpoint(checkpoint)),
                  failed
                )
            })
      })
    ),
    Effect.catchDefect((defect) => Effect.succeed<LogStreamSinkShape>({ send: () => failed(defect) }))
  )
}
