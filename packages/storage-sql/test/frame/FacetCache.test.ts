/** What is kept of groups is bounded, and what was asked for last stays. */
import { type FacetPart, FacetTally, sizeOfPart } from "@cairn/core/log"
import { FacetCache } from "@cairn/storage-sql"
import { assert, describe, it } from "@effect/vitest"

const VALUES = 1_000

const part = (): FacetPart => ({
  size: VALUES,
  keys: new Uint32Array(VALUES).map((_, at) => at),
  counts: new Uint32Array(VALUES).fill(1),
  bytes: new Uint8Array(8 * VALUES),
  owns: new Uint32Array(2 * VALUES),
  types: new Uint32Array(2 * VALUES),
  labels: new Uint32Array(2 * VALUES)
})

/** Counts of some parts. */
const counts = (...parts: ReadonlyArray<FacetPart>) => {
  const tally = new FacetTally()
  for (const one of parts) tally.add(one)
  return { tally, events: VALUES, from: 1 }
}

/** What one takes that has a part of its own. */
const ONE = sizeOfPart(part()) + counts(part()).tally.size

describe("the counts that are kept", () => {
  it("are those that were asked for last, as many as there is room for", () => {
    const cache = new FacetCache(4 * ONE)
    for (const name of ["a", "b", "c"]) cache.set(name, counts(part()))
    assert.isDefined(cache.get("a"))
    cache.set("d", counts(part()))
    assert.isUndefined(cache.get("b"))
    for (const name of ["a", "c", "d"]) assert.isDefined(cache.get(name), name)
    for (let again = 0; again < 9; again++) cache.set("d", counts(part()))
    for (const name of ["a", "c", "d"]) assert.isDefined(cache.get(name), name)
  })

  it("have a part once, and for as long as one of them has it", () => {
    const [first, second, third] = [part(), part(), part()]
    const cache = new FacetCache(5.2 * ONE)
    cache.set("first", counts(first))
    cache.set("second", counts(second))
    cache.set("third", counts(third))
    // As much again of each value, and not of each part.
    cache.set("all", counts(first, second, third))
    for (const name of ["first", "second", "third", "all"]) assert.isDefined(cache.get(name), name)
    // Without the others their parts are still there: only what each has beside its part is gained.
    cache.set("fourth", counts(part()))
    cache.set("fifth", counts(part()))
    for (const name of ["first", "second", "third"]) assert.isUndefined(cache.get(name), name)
    assert.isDefined(cache.get("all"))
    // With the last that has them, they are gone.
    for (const name of ["sixth", "seventh", "eighth"]) cache.set(name, counts(part()))
    for (const name of ["sixth", "seventh", "eighth"]) assert.isDefined(cache.get(name), name)
  })

  it("are none that is larger than all the room", () => {
    const cache = new FacetCache(ONE / 2)
    cache.set("a", counts(part()))
    assert.isUndefined(cache.get("a"))
  })
})
