/**
 * The evidence of a range of a log: everything an auditor needs to check it offline, read from the stores
 * while it is written.
 */
import { Context, Effect, Layer, Option, Result, Stream } from "effect"
import { Anchors } from "../anchor/Anchors.ts"
import { CheckpointSigner } from "../checkpoint/CheckpointSigner.ts"
import { type CheckpointError, LogCheckpoints } from "../checkpoint/LogCheckpoints.ts"
import { type DamagedTree, LogTree } from "../checkpoint/LogTree.ts"
import * as Micros from "../encoding/Micros.ts"
import { parseContent } from "../event/EventContent.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { EventLog, FIRST_LEGACY_SEQUENCE } from "../log/EventLog.ts"
import { ENOUGH_TO_LIST, mayGoOn } from "../log/ReadingBound.ts"
import { EVENT_ERASED, RETENTION_APPLIED, type Removal, removalOf } from "../log/Removal.ts"
import { Replicas, type ReplicasShape } from "../log/Replicas.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { Workspaces } from "../log/Workspace.ts"
import { proveConsistency } from "../merkle/ConsistencyProof.ts"
import { appendLeaves, emptyFrontier, type MerkleFrontier } from "../merkle/MerkleFrontier.ts"
import { hashFromHex, type MalformedHash } from "../merkle/TreeHash.ts"
import { memoryNodes } from "../merkle/TreeNodes.ts"
import { EventProver } from "../proof/EventProver.ts"
import { AnchorEvidence } from "./AnchorEvidence.ts"
import { EVIDENCE_FORMAT, type EvidenceHeader, type EvidenceRemoval } from "./Evidence.ts"
import { type AnchorInPlace, type EvidenceSource, evidenceText } from "./EvidenceWriter.ts"

/** Which part of a log. */
export interface EvidenceRequest {
  readonly workspaceId: string
  /** Events recorded at or after; by default the whole log with its history from before the chain. */
  readonly from?: Micros.Micros
  /** Events recorded at or before. */
  readonly to?: Micros.Micros
}

/** Why there is no evidence, or why it ends early. */
export type EvidenceExportError = CheckpointError | DamagedTree | StorageUnavailable

/** Events read at once. */
const SCAN = 500

const leavesOf = (hashes: ReadonlyArray<string>): Result.Result<ReadonlyArray<Uint8Array>, MalformedHash> =>
  Result.all(hashes.map((hash, index) => hashFromHex(hash, "leaf_data", index)))

/** Whether a record concerns the contents of a range. */
const concerns = (removal: Removal, first: number, to: number): boolean =>
  removal.type === "retention"
    ? removal.belowSequence > first && removal.fromSequence <= to
    : removal.sequences.some((sequence) => sequence >= first && sequence <= to)

/** A bundle that is ready to be written. */
interface EvidenceBundle {
  /** Events in it, including those from before the chain. */
  readonly events: number
  /** Its text before gzip, in chunks of events. */
  readonly text: Stream.Stream<string, EvidenceExportError>
}

/** What the export needs. */
interface EvidenceExportContext {
  readonly log: EventLog["Service"]
  readonly replicas: ReplicasShape
  readonly workspaces: Workspaces["Service"]
  readonly tree: LogTree["Service"]
  readonly anchors: Anchors["Service"]
  readonly anchorEvidence: AnchorEvidence["Service"]
  readonly checkpoints: LogCheckpoints["Service"]
  readonly signer: CheckpointSigner["Service"]
  readonly prover: EventProver["Service"]
  readonly sha256: Sha256["Service"]
}

/** Rows of the log in chunks, both ends included. */
const rows = ({ log, replicas }: EvidenceExportContext, workspaceId: string, from: number, to: number) => {
  const chunks = Stream.paginate(from, (next: number) =>
    Effect.map(log.entries(workspaceId, next, Math.min(SCAN, Math.max(1, to - next + 1))), (found) => {
      const within = found.filter(({ sequence }) => sequence <= to)
      const last = within.at(-1)
      const more = last !== undefined && last.sequence < to && within.length === found.length
      return [[within], more ? Option.some(last.sequence + 1) : Option.none<number>()] as const
    })
  ).pipe(Stream.filter((chunk: ReadonlyArray<EvidenceSource>) => chunk.length > 0))
  return replicas.streaming("now", chunks)
}

/** The frontier over the events of a period that is open at the range's edge. */
const periodFrontier = Effect.fnUntraced(function* (
  { log, sha256 }: EvidenceExportContext,
  workspaceId: string,
  from: number,
  to: number
) {
  let frontier: MerkleFrontier = emptyFrontier
  for (let next = from; next <= to; next += SCAN) {
    const hashes = yield* log.hashes(workspaceId, next, Math.min(to, next + SCAN - 1))
    frontier = appendLeaves(sha256, frontier, yield* Effect.fromResult(leavesOf(hashes)))
  }
  return frontier.hashes
})

const prefix = Effect.fnUntraced(function* (
  context: EvidenceExportContext,
  workspaceId: string,
  from: number
) {
  const { anchors, tree } = context
  const [open] = yield* anchors.over(workspaceId, from, from)
  const [newest] = yield* anchors.list(workspaceId, 1)
  const closed = newest?.lastSequence ?? 0
  const first =
    open === undefined
      ? closed > 0 && closed < from - 1
        ? closed + 1
        : undefined
      : open.firstSequence < from
        ? open.firstSequence
        : undefined
  return {
    type: "prefix" as const,
    log: yield* tree.frontier(workspaceId, from - 2),
    period:
      first === undefined
        ? null
        : { first_sequence: first, hashes: yield* periodFrontier(context, workspaceId, first, from - 2) }
  }
})

/** The consistency proof from the part of a period in the range to the whole period. */
const growth = Effect.fnUntraced(function* (
  { log, sha256 }: EvidenceExportContext,
  workspaceId: string,
  { first, held, last }: { readonly first: number; readonly held: number; readonly last: number }
) {
  if (held >= last) return []
  const hashes = yield* log.hashes(workspaceId, first, last)
  const nodes = memoryNodes(sha256, yield* Effect.fromResult(leavesOf(hashes)))
  const proof = proveConsistency(sha256, nodes, held - first + 1, last - first + 1)
  return Result.getOrThrow(proof).hashes
})

const anchorsOf = (context: EvidenceExportContext, workspaceId: string, from: number, to: number) =>
  Effect.map(context.anchorEvidence.over(workspaceId, from, to), (entries) =>
    entries.map(
      ({ anchor, load }): AnchorInPlace<EvidenceExportError, never> => ({
        lastSequence: anchor.lastSequence,
        line: Effect.gen(function* () {
          const { firstSequence: first, lastSequence: last } = anchor
          const after = yield* growth(context, workspaceId, { first, held: to, last })
          return { type: "anchor" as const, ...(yield* load), after }
        })
      })
    )
  )

/**
 * Events after the range that record removals within it, each with its proof. `first` is the first sequence
 * of the range.
 */
const removals = (
  { log, prover, tree }: EvidenceExportContext,
  workspaceId: string,
  { first, to, size }: { readonly first: number; readonly to: number; readonly size: number }
) =>
  Stream.fromIterable([RETENTION_APPLIED, EVENT_ERASED]).pipe(
    Stream.flatMap((action) =>
      Stream.paginate(null as Micros.Micros | null, (before) =>
        Effect.map(log.page(workspaceId, { filter: { action }, before, limit: SCAN }), (found) => {
          const last = found.at(-1)
          const more = mayGoOn(found, SCAN, ENOUGH_TO_LIST) && last !== undefined && last.sequence > to
          return [[found], more ? Option.some(last.createdAt) : Option.none<Micros.Micros>()] as const
        })
      )
    ),
    Stream.flatMap((found) => Stream.fromIterable(found)),
    Stream.filter(({ sequence, content }) => {
      if (sequence <= to || sequence > size || content === null) return false
      const parsed = parseContent(content)
      const removal = parsed === undefined ? undefined : removalOf(parsed)
      return removal !== undefined && concerns(removal, first, to)
    }),
    Stream.mapEffect(({ id }) => prover.prove({ workspaceId, eventIds: [id], visibleFrom: null })),
    Stream.flatMap(({ events }) => Stream.fromIterable(events)),
    // The proof is for the newest checkpoint, and the log may have grown since the bundle's own was signed.
    Stream.mapEffect((event) =>
      tree.inclusion(workspaceId, event.header.sequence, size).pipe(
        Effect.catchTag("LeafOutOfRange", Effect.die),
        Effect.map(
          ({ hashes: inclusion }): EvidenceRemoval => ({
            type: "removal",
            event: { ...event, inclusion }
          })
        )
      )
    )
  )

/**
 * The checkpoint at the end of a bundle, and the proof that leads to it. A content may be removed while the
 * events are read, and the event that records that comes after them, so the checkpoint is signed after they
 * have been read.
 */
const closing = Effect.fnUntraced(
  function* ({ checkpoints }: EvidenceExportContext, workspaceId: string, to: number) {
    const { note, size } = yield* checkpoints.current(workspaceId)
    const after = to === size ? [] : (yield* checkpoints.consistency(workspaceId, to, size)).hashes
    return { note, size, after }
  },
  Effect.catchTag("SizesOutOfRange", Effect.die)
)

const open = Effect.fn("EvidenceExport.open")(function* (
  context: EvidenceExportContext,
  { workspaceId, from: fromMicros, to: toMicros }: EvidenceRequest
) {
  const { checkpoints, signer, log } = context
  const opening = yield* checkpoints.current(workspaceId)
  const { size } = opening
  const keys = (yield* signer.list).map(({ verifierKey }) => verifierKey)
  const start = fromMicros === undefined ? 1 : ((yield* log.sequenceAt(workspaceId, fromMicros)) ?? size + 1)
  const after = toMicros === undefined ? null : yield* log.sequenceAt(workspaceId, toMicros + 1)
  const from = Math.max(1, Math.min(start, size + 1))
  const { legacy } = yield* log.head(workspaceId)
  // History from before the chain is included together with the event that commits to it: without that event
  // nothing would prove the history.
  const least = from === 1 && legacy !== null ? Math.min(1, size) : from - 1
  const to = Math.max(least, Math.min(size, after === null ? size : after - 1))
  const isEmpty = to < from
  // Read before the prefix: an anchor that is made in between would lack the beginning of its period in the
  // prefix.
  const anchorsInPlace = isEmpty ? [] : yield* anchorsOf(context, workspaceId, from, to)
  const header: EvidenceHeader = {
    type: "header",
    format: EVIDENCE_FORMAT,
    workspace_id: workspaceId,
    origin: yield* context.workspaces.logId(workspaceId),
    from,
    to,
    keys,
    created_at: Micros.format(yield* Micros.now)
  }
  const first = from === 1 ? FIRST_LEGACY_SEQUENCE : from
  const before = from === 1 || isEmpty ? null : yield* prefix(context, workspaceId, from)
  const text = Stream.unwrap(
    Effect.map(
      Effect.cached(isEmpty ? Effect.succeed({ ...opening, after: [] }) : closing(context, workspaceId, to)),
      (checkpoint) =>
        evidenceText<EvidenceExportError, never>({
          header,
          prefix: before,
          legacy: from === 1 ? rows(context, workspaceId, FIRST_LEGACY_SEQUENCE, 0) : Stream.empty,
          events: isEmpty ? Stream.empty : rows(context, workspaceId, from, to),
          anchors: anchorsInPlace,
          checkpoint: Effect.map(checkpoint, ({ note, after }) => ({
            type: "checkpoint" as const,
            note,
            after
          })),
          removals: isEmpty
            ? Stream.empty
            : Stream.unwrap(
                Effect.map(checkpoint, (closed) =>
                  removals(context, workspaceId, { first, to, size: closed.size })
                )
              )
        })
    )
  )
  const events = to - from + 1 + (from === 1 ? (legacy?.count ?? 0) : 0)
  return { events, text } satisfies EvidenceBundle
})

/** The use case *export evidence*. */
export class EvidenceExport extends Context.Service<
  EvidenceExport,
  {
    /**
     * The bundle of a range; see docs/Evidence.md. Its events end at the checkpoint that is signed now. The
     * checkpoint in the bundle is signed after they have been read, and also covers removals that were
     * recorded in the meantime. Memory holds one chunk of events and, for a period that continues after the
     * range, the period's hashes.
     */
    readonly open: (request: EvidenceRequest) => Effect.Effect<EvidenceBundle, EvidenceExportError>
    /** Only the bundle's text. */
    readonly text: (request: EvidenceRequest) => Stream.Stream<string, EvidenceExportError>
  }
>()("@cairn/core/EvidenceExport") {
  static readonly layer = Layer.effect(
    EvidenceExport,
    Effect.gen(function* () {
      const context: EvidenceExportContext = {
        log: yield* EventLog,
        replicas: yield* Replicas,
        workspaces: yield* Workspaces,
        tree: yield* LogTree,
        anchors: yield* Anchors,
        anchorEvidence: yield* AnchorEvidence,
        checkpoints: yield* LogCheckpoints,
        signer: yield* CheckpointSigner,
        prover: yield* EventProver,
        sha256: yield* Sha256
      }
      return EvidenceExport.of({
        open: (request) => open(context, request),
        text: (request) => Stream.unwrap(Effect.map(open(context, request), (bundle) => bundle.text))
      })
    })
  )
}
