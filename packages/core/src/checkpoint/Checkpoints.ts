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
   * Base64 of the 32-byte seed (RFC 8032 section 5.1.5), sealed by `SecretBox` for the owner {@link
   * checkpointKeyOwner}.
   */
  readonly sealedSeed: string
  readonly createdAt: Micros
}

/** The owner that the seed of a key is sealed for. */
export const checkpointKeyOwner = (number: number): string => `checkpoint-key/${number}`

/** The newest checkpoint that was signed for a log. */
export const IssuedCheckpoint = Schema.Struct({
  /** How many events of the chain it covers. */
  size: Schema.Number,
  /** The Merkle root over them, 64 lower-case hexadecimal characters. */
  root: Schema.String,
  /** The number of the newest key that signed it. */
  keyNumber: Schema.Number,
  /** The signed note. */
  note: Schema.String
})
export type IssuedCheckpoint = typeof IssuedCheckpoint.Type

/** A checkpoint that the service signed and published by itself. */
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
 * - When a call returns, its result is durable.
 * - If two calls add a key with the same number, one adds it and the other changes nothing.
 * - A key never changes, except that its seed may be sealed again.
 * - A log's newest checkpoint never gets smaller: `issue` does not replace a larger one.
 * - Published checkpoints are kept for ever. Of two with the same size, the first is kept.
 */
interface CheckpointsShape {
  /** Newest first. */
  readonly keys: Effect.Effect<ReadonlyArray<CheckpointKey>, StorageUnavailable>
  /**
   * The highest number of a key that signed the newest checkpoint of any log, even if the key itself is
   * missing; 0 if nothing is signed.
   */
  readonly lastSigningKey: Effect.Effect<number, StorageUnavailable>
  /** Whether the key was added. */
  readonly addKey: (key: CheckpointKey) => Effect.Effect<boolean, StorageUnavailable>
  /** Stores the same seed, sealed again. Does nothing if there is no key with the number. */
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
  /** The published checkpoints that are larger than `size`, the smallest first. */
  readonly publishedAfter: (
    workspaceId: string,
    size: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<PublishedCheckpoint>, StorageUnavailable>
  /** The published checkpoints that are smaller than `before`, or all if that is null, the largest first. */
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
