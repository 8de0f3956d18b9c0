/**
 * Verification of one event by its proof: that what is shown is what was hashed, and that its hash stands in
 * a log whose checkpoint a trusted key signed. It needs no other event, and takes a few milliseconds in a
 * browser, most of them for the signature.
 */

import { canonicalize, Micros } from "@cairn/core/encoding"
import { type Event, parseContent, toEvent } from "@cairn/core/event"
import type { Sha256Shape } from "@cairn/core/hashing"
import type { Checkpoint, VerifierKey } from "@cairn/core/note"
import { type EventProofError, ProvenEvent, verifyProvenEvent } from "@cairn/core/proof"
import { Result, Schema } from "effect"
import { readCheckpoint } from "../checkpoint/CheckpointCheck.ts"
import { type FindingLists, Findings, type Subject } from "../report/Finding.ts"
import type { VerifierTools } from "../tools/VerifierTools.ts"

/** What is to be verified. */
export interface EventClaim {
  /** The event as the interface returns it and a reader sees it; null to verify the proof by itself. */
  readonly event: Event | null
  /**
   * Its proof as the interface returns it, see `ProvenEvent`: from `GET /events/{id}/proof` or `POST
   * /events/proofs`.
   */
  readonly proof: unknown
  /** The signed note that stands beside the proof. */
  readonly checkpoint: string
}

/** What the reader knows from other sources. What is missing is reported as not checked. */
export interface ReaderKnowledge {
  /** Keys that sign this service's checkpoints, or those of witnesses. */
  readonly trustedKeys?: ReadonlyArray<VerifierKey>
  /** The log id. */
  readonly origin?: string
  readonly workspaceId?: string
}

/** What was proven of one event. */
export interface EventReport extends FindingLists {
  /** `unreadable`: what was given as the proof is none. */
  readonly verdict: "intact" | "tampered" | "unreadable"
  /** The hash that follows from the event; null if its proof does not hold. */
  readonly event_hash: string | null
  /** The checkpoint that holds it; null if its proof does not hold. */
  readonly checkpoint: { readonly origin: string; readonly size: number } | null
  /** The anchor whose root holds it; null if there is none. */
  readonly anchor_id: string | null
}

const decodeProof = Schema.decodeUnknownResult(ProvenEvent)

/** Why a proof does not hold, for a human, with what is expected and what was found. */
const describe = (error: EventProofError): readonly [string, string | null, string | null] => {
  switch (error._tag) {
    case "EventProofMismatch":
      return [`${error.part} is not the one that was hashed`, error.expected, error.actual]
    case "RootMismatch":
      return ["The proof does not lead from its hash to the root", error.expected, error.computed]
    default:
      return [`It is not a valid proof: ${error._tag}`, null, null]
  }
}

/** The event that follows from a proof; null if its content was removed. */
const eventOf = ({ header, content }: ProvenEvent, eventHash: string): Event | null => {
  const parsed = content === null ? undefined : parseContent(JSON.stringify(content))
  const createdAt = Micros.parse(header.created_at)
  if (parsed === undefined || createdAt === undefined) return null
  return toEvent(parsed, {
    id: header.id,
    createdAt,
    eventHash,
    previousEventHash: header.previous_event_hash
  })
}

const canonical = (value: unknown): string => Result.getOrElse(canonicalize(value), () => "")

/** Whether what a reader sees is what was proven. */
const checkShown = (findings: Findings, subject: Subject, shown: Event, proven: Event | null): void => {
  if (proven === null) {
    const message = "It is shown with a content, but the proof has none, because it was removed"
    findings.fail("event_differs", subject, message)
    return
  }
  const members = new Map(Object.entries(proven))
  const other = Object.entries(shown).filter(
    ([name, value]) => canonical(value) !== canonical(members.get(name))
  )
  const missing = [...members.keys()].filter((name) => !Object.hasOwn(shown, name))
  for (const name of [...other.map(([name]) => name), ...missing]) {
    const [expected, actual] = [members.get(name), new Map(Object.entries(shown)).get(name)]
    findings.fail(
      "event_differs",
      subject,
      `${name} is not the one that was hashed`,
      canonical(expected),
      canonical(actual)
    )
  }
  if (other.length + missing.length === 0)
    findings.prove(subject, "The event as shown is the one that was hashed")
}

/** Whether the event is in the tree of its anchor. Only the chain can show whether that is on the chain. */
const checkAnchor = (
  sha256: Sha256Shape,
  findings: Findings,
  checkpoint: Checkpoint,
  event: ProvenEvent
): string | null => {
  const { anchored, header } = event
  if (anchored === null) {
    const subject: Subject = { kind: "event", sequence: header.sequence, id: header.id }
    findings.skip(subject, "It is in no anchor yet")
    return null
  }
  const { anchor } = anchored
  const subject: Subject = { kind: "anchor", id: anchor.id }
  const checked = verifyProvenEvent(sha256, checkpoint, event)
  if (Result.isFailure(checked)) {
    findings.fail("event_not_in_anchor", subject, ...describe(checked.failure))
    return null
  }
  findings.prove(subject, `Its root holds the event, among ${anchor.events_count}`)
  if (anchor.tx_hash === null) findings.skip(subject, "It was not sent to a blockchain")
  else findings.skip(subject, `Whether transaction ${anchor.tx_hash} carries its root`, "a block explorer")
  return anchor.id
}

/** Verifies one event. Failures are in the report; nothing is thrown. */
export const verifyEvent = (
  { sha256, ed25519 }: VerifierTools,
  claim: EventClaim,
  { trustedKeys = [], origin, workspaceId }: ReaderKnowledge = {}
): EventReport => {
  const findings = new Findings()
  const report = (
    proven: Omit<EventReport, "verdict" | keyof FindingLists>,
    unreadable = false
  ): EventReport => {
    const lists = findings.lists
    const verdict = unreadable ? "unreadable" : lists.failures > 0 ? "tampered" : "intact"
    return { verdict, ...proven, ...lists }
  }
  const nothing = { event_hash: null, checkpoint: null, anchor_id: null }
  const decoded = decodeProof(claim.proof)
  if (Result.isFailure(decoded)) return report(nothing, true)
  const event = decoded.success
  const { sequence, id, workspace_id: workspace } = event.header
  const subject: Subject = { kind: "event", sequence, id }
  const context = { sha256, ed25519, findings, origin: origin ?? null, trusted: trustedKeys, claimed: [] }
  const read = readCheckpoint(context, claim.checkpoint)
  if (read === undefined) return report(nothing)
  const { checkpoint } = read
  if (workspaceId !== undefined && workspace !== workspaceId) {
    findings.fail("another_log", subject, "It belongs to another workspace", workspaceId, workspace)
  }
  const checked = verifyProvenEvent(sha256, checkpoint, { ...event, anchored: null })
  if (Result.isFailure(checked)) {
    const { failure } = checked
    const code =
      failure._tag !== "EventProofMismatch"
        ? "event_not_in_log"
        : failure.part === "content"
          ? "content_changed"
          : "header_changed"
    findings.fail(code, subject, ...describe(failure))
    return report(nothing)
  }
  const { eventHash, content } = checked.success
  findings.prove(subject, `It is event ${sequence} of the ${checkpoint.size} that the checkpoint holds`)
  if (!content) findings.skip(subject, "Its content: it was removed")
  if (claim.event !== null) checkShown(findings, subject, claim.event, eventOf(event, eventHash))
  return report({
    event_hash: eventHash,
    checkpoint: { origin: checkpoint.origin, size: checkpoint.size },
    anchor_id: checkAnchor(sha256, findings, checkpoint, event)
  })
}
