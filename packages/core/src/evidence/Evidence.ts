/**
 * Evidence bundles, format 1 (docs/Evidence.md): a range of a log and everything needed to check it offline,
 * in one file.
 *
 * A bundle is a gzip stream of lines. Each line is the canonical JSON (RFC 8785) of one object, so that it
 * has only one spelling, and its `type` says what it is. The lines come in this order, so that writer and
 * reader can stream:
 *
 * | line | how many | what it holds |
 * |---|---|---|
 * | `header` | 1 | which log, which range of it |
 * | `prefix` | 1 if the range begins later than the log | Merkle frontiers over the events before it |
 * | `legacy` | all or none, if the range begins with the log | history from before the chain |
 * | `event` | each of the range, in order | header, salt and content; only the header of a removed content |
 * | `anchor` | any | the anchor, its transaction and block; before the first event after its period |
 * | `checkpoint` | 0 or 1 | the signed checkpoint, and the way from the range's end to it |
 * | `removal` | any | events beyond the range that record a removal within it |
 * | `end` | 1 | how many lines of each kind there were |
 */
import { Schema } from "effect"
import { AnchorDetail } from "../anchor/AnchorView.ts"
import { EvidenceBlock } from "../anchor/EvidenceBlock.ts"
import { HexBytes } from "../encoding/HexBytes.ts"
import type { Micros } from "../encoding/Micros.ts"
import { HashFromHex } from "../merkle/TreeHash.ts"
import { ProvenEvent } from "../proof/EventProof.ts"
import type { HeaderMembers } from "./EvidenceTail.ts"

/** The name and version of the format, in the header. */
export const EVIDENCE_FORMAT = "cairn-evidence/1"

/**
 * Most bytes of a line without its newline. An anchor that shares its transaction with a thousand others
 * takes half a megabyte.
 */
export const MAX_EVIDENCE_LINE = 8 * 1024 * 1024

/**
 * The most characters of a workspace id and of a log id: they are hashed again for each event and each
 * anchor.
 */
const MAX_NAME = 256
const Name = Schema.String.check(Schema.isMaxLength(MAX_NAME))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Sequence = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const Hashes = Schema.Array(HashFromHex)

/** The header: what the bundle is about. */
export const EvidenceHeader = Schema.Struct({
  type: Schema.tag("header"),
  format: Schema.Literal(EVIDENCE_FORMAT),
  workspace_id: Name,
  /** The log id, which is the origin of the log's checkpoints and is hashed into its anchors. */
  origin: Name,
  /** Sequence of the first event. */
  from: Sequence,
  /** Sequence of the last event; `from - 1` for none. */
  to: Count,
  /**
   * The verifier keys that the service names as its own. An auditor who has the keys from elsewhere passes
   * those to the verifier.
   */
  keys: Schema.Array(Schema.String),
  /** When the bundle was made. */
  created_at: Schema.String
}).annotate({ identifier: "EvidenceHeader" })
export type EvidenceHeader = typeof EvidenceHeader.Type

/**
 * What comes before a range: Merkle frontiers, largest subtree first.
 *
 * They end before the range's predecessor, the event with sequence `from - 1`. Its hash is the first event's
 * `previous_event_hash`, so the verifier adds it as the next leaf, and the root also proves the link across
 * the edge.
 */
export const EvidencePrefix = Schema.Struct({
  type: Schema.tag("prefix"),
  /** Over the events 1 to `from - 2` of the log. */
  log: Hashes,
  /**
   * Over those of these events that are in the period that is open at the edge; null if the predecessor ends
   * a period or there is no anchor.
   */
  period: Schema.NullOr(Schema.Struct({ first_sequence: Sequence, hashes: Hashes }))
}).annotate({ identifier: "EvidencePrefix" })
export type EvidencePrefix = typeof EvidencePrefix.Type

/** An anchor and its evidence. */
export const EvidenceAnchor = Schema.Struct({
  type: Schema.tag("anchor"),
  anchor: AnchorDetail,
  first_sequence: Sequence,
  last_sequence: Sequence,
  /**
   * If the period continues after the range: the consistency proof from the part in the range to the whole
   * period. Else empty.
   */
  after: Hashes,
  /** Raw signed transactions that were sent for it, including the one in the chain. */
  transactions: Schema.Array(HexBytes),
  block: Schema.NullOr(EvidenceBlock)
}).annotate({ identifier: "EvidenceAnchor" })
export type EvidenceAnchor = typeof EvidenceAnchor.Type

/** The newest checkpoint. */
export const EvidenceCheckpoint = Schema.Struct({
  type: Schema.tag("checkpoint"),
  /** The signed note as it was published. */
  note: Schema.String,
  /**
   * Consistency proof from the tree of `to` leaves to the checkpoint's tree; empty if both are the same, or
   * if the range is empty.
   */
  after: Hashes
}).annotate({ identifier: "EvidenceCheckpoint" })
export type EvidenceCheckpoint = typeof EvidenceCheckpoint.Type

/** An event after the range that records the removal of contents in it, with its proof to the checkpoint. */
export const EvidenceRemoval = Schema.Struct({
  type: Schema.tag("removal"),
  event: ProvenEvent
}).annotate({ identifier: "EvidenceRemoval" })
export type EvidenceRemoval = typeof EvidenceRemoval.Type

/** The number of lines of each kind, so that a truncated file is detected. */
export const EvidenceEnd = Schema.Struct({
  type: Schema.tag("end"),
  anchors: Count,
  events: Count,
  legacy: Count,
  removals: Count
}).annotate({ identifier: "EvidenceEnd" })
export type EvidenceEnd = typeof EvidenceEnd.Type

/**
 * A chained event as it is in its line, in the order of canonical JSON:
 *
 * ```
 * {"content":{…},"content_hash":"…","created_at":"…","event_hash":"…","id":"…",
 *  "previous_event_hash":"…","salt":"…","sequence":1,"type":"event"}
 * ```
 *
 * `content` and `salt` are null if the content was removed.
 */
export interface EvidenceEvent {
  readonly type: "event"
  readonly sequence: number
  readonly id: string
  readonly createdAt: Micros
  /** As it is in the line, UTF-8. It must be read before more bytes are passed to the reader. */
  readonly content: Uint8Array | null
  /**
   * Whether the content, if there is one, is the canonical JSON of an event's content. No other content was
   * ever accepted.
   */
  readonly canonical: boolean
  readonly salt: string | null
  readonly contentHash: string
  readonly eventHash: string
  /** Null for the first event of the chain. */
  readonly previousEventHash: string | null
  readonly header: HeaderMembers
}

/**
 * An event from before the chain:
 *
 * ```
 * {"content":{…},"content_hash":null,"created_at":"…","id":"…","salt":"…",
 *  "sequence":-34359738368,"type":"legacy"}
 * ```
 *
 * If the content was removed, `content` and `salt` are null and `content_hash` is not.
 */
export interface EvidenceLegacy {
  readonly type: "legacy"
  readonly sequence: number
  readonly id: string
  readonly createdAt: Micros
  /**
   * The same as text, exactly as in the file, which is what is hashed: `createdAt` may be the nearest double.
   */
  readonly createdAtText: string
  /** As {@link EvidenceEvent.content}. */
  readonly content: Uint8Array | null
  readonly canonical: boolean
  readonly salt: string | null
  readonly contentHash: string | null
}

/** Any line of a bundle. */
export type EvidenceLine =
  | EvidenceHeader
  | EvidencePrefix
  | EvidenceLegacy
  | EvidenceEvent
  | EvidenceAnchor
  | EvidenceCheckpoint
  | EvidenceRemoval
  | EvidenceEnd
