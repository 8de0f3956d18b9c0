/** Whether the checkpoint is signed, is this log's, and holds the events of the bundle. */
import {
  type Checkpoint,
  type Ed25519VerifierShape,
  type EvidenceCheckpoint,
  formatVerifierKey,
  frontierRoot,
  type MerkleFrontier,
  openNote,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  type Sha256Shape,
  type SignedNote,
  toHex,
  type VerifiedSignature,
  type VerifierKey,
  verifyGrowth
} from "@cairn/core"
import { Result } from "effect"
import { type Findings, type Subject, sayMoment } from "./Finding.ts"

/** What the check needs of its surroundings. */
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

/** Whether a key that the auditor trusts signed the note, or at least one that the bundle names. */
const checkSignatures = (context: CheckpointContext, note: SignedNote, subject: Subject): void => {
  const { findings, ed25519, sha256, trusted, claimed } = context
  const known = trusted.length > 0
  const keys = known
    ? trusted
    : claimed.flatMap((text) =>
        Result.match(parseVerifierKey(sha256, text), { onSuccess: (key) => [key], onFailure: () => [] })
      )
  const opened = openNote(ed25519, note, keys)
  if (Result.isFailure(opened)) {
    const { failure } = opened
    if (failure._tag === "InvalidNoteSignature") {
      const message = `What stands for the signature of ${failure.name}+${failure.keyId} is not its signature`
      findings.fail("checkpoint_not_signed", subject, message)
    } else if (known) {
      const message = "No key that you trust has signed it"
      findings.fail(
        "checkpoint_not_signed",
        subject,
        message,
        trusted.map(formatVerifierKey).join(" "),
        failure.signers.join(" ")
      )
    } else {
      findings.skip(subject, "Its signature: no key is known that signed it", "--trusted-key")
    }
    return
  }
  for (const signature of opened.success.verified) {
    findings.prove(subject, `It is signed by ${describeSignature(signature)}`)
  }
  if (!known) {
    findings.skip(
      subject,
      "That the key is the service's: the bundle says so itself",
      "--trusted-key, from a source you trust"
    )
  }
}

/** Reads a checkpoint and says what it is, as far as its form and its signatures go. */
export const readCheckpoint = (context: CheckpointContext, source: string): Checkpoint | undefined => {
  const { findings, origin } = context
  const note = parseNote(source)
  const parsed = Result.flatMap(note, ({ text }) => parseCheckpoint(text))
  if (Result.isFailure(note) || Result.isFailure(parsed)) {
    const message = "It is no signed note with a checkpoint in it"
    findings.fail("checkpoint_malformed", { kind: "checkpoint", size: null }, message)
    return undefined
  }
  const checkpoint = parsed.success
  const subject: Subject = { kind: "checkpoint", size: checkpoint.size }
  checkSignatures(context, note.success, subject)
  if (origin === null) findings.skip(subject, `That it is of the log you mean: it is of ${checkpoint.origin}`)
  if (checkpoint.origin === (origin ?? checkpoint.origin)) return checkpoint
  const message = "It is another log's"
  findings.fail("checkpoint_of_another_log", subject, message, origin, checkpoint.origin)
  return undefined
}

/**
 * Holds the events of the bundle, of which the last has the sequence `to`, against the checkpoint; `frontier` is null where their tree
 * cannot be made.
 */
export const checkCheckpoint = (
  context: CheckpointContext,
  line: EvidenceCheckpoint,
  to: number,
  frontier: MerkleFrontier | null
): Checkpoint | undefined => {
  const { findings, sha256 } = context
  const checkpoint = readCheckpoint(context, line.note)
  if (checkpoint === undefined) return undefined
  const { size, root } = checkpoint
  const subject: Subject = { kind: "checkpoint", size }
  if (size < to) {
    const message = "It is of a smaller log than the bundle's"
    findings.fail("checkpoint_behind", subject, message, String(to), String(size))
  } else if (frontier === null) {
    findings.skip(subject, "That it holds the events: their tree cannot be made")
  } else if (frontier.size === 0 && size > 0) {
    findings.skip(subject, "That it holds the events: there are none in the bundle")
  } else if (Result.isFailure(verifyGrowth(sha256, frontier, size, root, line.after))) {
    const message = "It does not hold the events of the bundle: the log it was signed for is another one"
    findings.fail(
      "checkpoint_root_differs",
      subject,
      message,
      toHex(root),
      toHex(frontierRoot(sha256, frontier))
    )
  } else {
    findings.prove(subject, `Its root holds every event of the bundle, at its place among ${size}`)
  }
  return checkpoint
}
