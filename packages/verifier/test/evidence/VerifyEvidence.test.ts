import { hashFromHex, memoryNodes, rootFromNodes } from "@cairn/core/merkle"
import { testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Report } from "../../src/index.ts"
import { sha256, signer, verify } from "../Bundles.ts"

const log = testLog({ events: 100, periods: [40, 80] })

describe("verifyEvidence", () => {
  it.effect("finds nothing wrong with a bundle of a whole log", () =>
    Effect.gen(function* () {
      const report = yield* verify(testBundle(log, { signer }))
      assert.deepStrictEqual(report.failed, [])
      assert.strictEqual(report.verdict, "intact")
      assert.deepStrictEqual(report.counts, { events: 100, removed: 0, legacy: 0, anchors: 2 })
    })
  )

  it.effect("finds an event whose content was changed", () =>
    Effect.gen(function* () {
      const lines = testBundle(log, { signer }).map((line) =>
        line.includes('"sequence":17,')
          ? line.replace(/"ip_city":("[^"]*"|null)/, '"ip_city":"Nowhere"')
          : line
      )
      const report = yield* verify(lines)
      assert.strictEqual(report.verdict, "tampered")
      assert.deepStrictEqual(
        report.failed.map(({ code, subject }) => ({ code, subject })),
        [
          {
            code: "content_changed",
            subject: { kind: "event", sequence: 17, id: log.events[16]?.id ?? null }
          }
        ]
      )
    })
  )

  describe("of an auditor who kept a checkpoint", () => {
    const read = memoryNodes(
      sha256,
      log.events.map(({ eventHash }) => Result.getOrThrow(hashFromHex(eventHash ?? "", "leaf_data")))
    )
    const earlier = (size: number) => [
      {
        origin: log.origin,
        size,
        root: Result.getOrThrow(rootFromNodes(sha256, read, size)),
        source: "the checkpoint that you kept"
      }
    ]
    const about = ({ failed, proven, obligations }: Report) => [
      ...failed.map(({ code }) => code),
      ...proven.map(({ message }) => message).filter((message) => message.includes("you kept")),
      ...obligations.brought.flatMap(({ name, discharged }) => (name === "earlier" ? [discharged] : []))
    ]

    it.effect("proves that the log continues it, at every size that the range shows", () =>
      Effect.gen(function* () {
        const range = testBundle(log, { signer, from: 50, to: 90 })
        for (let size = 0; size <= 100; size++) {
          const report = yield* verify(range, { earlier: earlier(size) })
          const shown = size === 0 || (size >= 48 && size <= 90) || size === 100
          assert.deepStrictEqual(
            about(report),
            shown ? ["The log is a continuation of that of the checkpoint that you kept", true] : [false]
          )
          assert.strictEqual(report.verdict, shown ? "intact" : "unproven")
        }
      })
    )

    it.effect("finds a log that does not, or that is shorter", () =>
      Effect.gen(function* () {
        const [tree] = earlier(70)
        if (tree === undefined) return assert.fail("no tree")
        const bundle = testBundle(log, { signer })
        const other = yield* verify(bundle, { earlier: [{ ...tree, root: tree.root.toReversed() }] })
        assert.deepStrictEqual(about(other), ["checkpoint_inconsistent", false])
        const shorter = yield* verify(testBundle(log, { signer, to: 60, size: 60 }), { earlier: [tree] })
        assert.deepStrictEqual(about(shorter), ["dropped_since", false])
      })
    )
  })
})
