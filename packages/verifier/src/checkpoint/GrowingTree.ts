/** A Merkle tree that events are added to one by one, and that keeps its roots at the sizes asked for. */

import { HASH_BYTES, type Sha256Shape } from "@cairn/core/hashing"
import {
  appendLeafHashes,
  frontierRoot,
  hashAt,
  leafHash,
  type MerkleFrontier,
  type TreeHash,
  writeHex
} from "@cairn/core/merkle"

/**
 * Leaves that are collected before their nodes are hashed together; one by one, each would copy the frontier.
 */
const BATCH = 256

/** The leaf that an event is, by its hash, 64 lower-case hexadecimal characters. */
export const leafOf = (sha256: Sha256Shape, eventHash: string): TreeHash => {
  const data = new Uint8Array(HASH_BYTES)
  if (!writeHex(eventHash, data)) throw new Error("an event hash is 64 characters")
  return leafHash(sha256, data)
}

/** A SHA-256 a leaf; keeps log₂ n hashes and a batch of leaves. */
export class GrowingTree {
  #frontier: MerkleFrontier
  readonly #sha256: Sha256Shape
  readonly #leaves = new Uint8Array(BATCH * HASH_BYTES)
  #gathered = 0
  /** Sizes whose roots are asked for, ascending, and the next of them. */
  readonly #watched: ReadonlyArray<number>
  #nextWatched = 0
  readonly #roots = new Map<number, TreeHash>()

  constructor(sha256: Sha256Shape, frontier: MerkleFrontier, watched: ReadonlyArray<number> = []) {
    this.#sha256 = sha256
    this.#frontier = frontier
    this.#watched = watched.filter((size) => size >= frontier.size).toSorted((one, other) => one - other)
    this.#watch()
  }

  get size(): number {
    return this.#frontier.size + this.#gathered
  }

  /** Adds the leaf whose hash stands at `index` among others. */
  add(leafHashes: Uint8Array, index = 0): void {
    this.#leaves.set(hashAt(leafHashes, index), this.#gathered * HASH_BYTES)
    this.#gathered++
    if (this.#gathered === BATCH) this.#flush()
    if (this.#watched[this.#nextWatched] === this.size) this.#watch()
  }

  /** The frontier over all that was added. */
  get frontier(): MerkleFrontier {
    this.#flush()
    return this.#frontier
  }

  /** The root at one of the sizes that were asked for; `undefined` if the tree never had it. */
  rootAt(size: number): TreeHash | undefined {
    return this.#roots.get(size)
  }

  #watch(): void {
    while (this.#watched[this.#nextWatched] === this.size) {
      this.#roots.set(this.size, frontierRoot(this.#sha256, this.frontier))
      this.#nextWatched++
    }
  }

  #flush(): void {
    if (this.#gathered === 0) return
    const hashes = this.#leaves.subarray(0, this.#gathered * HASH_BYTES)
    this.#gathered = 0
    this.#frontier = appendLeafHashes(this.#sha256, this.#frontier, hashes)
  }
}
