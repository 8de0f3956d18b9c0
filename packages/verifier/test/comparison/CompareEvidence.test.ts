import { testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  type ComparisonReport,
  compareEvidence,
  type FailureCode,
  layerTools,
  type Verdict
} from "../../src/index.ts"
import { serviceKey, signer, stream } from "../Bundles.ts"
import { testChain } from "../TestChain.ts"
import { rewritten } from "../tampering/Tampering.ts"

type Lines = ReadonlyArray<string>

const compare = (older: Lines, newer: Lines): Effect.Effect<ComparisonReport> =>
  compareEvidence(stream(older), stream(newer), { trustedKeys: [serviceKey] }).pipe(
    Effect.provide(layerTools)
  )

interface Found {
  readonly verdict: Verdict
  readonly older: ReadonlyArray<FailureCode>
  readonly newer: ReadonlyArray<FailureCode>
  readonly between: ReadonlyArray<FailureCode>
}

const found = (report: ComparisonReport): Found => ({
  verdict: report.verdict,
  older: report.older.failed.map(({ code }) => code),
  newer: report.newer.failed.map(({ code }) => code),
  between: report.failed.map(({ code }) => code)
})

const intact: Found = { verdict: "intact", older: [], newer: [], between: [] }

/** Logs of which the later ones continue the earlier ones. */
const log = (events: number) =>
  testLog({ events, periods: [50, 100, 150].filter((end) => end <= events), erased: [] })
const young = log(120)
const old = log(200)

/** The bundle dated a day later than the test log's others. */
const later = (lines: Lines): Lines =>
  lines.map((line, index) =>
    index === 0 ? line.replace(/"created_at":"2024-05-0\d/, '"created_at":"2024-05-09') : line
  )

describe("compareEvidence", () => {
  it.effect("says nothing of what is between bundles of which one cannot be read to its end", () =>
    Effect.gen(function* () {
      const whole = testBundle(young, { signer })
      const other = testBundle(testLog({ events: 120, seed: 2 }), { signer })
      const cut = (lines: Lines): Lines => [...lines.slice(0, 90), "{}\n"]
      for (const [one, another] of [
        [whole, cut(other)],
        [cut(whole), other],
        [cut(whole), later(testBundle(log(20), { signer }))]
      ] as const) {
        const report = yield* compare(one, another)
        assert.strictEqual(report.verdict, "unreadable")
        assert.deepStrictEqual(found(report).between, [])
      }
    })
  )

  it.effect("proves that a log only grew", () =>
    Effect.gen(function* () {
      const report = yield* compare(testBundle(young, { signer }), later(testBundle(old, { signer })))
      assert.deepStrictEqual(found(report), intact)
      assert.include(
        report.proven.map(({ message }) => message),
        "Events 1 to 120: the same in both bundles"
      )
    })
  )

  it.effect("proves it for bundles of two ranges that meet, such as two months", () =>
    Effect.gen(function* () {
      const older = testBundle(young, { from: 1, to: 100, signer })
      const report = yield* compare(older, later(testBundle(old, { from: 101, to: 200, signer })))
      assert.deepStrictEqual(found(report), intact)
      const continued = report.newer.proven.filter(({ message }) =>
        message.includes("is a continuation of that")
      )
      assert.deepStrictEqual(
        continued.map(({ message }) => message),
        [
          "The log is a continuation of that of the earlier bundle",
          "The log is a continuation of that of the earlier bundle's checkpoint"
        ]
      )
    })
  )

  it.effect("finds that a log was written anew, though each bundle is intact by itself", () =>
    Effect.gen(function* () {
      const other = testLog({ events: 200, seed: 1 })
      const rewritten = {
        ...testLog({ events: 200, seed: 2 }),
        origin: other.origin,
        workspaceId: other.workspaceId
      }
      // Another seed makes other events; they are chained under the same name.
      const older = testBundle(other, { signer, to: 100, size: 100 })
      const report = yield* compare(older, later(testBundle(rewritten, { signer })))
      assert.strictEqual(report.verdict, "tampered")
      assert.include(found(report).between, "changed_since")
      assert.include(found(report).newer, "checkpoint_inconsistent")
    })
  )

  it.effect(
    "finds two views of one log that fork, by the bundles of the two auditors they were shown to",
    () =>
      Effect.gen(function* () {
        const fork = rewritten({ ...old, anchors: [] }, ({ sequence }) =>
          sequence > 60 ? { salt: sequence.toString(16).padStart(32, "0") } : {}
        )
        const one = testBundle({ ...old, anchors: [] }, { signer })
        const report = yield* compare(one, later(testBundle(fork, { signer })))
        assert.deepStrictEqual(found(report), {
          verdict: "tampered",
          older: [],
          newer: ["checkpoint_inconsistent", "checkpoint_inconsistent"],
          between: ["changed_since"]
        })
        assert.match(
          report.failed[0]?.message ?? "",
          /^Events 61 to 200: differs from the earlier bundle, where /
        )
      })
  )

  it.effect("finds that the end of a log was cut off", () =>
    Effect.gen(function* () {
      const report = yield* compare(testBundle(old, { signer }), later(testBundle(young, { signer })))
      assert.deepStrictEqual(found(report), {
        ...intact,
        verdict: "tampered",
        newer: ["dropped_since", "dropped_since"],
        // The anchor over the missing events.
        between: ["dropped_since"]
      })
    })
  )

  it.effect("finds that an anchor was exchanged", () =>
    Effect.gen(function* () {
      const [anchor] = old.anchors
      if (anchor === undefined) return assert.fail("no anchor")
      const renamed = {
        ...anchor,
        anchor: { ...anchor.anchor, id: "anc_00000000-0000-4000-8000-000000000000" }
      }
      const newer = testBundle({ ...old, anchors: [renamed, ...old.anchors.slice(1)] }, { signer })
      const report = yield* compare(testBundle(young, { signer }), later(newer))
      assert.deepStrictEqual(found(report), { ...intact, verdict: "tampered", between: ["dropped_since"] })
      assert.deepStrictEqual(report.failed[0]?.subject, { kind: "anchor", id: anchor.anchor.id })
    })
  )

  it.effect("finds that a field of an anchor was changed that its root does not hold", () =>
    Effect.gen(function* () {
      const [anchor] = old.anchors
      if (anchor === undefined) return assert.fail("no anchor")
      const changed = { ...anchor, anchor: { ...anchor.anchor, created_at: "2024-05-02T00:00:00Z" } }
      const newer = testBundle({ ...old, anchors: [changed, ...old.anchors.slice(1)] }, { signer })
      const report = yield* compare(testBundle(young, { signer }), later(newer))
      assert.deepStrictEqual(found(report), { ...intact, verdict: "tampered", between: ["changed_since"] })
    })
  )

  it.effect(
    "takes an anchor for the same that a reorganisation has put into another block, or into none",
    () =>
      Effect.gen(function* () {
        const chain = testChain()
        const log = testLog({ events: 30, periods: [10, 20], send: chain.send })
        const lines = (anchors: typeof log.anchors) => testBundle({ ...log, anchors }, { signer })
        const [first, last] = log.anchors
        if (first === undefined || last === undefined) return assert.fail("no anchors")
        const elsewhere = { ...last.anchor, block_number: (last.anchor.block_number ?? 0) + 1 }
        const none = { ...last.anchor, status: "submitted" as const, tx_hash: null, block_number: null }
        const changes = [
          { ...last, anchor: elsewhere, block: null },
          { ...last, anchor: { ...none, explorer_url: null }, transactions: [], block: null }
        ]
        for (const changed of changes) {
          const report = yield* compare(lines(log.anchors), later(lines([first, changed])))
          assert.deepStrictEqual(found(report), intact, JSON.stringify(report.failed))
          assert.include(JSON.stringify(report.not_checked), "whether the chain was reorganised")
        }
        // A later anchor commits to the transaction of the one before it.
        const without = {
          ...first,
          anchor: { ...first.anchor, ...none, merkle_root: first.anchor.merkle_root }
        }
        const { verdict } = yield* compare(lines(log.anchors), later(lines([without, last])))
        assert.strictEqual(verdict, "tampered")
      })
  )

  it.effect(
    "names what was changed by who, what and when, before and now, and not what merely follows it",
    () =>
      Effect.gen(function* () {
        const plain = { ...young, anchors: [] }
        const changed = rewritten(plain, ({ sequence, content }) =>
          sequence === 29
            ? { content: content?.replace(/"action":"[^"]*"/, '"action":"mallory.did"') ?? null }
            : {}
        )
        const { failed } = yield* compare(
          testBundle(plain, { signer }),
          later(testBundle(changed, { signer }))
        )
        const [itself, rest] = failed
        const action = /"action":"([^"]*)"/.exec(plain.events[28]?.content ?? "")?.[1] ?? ""
        assert.match(itself?.message ?? "", /^Event 29: differs from the earlier bundle, where /)
        assert.include(itself?.message ?? "", `did ${action}, recorded at 2024-05-01T12:00:28.000000Z`)
        assert.strictEqual(itself?.event?.action, "mallory.did")
        assert.strictEqual(itself?.expected, plain.events[28]?.eventHash)
        assert.strictEqual(itself?.actual, changed.events[28]?.eventHash)
        assert.strictEqual(
          rest?.message,
          "Events 30 to 120: unchanged, but events before differ from the earlier bundle"
        )
        assert.lengthOf(failed, 2)
      })
  )

  it.effect("says that contents were removed since, not that they were changed", () =>
    Effect.gen(function* () {
      const erased = testLog({ events: 120, periods: [50, 100], erased: [7, 8, 60] })
      const report = yield* compare(testBundle(young, { signer }), later(testBundle(erased, { signer })))
      assert.deepStrictEqual(found(report), intact)
      assert.strictEqual(report.newer.counts.removed, 3)
    })
  )

  it.effect(
    "finds that the history from before the chain was dropped under cover of a true record of retention",
    () =>
      Effect.gen(function* () {
        const options = { events: 30, legacy: 5, retained: [{ at: 20, below: 10, older: true }] }
        const retained = testLog(options)
        const before = testBundle(testLog({ ...options, unremoved: true }), { signer, to: 15, size: 15 })
        const whole = testBundle(retained, { signer })
        const dropped = testBundle(retained, { signer, history: false }).map((line) =>
          line.includes('"sequence":1,')
            ? line
                .replace(/"content":\{.*\},"content_hash"/, '"content":null,"content_hash"')
                .replace(/"salt":"[0-9a-f]+"/, '"salt":null')
            : line
        )
        const report = yield* compare(before, later(dropped))
        assert.deepStrictEqual(found(report), {
          ...intact,
          verdict: "tampered",
          newer: ["dropped_since"],
          between: ["dropped_since"]
        })
        assert.deepStrictEqual(found(yield* compare(before, later(whole))), intact)
      })
  )

  it.effect("finds two bundles of two logs", () =>
    Effect.gen(function* () {
      const other = testLog({ events: 120, seed: 9 })
      const report = yield* compare(testBundle(young, { signer }), later(testBundle(other, { signer })))
      assert.deepStrictEqual(found(report).between, ["another_log"])
      assert.deepStrictEqual(found(report).newer, ["another_log", "another_log"])
    })
  )

  it.effect("says where the later bundle does not reach", () =>
    Effect.gen(function* () {
      const report = yield* compare(
        testBundle(young, { signer }),
        later(testBundle(old, { from: 40, to: 80, signer }))
      )
      assert.deepStrictEqual(found(report), { ...intact, verdict: "unproven" })
      assert.deepStrictEqual(
        report.not_checked.map(({ message }) => message),
        [
          "Events 1 to 39 of the earlier bundle: outside the later bundle's range",
          "Events 81 to 120 of the earlier bundle: outside the later bundle's range"
        ]
      )
    })
  )

  it.effect("says that one of them cannot be read", () =>
    Effect.gen(function* () {
      const report = yield* compareEvidence(stream(testBundle(young)), stream(Buffer.from("PK"))).pipe(
        Effect.provide(layerTools)
      )
      assert.strictEqual(report.verdict, "unreadable")
      assert.deepStrictEqual(report.older.unreadable, null)
      assert.isNotNull(report.newer.unreadable)
    })
  )
})
