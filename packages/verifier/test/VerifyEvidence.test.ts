import { testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { signer, verify } from "./Bundles.ts"

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
})
