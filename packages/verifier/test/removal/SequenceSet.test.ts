import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { SequenceSet } from "../../src/removal/SequenceSet.ts"

const generated = generatedTests(import.meta.url)

const near = fc.integer({ min: -10_000, max: 10_000 })
const runsOf = (set: SequenceSet) => [...set.runs()].map(({ first, last }) => [first, last])

/** What the runs of a plain set would be. */
const expected = (sequences: Iterable<number>) => {
  const runs: Array<[number, number]> = []
  for (const sequence of [...sequences].sort((one, other) => one - other)) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === sequence - 1) run[1] = sequence
    else runs.push([sequence, sequence])
  }
  return runs
}

describe("SequenceSet", () => {
  it("holds what was added and not taken out, as runs", () => {
    generated.property(
      fc.property(fc.array(near), fc.array(near), (added, removed) => {
        const [set, plain] = [new SequenceSet(), new Set(added)]
        for (const sequence of added) assert.isTrue(set.add(sequence))
        for (const sequence of [...removed, ...added.slice(0, 3)]) {
          set.delete(sequence)
          plain.delete(sequence)
        }
        assert.deepStrictEqual(runsOf(set), expected(plain))
      })
    )
  })

  it("forgets what lies in intervals, and says how many those were", () => {
    const far = fc.integer({ min: -50_000, max: 50_000 })
    generated.property(
      fc.property(
        fc.array(far, { maxLength: 300 }),
        fc.array(fc.tuple(far, far)),
        fc.array(far),
        (added, intervals, single) => {
          const [set, plain] = [new SequenceSet(), new Set(added)]
          for (const sequence of added.toSorted((one, other) => one - other)) set.add(sequence)
          for (const [first, end] of intervals) {
            for (const sequence of single.slice(0, 1))
              assert.strictEqual(set.delete(sequence), plain.delete(sequence))
            const gone = [...plain].filter((sequence) => sequence >= first && sequence < end)
            assert.strictEqual(set.deleteFrom(first, end), gone.length)
            for (const sequence of gone) plain.delete(sequence)
          }
          assert.deepStrictEqual(runsOf(set), expected(plain))
        }
      )
    )
  })

  it("joins runs across its pages", () => {
    const set = new SequenceSet()
    for (let sequence = 4_000; sequence <= 9_000; sequence++) set.add(sequence)
    assert.deepStrictEqual(runsOf(set), [[4_000, 9_000]])
  })

  it("says when there is no room for more", () => {
    const set = new SequenceSet()
    let count = 0
    while (set.add(count * 4_096)) count++
    assert.strictEqual(count, 262_144)
    assert.isTrue(set.add(1))
  })
})
