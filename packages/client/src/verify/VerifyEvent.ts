import { platformTools, verifyEvent as verify } from "@cairn/verifier"
import { isRecord } from "../Http.ts"
import type { Event } from "../Types.ts"
import { trustedKeysOf } from "./TrustedKeys.ts"

/** What is to be verified. */
export interface EventClaim {
  /** The event as the interface returned it, as JSON has it: what only a prototype has is not there. */
  readonly event: Event
  /** The id that was asked for. Without it, another event in its place is not noticed. */
  readonly id?: string | undefined
  /** Its proof: what `cairn.events.proof(id)` gives, or an item of `cairn.events.proofs`. */
  readonly proof: unknown
  /** The checkpoint, a signed note: that of the proof, or one that a client keeps. */
  readonly checkpoint: string
}

/** What the reader knows from another source than the service. */
export interface Knowledge {
  /**
   * Verifier keys, a line of text each, such as `cairn.example+530d903a+Aekye…`. One of them must have
   * signed.
   */
  readonly verifierKeys: ReadonlyArray<string>
  /** The origin of the log, which is the first line of its checkpoints. */
  readonly origin?: string | undefined
  readonly workspaceId?: string | undefined
}

/** What was found, for a person. */
export interface Finding {
  readonly message: string
}

/** What was proven of an event. */
export interface EventReport {
  /**
   * `intact`: the event as it is shown stands in the log that the checkpoint signs. `tampered`: something
   * does not hold, see `failed`. `unreadable`: what was given as the proof is none.
   */
  readonly verdict: "intact" | "tampered" | "unreadable"
  /** The hash that follows from the event; null if its proof does not hold. */
  readonly event_hash: string | null
  /** The log and its size at the checkpoint; null if the proof does not hold. */
  readonly checkpoint: { readonly origin: string; readonly size: number } | null
  /** The anchor whose root holds the event; null if there is none. */
  readonly anchor_id: string | null
  readonly failed: ReadonlyArray<Finding & { readonly code: string }>
  readonly proven: ReadonlyArray<Finding>
  readonly not_checked: ReadonlyArray<Finding>
}

/**
 * Verifies one event by its proof, offline: that what is shown is what was hashed, and that its hash stands
 * in a log whose checkpoint one of the keys signed. A few milliseconds.
 *
 * @throws TypeError for a verifier key that is none, or for none at all.
 */
export const verifyEvent = (claim: EventClaim, knowledge: Knowledge): EventReport => {
  const { verifierKeys, origin, workspaceId } = knowledge
  const trustedKeys = trustedKeysOf(verifierKeys)
  const event = plain(claim.event)
  if (event === undefined) return refused("unreadable", "no_event", "What is shown is no event")
  const report = verify(
    platformTools,
    { ...claim, event: event as unknown as Event },
    {
      trustedKeys,
      ...(origin === undefined ? {} : { origin }),
      ...(workspaceId === undefined ? {} : { workspaceId })
    }
  )
  const { id } = claim
  if (id === undefined) {
    const message = "Whether it is the event that was asked for: no id was given"
    return { ...report, not_checked: [...report.not_checked, { message }] }
  }
  if (report.verdict === "unreadable" || event.id === id) return report
  return refused("tampered", "another_event", `The event is ${JSON.stringify(event.id)} and not ${id}`)
}

/** A value as JSON has it, where that is an object. */
const plain = (value: unknown): Readonly<Record<string, unknown>> | undefined => {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(value))
    return isRecord(copy) ? copy : undefined
  } catch {
    return undefined
  }
}

const refused = (verdict: "tampered" | "unreadable", code: string, message: string): EventReport => ({
  verdict,
  event_hash: null,
  checkpoint: null,
  anchor_id: null,
  failed: [{ code, message }],
  proven: [],
  not_checked: []
})
