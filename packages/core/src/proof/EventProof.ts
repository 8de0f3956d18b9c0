/**
 * The proof of one event: its content, the salt and header that hash it, and the inclusion proof from its
 * hash to the root of a signed checkpoint and, once there is one, to the root of its anchor. It needs no
 * other event.
 */
import { Result, Schema } from "effect"
import { AnchorDetail } from "../anchor/AnchorView.ts"
import { canonicalize, type NotCanonicalizable } from "../encoding/CanonicalJson.ts"
import * as Field from "../encoding/FieldSchemas.ts"
import * as Micros from "../encoding/Micros.ts"
import { contentHash, eventHash } from "../event/EventHash.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { verifyInclusion } from "../merkle/InclusionProof.ts"
import type { LeafOutOfRange, ProofLengthMismatch, RootMismatch } from "../merkle/ProofError.ts"
import { HashFromHex, hashFromHex, leafHash, type MalformedHash, type TreeHash } from "../merkle/TreeHash.ts"
import { type Checkpoint, type MalformedCheckpoint, parseCheckpoint } from "../note/Checkpoint.ts"
import { type MalformedNote, parseNote } from "../note/SignedNote.ts"

/** What an event's hash commits to, as JSON: the members of its header (docs/HashFormat.md). */
const ProofHeader = Schema.Struct({
  content_hash: Field.sha256("SHA-256 over the salt and the canonical content"),
  created_at: Field.timestamp("When the event was recorded"),
  id: Field.text("The event's id"),
  previous_event_hash: Field.nullable(Field.sha256(), "The hash of the event before it; null for the first"),
  sequence: Schema.Int.annotate({ description: "The event's place in the chain, from 1", minimum: 1 }),
  v: Schema.Literal(1).annotate({ description: "The version of the header's form" }),
  workspace_id: Field.text("The workspace whose log it is")
}).annotate({
  identifier: "ProofHeader",
  description:
    "What an event's hash commits to: its members as canonical JSON, after the line `cairn.event.v1`"
})
type ProofHeader = typeof ProofHeader.Type

/** The proof that an event is in its anchor's tree. */
export const AnchoredEvent = Schema.Struct({
  anchor: AnchorDetail,
  leaf_index: Field.count("The event's index in the period, from 0"),
  hashes: Schema.Array(HashFromHex).annotate({
    description: "Siblings from the leaf up; the tree has the anchor's `events_count` leaves"
  })
}).annotate({ identifier: "AnchoredEvent", description: "The proof that an event is in its anchor's tree" })
export type AnchoredEvent = typeof AnchoredEvent.Type

/** One event and its place in a checkpoint's tree, without the checkpoint: a page of events shares one. */
export const ProvenEvent = Schema.Struct({
  header: ProofHeader,
  content: Schema.NullOr(Schema.JsonObject).annotate({
    description: "What the client sent, as it was hashed; null if it was removed"
  }),
  salt: Schema.NullOr(Schema.String).annotate({
    description: "What is hashed with the content; null if the content is null"
  }),
  inclusion: Schema.Array(HashFromHex).annotate({
    description:
      "Siblings from the leaf up; its index is `sequence - 1`, and the tree has the checkpoint's size"
  }),
  anchored: Schema.NullOr(AnchoredEvent).annotate({
    description: "The way to the root of its anchor; null until the event's period is anchored"
  })
}).annotate({
  identifier: "ProvenEvent",
  description: "One event and its place in a checkpoint's tree, without the checkpoint"
})
export type ProvenEvent = typeof ProvenEvent.Type

/** The proof of one event, complete. */
export const EventProof = Schema.Struct({
  ...ProvenEvent.fields,
  checkpoint: Field.text("The signed checkpoint (C2SP tlog-checkpoint), byte for byte")
}).annotate({ identifier: "EventProof", description: "The proof of one event; it needs no other event" })
export type EventProof = typeof EventProof.Type

/** The proofs of some events of one log under one checkpoint. */
export const EventProofs = Schema.Struct({
  checkpoint: Field.text("The signed checkpoint (C2SP tlog-checkpoint), byte for byte"),
  events: Schema.Array(ProvenEvent).annotate({
    description: "Those that were asked for, are in the chain and may be seen"
  })
}).annotate({ identifier: "EventProofs", description: "The proofs of some events under one checkpoint" })
export type EventProofs = typeof EventProofs.Type

/** A part of the proof does not fit the others. */
export class EventProofMismatch extends Schema.TaggedError<EventProofMismatch>()("EventProofMismatch", {
  /** `content`: its hash is not the one in the header. `created_at`: not a time in the stored spelling. */
  part: Schema.Literals(["content", "created_at"]),
  expected: Schema.String,
  actual: Schema.String
}) {}

/** What a proof shows of an event, if the checkpoint's signature holds. */
interface CheckedEvent {
  /** 64 lower-case hexadecimal characters. */
  readonly eventHash: string
  /** True if the content is present and is the one that was hashed; false if it was removed. */
  readonly content: boolean
  /**
   * The anchor whose root covers the event; null if there is none. Whether the anchor is on the chain must be
   * checked separately.
   */
  readonly anchorId: string | null
}

/** Why a proof does not hold. */
export type EventProofError =
  | EventProofMismatch
  | NotCanonicalizable
  | LeafOutOfRange
  | ProofLengthMismatch
  | MalformedHash
  | RootMismatch

/** The hash that follows from a header. */
const hashOfHeader = (
  sha256: Sha256Shape,
  header: ProofHeader
): Result.Result<string, EventProofMismatch> => {
  const { created_at: text } = header
  if (Micros.normalize(text) !== text) {
    return Result.fail(
      new EventProofMismatch({ part: "created_at", expected: "UTC with six digits and Z", actual: text })
    )
  }
  return Result.succeed(
    eventHash(sha256, {
      contentHash: header.content_hash,
      createdAt: text,
      id: header.id,
      previousEventHash: header.previous_event_hash,
      sequence: header.sequence,
      workspaceId: header.workspace_id
    })
  )
}

const checkContent = (
  sha256: Sha256Shape,
  { content, salt, header }: Pick<ProvenEvent, "content" | "salt" | "header">
): Result.Result<boolean, EventProofMismatch | NotCanonicalizable> =>
  Result.gen(function* () {
    if (content === null) return false
    const actual = contentHash(sha256, salt ?? "", yield* canonicalize(content))
    if (actual === header.content_hash) return true
    return yield* Result.fail(
      new EventProofMismatch({ part: "content", expected: header.content_hash, actual })
    )
  })

const checkAnchored = (
  sha256: Sha256Shape,
  leaf: TreeHash,
  { anchor, leaf_index: leafIndex, hashes }: AnchoredEvent
): Result.Result<string, EventProofError> =>
  Result.gen(function* () {
    const root = yield* hashFromHex(anchor.merkle_root, "root")
    yield* verifyInclusion(sha256, leaf, { leafIndex, treeSize: anchor.events_count, hashes }, root)
    return anchor.id
  })

/**
 * Checks an event against an opened checkpoint, see `openCheckpoint`: the content against its hash, and the
 * header's hash as a leaf of the checkpoint's tree and of the anchor's.
 *
 * A proof is about the log that signed the checkpoint. To check that it is a certain workspace's log, compare
 * `header.workspace_id` and `checkpoint.origin`. Costs three SHA-256 and one for each hash of the proof.
 */
export const verifyProvenEvent = (
  sha256: Sha256Shape,
  checkpoint: Checkpoint,
  event: ProvenEvent
): Result.Result<CheckedEvent, EventProofError> =>
  Result.gen(function* () {
    const { header, anchored } = event
    const content = yield* checkContent(sha256, event)
    const hash = yield* hashOfHeader(sha256, header)
    const leaf = leafHash(sha256, yield* hashFromHex(hash, "leaf_data"))
    const inclusion = {
      leafIndex: header.sequence - 1,
      treeSize: checkpoint.size,
      hashes: event.inclusion
    }
    yield* verifyInclusion(sha256, leaf, inclusion, checkpoint.root)
    const anchorId = anchored === null ? null : yield* checkAnchored(sha256, leaf, anchored)
    return { eventHash: hash, content, anchorId }
  })

/**
 * Reads the checkpoint of a proof and checks the event against it, but not the signature. Verify that with
 * `openCheckpoint`; without it the proof shows only that its parts fit together.
 */
export const verifyEventProof = (
  sha256: Sha256Shape,
  proof: EventProof
): Result.Result<
  CheckedEvent & { readonly checkpoint: Checkpoint },
  EventProofError | MalformedNote | MalformedCheckpoint
> =>
  Result.gen(function* () {
    const note = yield* parseNote(proof.checkpoint)
    const checkpoint = yield* parseCheckpoint(note.text)
    return { ...(yield* verifyProvenEvent(sha256, checkpoint, proof)), checkpoint }
  })
