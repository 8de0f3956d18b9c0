/**
 * What the log says of a receiver that fails: a line when it begins and one when it is over, none for the
 * attempts between. That it fails is stored with the receiver, so no other process and no restart says it
 * again.
 */
import { Micros } from "@cairn/core/encoding"
import { Effect } from "effect"

/** Whom an incident is about. */
export interface Receiver {
  /** As the line begins: `The webhook`. */
  readonly what: string
  readonly id: string
  readonly workspaceId: string
}

/**
 * A reason as the operator may read it, on one line: the part that the workspace sees too, and the part for
 * the operator alone.
 */
export const operatorReason = (reason: string, detail: string | null | undefined): string =>
  (detail === null || detail === undefined ? reason : `${detail} (${reason})`).replace(
    /[\p{Cc}\p{Zl}\p{Zp}]+/gu,
    " "
  )

/** Its first failure after a success, or ever. The reason has no secrets. */
export const tellFailing = ({ what, id, workspaceId }: Receiver, reason: string): Effect.Effect<void> =>
  Effect.logWarning(`${what} ${id} began to fail: ${reason}`).pipe(Effect.annotateLogs({ workspaceId }))

/** Its first success after failures, the first of which was at `since`. */
export const tellRecovered = (
  { what, id, workspaceId }: Receiver,
  since: Micros.Micros,
  at: Micros.Micros
): Effect.Effect<void> =>
  Effect.logInfo(`${what} ${id} works again`).pipe(
    Effect.annotateLogs({ workspaceId, seconds: Math.max(0, Math.ceil((at - since) / Micros.SECOND)) })
  )
