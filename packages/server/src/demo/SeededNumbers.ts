/** Numbers that look random and are the same for the same seed. Nothing secret is made of them. */

/** Choices by chance. */
export interface SeededNumbers {
  /** From 0, included, to 1, excluded. */
  readonly next: () => number
  /** An integer, both ends included. */
  readonly between: (least: number, most: number) => number
  /** Whether something happens that happens so often of a hundred times. */
  readonly percent: (chance: number) => boolean
  /** One of at least one. */
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  /** One of at least one, the more often the greater its share. */
  readonly pickByShare: <A extends { readonly share: number }>(items: ReadonlyArray<A>) => A
}

/** Mulberry32 by Tommy Ettinger: 32 bits of state, enough for what nobody relies on. */
const mulberry32 = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The item at an index of a list that has it. */
const at = <A>(items: ReadonlyArray<A>, index: number): A => {
  if (index >= items.length) throw new Error("nothing to choose from")
  return items[index] as A
}

/** Makes them. */
export const seededNumbers = (seed: number): SeededNumbers => {
  const next = mulberry32(seed)
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    percent: (chance) => next() * 100 < chance,
    pick: (items) => at(items, between(0, items.length - 1)),
    pickByShare: (items) => {
      let left = next() * items.reduce((sum, { share }) => sum + share, 0)
      const found = items.findIndex(({ share }) => {
        left -= share
        return left < 0
      })
      return at(items, found === -1 ? items.length - 1 : found)
    }
  }
}
