/**
 * Port: the keys that sign checkpoints, the newest checkpoint that was signed for each log, and those that
 * were published.
 */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** A key as it is stored. */
export interface CheckpointKey {
  /** From 1; the newest key has the highest. */
  readonly number: number
  /** Its name in the notes that it signs; the same for all keys of a service. */
  readonly name: string
  /** Base64 of 32 bytes. */
  readonly publicKey: string
  /**
   * Base64 of the seed, 32 bytes (RFC 8032 section 5.1.5), sealed by `SecretBox` with the owner
   * {@link checkpointKeyOwner}.
   */
  readonly sealedSeed: string
  readonly createdAt: Micros
}

/** What the seed of a key is sealed for. */
export const checkpointKeyOwner = (number: number): string => `checkpoint-key/${number}`

/** A checkpoint that was given out. */
export const IssuedCheckpoint = Schema.Struct({
  /** Events of the chain that it is about. */
  size: Schema.Number,
  /** The Merkle root over them, 64 lower-case hexadecimal characters. */
  root: Schema.String,
  /** The newest key that signed it. */
  keyNumber: Schema.Number,
  /** The signed note. */
  note: Schema.String
})
export type IssuedCheckpoint = typeof IssuedCheckpoint.Type

/** A checkpoint that was signed unasked, and told of. */
export interface PublishedCheckpoint {
  readonly size: number
  /** 64 lower-case hexadecimal characters. */
  readonly root: string
  /** The signed note. */
  readonly note: string
  readonly signedAt: Micros
}

/**
 * Contract:
 *
 * - What a call returned is durable.
 * - Of two that add a key of the same number one does it, and the other changes nothing.
 * - Nothing of a key ever changes but the form in which its seed is sealed.
 * - A log's newest checkpoint never shrinks: `issue` leaves one that is larger as it is.
 * - What was published is kept for ever: of two of one size the first stays.
 */
interface CheckpointsShape {
  /** Newest first. */
  readonly keys: Effect.Effect<ReadonlyArray<CheckpointKey>, StorageUnavailable>
  /**
   * The highest number of a key by which a log's newest checkpoint is signed, be the key there or not; 0
   * where none is signed.
   */
  readonly lastSigningKey: Effect.Effect<number, StorageUnavailable>
  /** Whether the key was added. */
  readonly addKey: (key: CheckpointKey) => Effect.Effect<boolean, StorageUnavailable>
  /** Stores the same seed, sealed anew; without a key of the number it does nothing. */
  readonly resealKey: (number: number, sealedSeed: string) => Effect.Effect<void, StorageUnavailable>
  readonly newest: (workspaceId: string) => Effect.Effect<Option.Option<IssuedCheckpoint>, StorageUnavailable>
  readonly issue: (
    workspaceId: string,
    checkpoint: IssuedCheckpoint
  ) => Effect.Effect<void, StorageUnavailable>
  readonly publish: (
    workspaceId: string,
    checkpoint: PublishedCheckpoint
  ) => Effect.Effect<void, StorageUnavailable>
  /** The published ones that are larger than `size`, the smallest first. */
  readonly publishedAfter: (
    workspaceId: string,
    size: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<PublishedCheckpoint>, StorageUnavailable>
  /** The published ones that are smaller than `before`, unless that is null, the largest first. */
  readonly publishedPage: (
    workspaceId: string,
    page: { readonly before: number | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<PublishedCheckpoint>, StorageUnavailable>
  readonly publishedCount: (workspaceId: string) => Effect.Effect<number, StorageUnavailable>
}

/** The keys and the checkpoints. */
export class Checkpoints extends Context.Service<Checkpoints, CheckpointsShape>()(
  "@cairn/core/Checkpoints"
) {}
