/** Randomness that a seed repeats, so that a failing test fails again. */
import { Randomness, type RandomnessShape } from "@cairn/core/hashing"
import { Layer } from "effect"

/** A stream of random numbers. */
export interface SeededRandom {
  /** A number from 0 to 1, 1 excluded. */
  readonly real: () => number
  /** An integer from 0 to `bound`, `bound` excluded. */
  readonly below: (bound: number) => number
  /** True in `share` of all cases, 0 to 1. */
  readonly chance: (share: number) => boolean
  /** One of `items`, of which there must be some. */
  readonly pick: <A>(items: ReadonlyArray<A>) => A
}

/** SplitMix32: a 32-bit counter through a mixing function. Random enough for a test, not for a secret. */
export const seededRandom = (seed: number): SeededRandom => {
  let state = seed | 0
  const real = () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  const below = (bound: number) => Math.floor(real() * bound)
  return {
    real,
    below,
    chance: (share) => real() < share,
    pick: (items) => {
      if (items.length === 0) throw new RangeError("there is nothing to pick from")
      return items[below(items.length)] as (typeof items)[number]
    }
  }
}

/** The core's source of ids and salts, from a seed. */
export const seededRandomness = (seed: number): RandomnessShape => {
  const { below } = seededRandom(seed)
  return { bytes: (count) => Uint8Array.from({ length: count }, () => below(256)) }
}

/** {@link seededRandomness} as the service. */
export const layerSeededRandomness = (seed: number) => Layer.sync(Randomness, () => seededRandomness(seed))
