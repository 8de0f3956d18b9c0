/** Whether the checkpoint is signed, is this log's, and holds the events of the bundle. */

import type { EvidenceCheckpoint } from "@cairn/core/evidence"
import { type Ed25519VerifierShape, type Sha256Shape, toHex } from "@cairn/core/hashing"
import { emptyFrontier, frontierRoot, type MerkleFrontier, verifyGrowth } from "@cairn/core/merkle"
import {
  type Checkpoint,
  formatVerifierKey,
  openNote,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  type SignedNote,
  type VerifiedSignature,
  type VerifierKey
} from "@cairn/core/note"
import { Result } from "effect"
import { type Findings, type Subject, sayMoment } from "../report/Finding.ts"
import type { Claim } from "../report/Obligations.ts"

/** What the check depends on. */
export interface CheckpointContext {
  readonly sha256: Sha256Shape
  readonly ed25519: Ed25519VerifierShape
  readonly findings: Findings
  /** The log id; null when it is not known. */
  readonly origin: string | null
  /** Keys that the auditor trusts. */
  readonly trusted: ReadonlyArray<VerifierKey>
  /** Keys that the bundle says are the service's. */
  readonly claimed: ReadonlyArray<string>
}

const describeSignature = ({ key, timestamp }: VerifiedSignature): string =>
  timestamp === null
    ? formatVerifierKey(key)
    : `${formatVerifierKey(key)}, which saw it at ${sayMoment(timestamp)}`

/** The keys that a bundle says are the service's, of those that have signed by the note's own account. */
const claimedKeys = (
  { sha256, claimed }: CheckpointContext,
  { signatures }: SignedNote
): ReadonlyArray<VerifierKey> => {
  const signers = new Set(signatures.map(({ name, keyId }) => `${name}+${keyId}+`))
  const keys = new Map<string, VerifierKey>()
  for (const text of claimed) {
    // Checked before anything is hashed: a header may name any number of keys.
    const end = text.indexOf("+", text.indexOf("+") + 1) + 1
    const signer = text.slice(0, end)
    if (end === 0 || !signers.has(signer) || keys.has(signer)) continue
    const key = parseVerifierKey(sha256, text)
    if (Result.isSuccess(key)) keys.set(signer, key.success)
  }
  return [...keys.values()]
}

/**
 * Checks that a key that the auditor trusts signed the note, or at least one that the bundle names; returns
 * the keys that did.
 */
const checkSignatures = (
  context: CheckpointContext,
  note: SignedNote,
  subject: Subject
): ReadonlyArray<VerifierKey> | undefined => {
  const { findings, ed25519, trusted } = context
  const known = trusted.length > 0
  const opened = openNote(ed25519, note, known ? trusted : claimedKeys(context, note))
  if (Result.isFailure(opened)) {
    const { failure } = opened
    if (failure._tag === "InvalidNoteSignature") {
      const message = `The signature in the name of ${failure.name}+${failure.keyId} is not valid`
      findings.fail("checkpoint_not_signed", subject, message)
      return undefined
    }
    if (known) {
      const message = "No key that you trust has signed it"
      findings.fail(
        "checkpoint_not_signed",
        subject,
        message,
        trusted.map(formatVerifierKey).join(" "),
        failure.signers.join(" ")
      )
      return undefined
    }
    findings.skip(subject, "Its signature: no key is known that signed it", "--trusted-key")
    return []
  }
  const { verified } = opened.success
  for (const signature of verified) {
    findings.prove(subject, `It is signed by ${describeSignature(signature)}`)
  }
  if (!known) {
    findings.skip(
      subject,
      "Whether the key is the service's: only the bundle says so",
      "--trusted-key, from a source you trust"
    )
  }
  return verified.map(({ key }) => key)
}

/**
 * Longest text of a checkpoint, in bytes of UTF-8: it is hashed for each of its signatures, of which there
 * may be a hundred.
 */
const MAX_CHECKPOINT_TEXT = 16_384

const isTooLong = (text: string): boolean =>
  text.length > MAX_CHECKPOINT_TEXT || new TextEncoder().encode(text).length > MAX_CHECKPOINT_TEXT

/** A checkpoint that could be read. */
export interface ReadCheckpoint {
  readonly checkpoint: Checkpoint
  /** Keys with a valid signature; undefined if a signature is invalid. */
  readonly signers: ReadonlyArray<VerifierKey> | undefined
}

/** Reads a checkpoint, and checks its form and its signatures. */
export const readCheckpoint = (context: CheckpointContext, source: string): ReadCheckpoint | undefined => {
  const { findings, origin } = context
  const note = parseNote(source)
  const parsed = Result.flatMap(note, ({ text }) => parseCheckpoint(text))
  if (Result.isFailure(note) || Result.isFailure(parsed) || isTooLong(note.success.text)) {
    const message = "It is not a signed note that contains a checkpoint"
    findings.fail("checkpoint_malformed", { kind: "checkpoint", size: null }, message)
    return undefined
  }
  const checkpoint = parsed.success
  const subject: Subject = { kind: "checkpoint", size: checkpoint.size }
  const signers = checkSignatures(context, note.success, subject)
  if (origin === null)
    findings.skip(subject, `Whether it is of the log you mean: it is of ${checkpoint.origin}`)
  if (checkpoint.origin === (origin ?? checkpoint.origin)) return { checkpoint, signers }
  const message = "It is another log's"
  findings.fail("checkpoint_of_another_log", subject, message, origin, checkpoint.origin)
  return undefined
}

/** What the checkpoint is compared with. */
interface BundleEvents {
  /** Sequences of the range's first and last event. */
  readonly from: number
  readonly to: number
  /** The log up to the end of the range; null where its tree cannot be made, because something is missing. */
  readonly frontier: MerkleFrontier | null
}

/** Compares the events of the bundle with the checkpoint. `holds` is discharged if its root covers them. */
export const checkCheckpoint = (
  context: CheckpointContext,
  line: EvidenceCheckpoint,
  { from, to, frontier }: BundleEvents,
  holds: Claim
): ReadCheckpoint | undefined => {
  const { findings, sha256 } = context
  const read = readCheckpoint(context, line.note)
  if (read === undefined) return undefined
  const { size, root } = read.checkpoint
  const subject: Subject = { kind: "checkpoint", size }
  const differs = (message: string, computed: MerkleFrontier) =>
    findings.fail(
      "checkpoint_root_differs",
      subject,
      message,
      toHex(root),
      toHex(frontierRoot(sha256, computed))
    )
  if (size < to) {
    const message = "It covers fewer events than the bundle"
    findings.fail("checkpoint_behind", subject, message, String(to), String(size))
  } else if (to < from && size > 0) {
    if (line.after.length > 0) differs("It has a proof, but the range has no events", emptyFrontier)
    else {
      findings.skip(subject, "Whether it covers the events: there are none in the bundle")
      holds.discharge()
    }
  } else if (frontier !== null && Result.isFailure(verifyGrowth(sha256, frontier, size, root, line.after))) {
    const message = "Its root does not cover the bundle's events: it was signed for a different log"
    differs(message, frontier)
  } else if (frontier !== null) {
    const what =
      size === 0
        ? "It is the checkpoint of an empty log"
        : `Its root covers the hash of every event of the bundle, each at its place among ${size}`
    findings.prove(subject, what)
    holds.discharge()
  }
  return read
}
