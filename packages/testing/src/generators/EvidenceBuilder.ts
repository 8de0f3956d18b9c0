import { Micros } from "@cairn/core/encoding"
import { parseContent } from "@cairn/core/event"
import {
  anchorLine,
  checkpointLine,
  EVIDENCE_FORMAT,
  type EvidenceAnchor,
  type EvidenceHeader,
  endLine,
  eventLine,
  headerLine,
  legacyLine,
  prefixLine,
  removalLine
} from "@cairn/core/evidence"
import { type Ed25519SignerShape, nativeSha256, portableSha256, type Sha256Shape } from "@cairn/core/hashing"
import { removalOf } from "@cairn/core/log"
import {
  type ConsistencyProof,
  frontierFromNodes,
  memoryNodes,
  type NodeReader,
  proveConsistency,
  proveInclusion,
  rootFromNodes
} from "@cairn/core/merkle"
import { formatVerifierKey, makeVerifierKey, signCheckpoint } from "@cairn/core/note"
import type { ProvenEvent } from "@cairn/core/proof"
import { Result } from "effect"

import { leafData, NOON, type TestLog } from "./TestLog.ts"

const sha256: Sha256Shape = nativeSha256 ?? portableSha256

/** Which part of a log a bundle holds, and what it includes. */
export interface TestBundleOptions {
  readonly from?: number
  readonly to?: number
  /** Size of the checkpoint's tree: the whole log unless set; null for no checkpoint. */
  readonly size?: number | null
  /** Who signs the checkpoint. Without one there is none. */
  readonly signer?: Ed25519SignerShape
  /** Whether the history from before the chain is included; true unless set. */
  readonly history?: boolean
}

/** Name of the key that signs the checkpoints of test logs. */
export const TEST_KEY_NAME = "cairn.test"

const growth = (read: NodeReader, first: number, second: number): ConsistencyProof["hashes"] =>
  first === 0 || first === second
    ? []
    : Result.getOrThrow(proveConsistency(sha256, read, first, second)).hashes

/** Proves that an event is in the tree of the anchor of its period, if there is one. */
const anchoredEvent = (log: TestLog, sequence: number): ProvenEvent["anchored"] => {
  const line = log.anchors.find(
    ({ first_sequence: first, last_sequence: last }) => first <= sequence && sequence <= last
  )
  if (line === undefined) return null
  const { anchor, first_sequence: first, last_sequence: last } = line
  const read = memoryNodes(sha256, leafData(log.events.slice(first - 1, last)))
  const leafIndex = sequence - first
  const { hashes } = Result.getOrThrow(proveInclusion(sha256, read, leafIndex, last - first + 1))
  return { anchor, leaf_index: leafIndex, hashes }
}

/** The proof of one event to the tree of `size` events, and to that of its anchor. */
export const provenEvent = (log: TestLog, sequence: number, size: number): ProvenEvent => {
  const event = log.events[sequence - 1]
  if (event === undefined) throw new RangeError(`no event ${sequence}`)
  const read = memoryNodes(sha256, leafData(log.events))
  return {
    header: {
      content_hash: event.contentHash ?? "",
      created_at: Micros.format(event.createdAt),
      id: event.id,
      previous_event_hash: event.previousEventHash,
      sequence,
      v: 1,
      workspace_id: log.workspaceId
    },
    content: event.content === null ? null : JSON.parse(event.content),
    salt: event.salt,
    inclusion: Result.getOrThrow(proveInclusion(sha256, read, sequence - 1, size)).hashes,
    anchored: anchoredEvent(log, sequence)
  }
}

/** The signed checkpoint of a log at a size. */
export const testCheckpoint = (log: TestLog, size: number, signer: Ed25519SignerShape): string => {
  const read = memoryNodes(sha256, leafData(log.events))
  const root = Result.getOrThrow(rootFromNodes(sha256, read, size))
  return Result.getOrThrow(
    signCheckpoint(sha256, signer, TEST_KEY_NAME, { origin: log.origin, size, root, extensions: [] })
  )
}

/** The anchors of a range's events, each with the proof from the part in the range to its root. */
const anchorsWithin = (log: TestLog, from: number, to: number): ReadonlyArray<EvidenceAnchor> =>
  log.anchors
    .filter(({ first_sequence: first, last_sequence: last }) => last >= from && first <= to)
    .map((anchor) => {
      const { first_sequence: first, last_sequence: last } = anchor
      if (last <= to) return anchor
      const read = memoryNodes(sha256, leafData(log.events.slice(first - 1, last)))
      return { ...anchor, after: growth(read, to - first + 1, last - first + 1) }
    })

/** What comes before a range. */
const prefixOf = (log: TestLog, read: NodeReader, from: number): string => {
  const open = log.anchors.find(
    ({ first_sequence: first, last_sequence: last }) => first < from && last >= from
  )
  // After the last anchor, there is an open period without one.
  const closed = log.anchors.at(-1)?.last_sequence ?? 0
  const first = open?.first_sequence ?? (closed > 0 && closed < from - 1 ? closed + 1 : undefined)
  const period = first === undefined ? undefined : leafData(log.events.slice(first - 1, from - 2))
  return prefixLine({
    type: "prefix",
    log: Result.getOrThrow(frontierFromNodes(read, from - 2)).hashes,
    period:
      first === undefined || period === undefined
        ? null
        : {
            first_sequence: first,
            hashes: Result.getOrThrow(frontierFromNodes(memoryNodes(sha256, period), period.length)).hashes
          }
  })
}

/** The lines of a bundle, each with its newline. */
export const testBundle = (log: TestLog, options: TestBundleOptions = {}): Array<string> => {
  const { from = 1, to = log.events.length, signer, history = true } = options
  const size = signer === undefined ? null : options.size === undefined ? log.events.length : options.size
  const read = memoryNodes(sha256, leafData(log.events))
  const key = signer && Result.getOrThrow(makeVerifierKey(sha256, TEST_KEY_NAME, signer.publicKey))
  const header: EvidenceHeader = {
    type: "header",
    format: EVIDENCE_FORMAT,
    workspace_id: log.workspaceId,
    origin: log.origin,
    from,
    to,
    keys: key === undefined ? [] : [formatVerifierKey(key)],
    created_at: Micros.format(NOON + Micros.DAY)
  }
  const lines = [headerLine(header)]
  const events = log.events.slice(from - 1, to)
  if (from > 1 && events.length > 0) lines.push(prefixOf(log, read, from))
  const legacy = from === 1 && history ? log.legacy : []
  lines.push(...legacy.map(legacyLine))
  const anchors = [...anchorsWithin(log, from, to)]
  const counts = { anchors: anchors.length, events: events.length, legacy: legacy.length, removals: 0 }
  for (const event of events) {
    while (anchors[0] !== undefined && anchors[0].last_sequence < event.sequence) {
      lines.push(...anchors.splice(0, 1).map(anchorLine))
    }
    lines.push(eventLine(event))
  }
  lines.push(...anchors.map(anchorLine))
  if (signer !== undefined && size !== null) {
    lines.push(
      checkpointLine({
        type: "checkpoint",
        note: testCheckpoint(log, size, signer),
        after: growth(read, events.length === 0 ? 0 : to, size)
      })
    )
    for (const event of log.events.slice(to, size)) {
      const content = event.content === null ? undefined : parseContent(event.content)
      if (content === undefined || removalOf(content) === undefined) continue
      lines.push(removalLine({ type: "removal", event: provenEvent(log, event.sequence, size) }))
      counts.removals++
    }
  }
  lines.push(endLine({ type: "end", ...counts }))
  return lines
}
