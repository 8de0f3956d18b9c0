/**
 * History from before the chain: legacy events, whose hashes are null. Their sequences are below 1, in the
 * order of their import, and the chain's first event commits to their number and Merkle root.
 *
 * A legacy leaf is the event hash that the row would have with its own (negative) sequence and no
 * predecessor.
 */
import { Result } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import { type ContentParts, systemContent } from "../event/ContentWriter.ts"
import { contentHash, eventHash } from "../event/EventHash.ts"
import { toHex, uuid } from "../hashing/Randomness.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import {
  appendLeaves,
  emptyFrontier,
  frontierFrom,
  frontierRoot,
  type MerkleFrontier
} from "../merkle/MerkleFrontier.ts"
import { hashFromHex } from "../merkle/TreeHash.ts"
import { FIRST_LEGACY_SEQUENCE, type Head, type LegacySummary, type LogEntry } from "./EventLog.ts"

/** Action of the first event of a chain that has history before it. */
export const CHAIN_STARTED = "cairn.chain.started"

/**
 * The id of a legacy event that has an idempotency key, in the form of a version 4 UUID. It is made from the
 * key, so that an import that runs again finds what it already imported.
 */
export const legacyEventId = (sha256: Sha256Shape, workspaceId: string, key: string): string => {
  const bytes = sha256.bytes(`cairn.legacy.v1\n${workspaceId}\n${key}`)
  return uuid({ bytes: (count) => bytes.slice(0, count) })
}

/** What the chain's first event states about the history before it. */
export interface LegacyCommitment {
  readonly legacy_events: number
  /** 64 lower-case hexadecimal characters. */
  readonly legacy_merkle_root: string
}

const hashBytes = (hex: string): Uint8Array => Result.getOrThrow(hashFromHex(hex, "leaf_data"))

/** The leaf's data: 32 bytes. */
const legacyLeaf = (
  sha256: Sha256Shape,
  workspaceId: string,
  {
    id,
    createdAt,
    sequence,
    content,
    salt,
    contentHash: kept
  }: Pick<LogEntry, "id" | "createdAt" | "sequence" | "content" | "salt" | "contentHash">
): Uint8Array =>
  hashBytes(
    eventHash(sha256, {
      // If the content was removed, its hash is still there.
      contentHash: content === null && kept !== null ? kept : contentHash(sha256, salt ?? "", content ?? ""),
      createdAt,
      id,
      previousEventHash: null,
      sequence,
      workspaceId
    })
  )

const frontierOf = (legacy: LegacySummary | null): MerkleFrontier =>
  legacy === null
    ? emptyFrontier
    : Result.getOrThrow(frontierFrom(legacy.count, legacy.frontier.map(hashBytes)))

/** The sequence of the next legacy event. */
export const nextLegacySequence = (head: Head): number => FIRST_LEGACY_SEQUENCE + (head.legacy?.count ?? 0)

/** The history with more events appended. */
export const extendLegacy = (
  sha256: Sha256Shape,
  workspaceId: string,
  head: Head,
  events: ReadonlyArray<LogEntry>
): Head => {
  const leaves = events.map((event) => legacyLeaf(sha256, workspaceId, event))
  const frontier = appendLeaves(sha256, frontierOf(head.legacy), leaves)
  return {
    ...head,
    createdAt: events.at(-1)?.createdAt ?? head.createdAt,
    legacy: { count: frontier.size, frontier: frontier.hashes.map(toHex) }
  }
}

/** What the chain's first event must commit to. */
export const legacyCommitment = (sha256: Sha256Shape, legacy: LegacySummary): LegacyCommitment => ({
  legacy_events: legacy.count,
  legacy_merkle_root: toHex(frontierRoot(sha256, frontierOf(legacy)))
})

/** Content of the first event of a chain that has history before it. */
export const chainStartedContent = (commitment: LegacyCommitment, at: Micros): ContentParts =>
  systemContent(CHAIN_STARTED, { ...commitment }, at)
