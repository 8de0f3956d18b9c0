import type { StorePosition } from "@cairn/core/log"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { makeOwnChanges } from "../../src/http/plumbing/OwnChanges.ts"

const generated = generatedTests(import.meta.url)

const at = (written: number): StorePosition => ({ system: "00000000000000aa", timeline: 1, written })

describe("the own changes of a server", () => {
  it("are remembered by workspace, by the question that was asked last", () => {
    const changes = makeOwnChanges()
    assert.isUndefined(changes.of("one"))
    const [first, second] = [changes.asking(), changes.asking()]
    // The answers come in another order than the questions were asked.
    second("one", at(20))
    first("one", at(10))
    assert.deepStrictEqual(changes.of("one"), at(20))
    assert.isUndefined(changes.of("two"))
    changes.asking()("one", "unknown")
    assert.strictEqual(changes.of("one"), "unknown")
    changes.asking()("one", at(5))
    assert.deepStrictEqual(changes.of("one"), at(5))
  })

  it("that were dropped are seen by all who are not remembered", () => {
    const changes = makeOwnChanges(2)
    for (const [name, seen] of [
      ["one", at(10)],
      ["two", "unknown"],
      ["three", at(30)]
    ] as const) {
      changes.asking()(name, seen)
    }
    assert.deepStrictEqual(changes.of("one"), at(10))
    assert.deepStrictEqual(changes.of("four"), at(10))
    changes.asking()("four", at(40))
    assert.strictEqual(changes.of("two"), "unknown")
    assert.strictEqual(changes.of("five"), "unknown")
    assert.deepStrictEqual(changes.of("three"), at(30))
    changes.asking()("five", at(50))
    // Asked after the one that nobody knows, and so behind it.
    assert.deepStrictEqual(changes.of("two"), at(30))
  })

  it("are never seen as less than the newest of the workspace, however many there are", () =>
    generated.stories({}, (random) => {
      const changes = makeOwnChanges(5)
      const newest = new Map<string, number>()
      const open: Array<() => void> = []
      for (let written = 1; written < 2_000; written++) {
        const name = `w${random.below(20)}`
        const answered = changes.asking()
        open.push(() => {
          answered(name, at(written))
          newest.set(name, Math.max(newest.get(name) ?? 0, written))
        })
        while (open.length > random.below(20)) open.splice(random.below(open.length), 1)[0]?.()
        for (const [one, least] of newest) {
          const seen = changes.of(one)
          assert.isTrue(typeof seen === "object" && seen.written >= least, `${one}: ${JSON.stringify(seen)}`)
        }
      }
    }))
})
