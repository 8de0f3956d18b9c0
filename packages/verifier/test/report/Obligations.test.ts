/**
 * The verdict is earned: a part that is left out, emptied, or of another place is never passed over, and what
 * an auditor brings is held against something or said to be unproven.
 */
import { type TestLog, testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { compareEvidence, layerTools, type Report, reportText, type VerifyOptions } from "../../src/index.ts"
import { serviceKey, signer, signerOf, stream, verify } from "../Bundles.ts"
import { testChain } from "../TestChain.ts"
import {
  anchor,
  drop,
  edit,
  editAnchor,
  type Json,
  type Lines,
  log,
  objectIn,
  ofType,
  otherHash,
  parse,
  recount,
  rewritten,
  withCheckpoint
} from "../tampering/Tampering.ts"

const plain = testLog({ events: 30 })
const other = rewritten(plain, ({ sequence }) => (sequence > 1 ? { salt: "0".repeat(32) } : {}))

/**
 * The log rewritten from its second event on, under the true checkpoint, as a range that says nothing of what
 * stands before it.
 */
const escaped = drop(
  withCheckpoint(testBundle(other, { from: 2, signer }), testBundle(plain, { signer })),
  ofType("prefix")
)

const chain = testChain()
const anchored = testLog({ events: 60, periods: [20, 40], send: chain.send })
const block = (at: number) => {
  const entry = [...chain.blocks][at]
  if (entry === undefined) throw new Error("no block")
  return new Map([entry])
}
const knowing: VerifyOptions = { anchorAddress: chain.address, knownBlocks: chain.blocks }
/** The log of an operator who has the key and rewrites history from an event on. */
const forged = (from: TestLog, first: number): TestLog => ({
  ...rewritten(from, ({ sequence }) => (sequence >= first ? { salt: "0".repeat(32) } : {})),
  anchors: []
})

const compare = (older: Lines, newer: Lines, options: VerifyOptions = { trustedKeys: [serviceKey] }) =>
  compareEvidence(stream(older), stream(newer), options).pipe(Effect.provide(layerTools))

const codes = ({ failed }: Pick<Report, "failed">) => failed.map(({ code }) => code)
const open = (report: Report) =>
  report.obligations.brought.flatMap(({ name, discharged }) => (discharged ? [] : [name]))

const verdictIs = (verdict: Report["verdict"], lines: Lines, options: VerifyOptions = {}) =>
  Effect.map(verify(lines, options), (report) => {
    assert.strictEqual(report.verdict, verdict, reportText(report))
    return report
  })

describe("what the writer always writes", () => {
  it.effect("is missed: the prefix, under a trusted key and the true checkpoint", () =>
    Effect.gen(function* () {
      const report = yield* verdictIs("tampered", escaped)
      assert.deepStrictEqual(codes(report), ["prefix_missing"])
    })
  )

  it.effect("is missed in the later of two bundles as well", () =>
    Effect.gen(function* () {
      const report = yield* compare(testBundle(plain, { signer, to: 1, size: 1 }), escaped)
      assert.strictEqual(report.verdict, "tampered")
    })
  )

  it.effect("is missed though an anchor's address and a block's hash are given", () =>
    Effect.gen(function* () {
      const report = yield* verify(escaped, { ...knowing, trustedKeys: [] })
      assert.strictEqual(report.verdict, "tampered")
      assert.deepStrictEqual(open(report), ["anchor_address", "block_hash", "block_hash"])
    })
  )

  it.effect("is missed: the way from a range to the root of an anchor that reaches beyond it", () =>
    Effect.gen(function* () {
      const range = testBundle(anchored, { to: 30, signer })
      yield* verdictIs("intact", range, knowing)
      const emptied = edit(range, anchor(40), () => ({ after: [] }))
      assert.deepStrictEqual(codes(yield* verdictIs("tampered", emptied)), ["anchor_root_differs"])
    })
  )

  it.effect("is missed: the period of an anchor that begins before the range", () =>
    Effect.gen(function* () {
      const range = testBundle(anchored, { from: 30, signer })
      yield* verdictIs("intact", range, { ...knowing, knownBlocks: block(1) })
      for (const period of [null, { first_sequence: 22, hashes: [otherHash, otherHash, otherHash] }]) {
        const lines = edit(range, ofType("prefix"), () => ({ period }))
        assert.deepStrictEqual(codes(yield* verdictIs("tampered", lines)), ["prefix_malformed"])
      }
    })
  )

  it.effect("is missed: the transaction of a confirmed anchor, or there is one too many", () =>
    Effect.gen(function* () {
      const bundle = testBundle(anchored, { signer })
      for (const times of [0, 2]) {
        const lines = edit(bundle, anchor(40), ({ transactions }) => ({
          transactions: Array(times).fill(Array.isArray(transactions) ? transactions[0] : undefined)
        }))
        assert.deepStrictEqual(codes(yield* verdictIs("tampered", lines)), ["transaction_differs"])
      }
    })
  )

  it.effect("is missed: history from before the chain", () =>
    Effect.gen(function* () {
      const without = recount(drop(testBundle(log, { signer }), ofType("legacy")))
      assert.deepStrictEqual(codes(yield* verdictIs("tampered", without)), ["legacy_missing"])
    })
  )

  it.effect("is nothing that stands where it never does", () =>
    Effect.gen(function* () {
      const whole = testBundle(log, { signer })
      const legacy = whole.filter(ofType("legacy"))
      const range = testBundle(log, { from: 30, signer })
      const [header = "", prefix = "", ...rest] = range
      const empty = testBundle(anchored, { from: 31, to: 30, signer })
      const [anchorLine = ""] = testBundle(anchored, { signer }).filter(anchor(40))
      const past = testBundle(anchored, { from: 45, signer })
      const cases: Record<string, Lines> = {
        "legacy events in a range": recount([header, prefix, ...legacy, ...rest]),
        "a prefix of a whole log": [whole[0] ?? "", prefix, ...whole.slice(1)],
        "a prefix of an empty range": [empty[0] ?? "", prefix, ...empty.slice(1)],
        "an anchor in an empty range": recount([empty[0] ?? "", anchorLine, ...empty.slice(1)]),
        "an anchor from before the range": recount([...past.slice(0, 2), anchorLine, ...past.slice(2)]),
        "a proof from an empty range": edit(empty, ofType("checkpoint"), () => ({ after: [otherHash] }))
      }
      for (const [what, lines] of Object.entries(cases)) {
        const report = yield* verify(lines)
        assert.strictEqual(report.verdict, "tampered", `${what}\n${reportText(report)}`)
      }
    })
  )

  it.effect("is of the form that it always has: the fields of an anchor", () =>
    Effect.gen(function* () {
      const bundle = testBundle(anchored, { signer })
      const changes: ReadonlyArray<Json> = [
        { period_end: "2024-05-01T12:00:40.000Z" },
        { period_end: "2024-05-01 12:00:40Z" },
        { period_start: "2024-13-01T12:00:20Z" },
        { last_event_hash: "x" },
        { block_number: -1 },
        { status: "pending" }
      ]
      for (const change of changes) {
        const lines = edit(
          bundle,
          anchor(40),
          editAnchor(() => change)
        )
        const report = yield* verify(lines)
        assert.strictEqual(report.failed[0]?.code, "anchor_malformed", JSON.stringify(change))
      }
    })
  )
})

describe("a removal beyond the range", () => {
  const erased = testLog({ events: 60, periods: [20, 40], erased: [7], send: testChain().send })
  const range = testBundle(erased, { to: 30, signer })

  it.effect("accounts for what is missing", () => verdictIs("intact", range))

  it.effect("stands there once, beyond the range", () =>
    Effect.gen(function* () {
      const twice = recount(range.flatMap((line) => (ofType("removal")(line) ? [line, line] : [line])))
      assert.deepStrictEqual(codes(yield* verdictIs("tampered", twice)), ["removal_not_in_log"])
      const removal = range.filter(ofType("removal"))
      const whole = testBundle(erased, { signer })
      const within = recount([...whole.slice(0, -1), ...removal, ...whole.slice(-1)])
      assert.deepStrictEqual(codes(yield* verdictIs("tampered", within)), ["removal_not_in_log"])
    })
  )

  it.effect("is shown to be among the events of an anchor that reaches beyond the range", () =>
    Effect.gen(function* () {
      // Erased within the period of the second anchor, which spans the end of the range.
      const within = testLog({ events: 35, periods: [20, 36], erased: [7], send: testChain().send })
      const lines = testBundle(within, { to: 30, signer })
      yield* verdictIs("intact", lines)
      const unproven = edit(lines, ofType("removal"), ({ event }) => ({
        event: { ...objectIn(event), anchored: null }
      }))
      assert.deepStrictEqual(codes(yield* verdictIs("tampered", unproven)), [
        "removal_not_in_log",
        "content_missing"
      ])
      for (const [name, value] of [
        ["first_event_hash", "none"],
        ["last_event_hash", "0".repeat(64)],
        ["period_end", "never"],
        ["previous_anchor_hash", null]
      ] as const) {
        const other = edit(lines, ofType("removal"), ({ event }) => {
          const { anchored, ...rest } = objectIn(event)
          const { anchor: before, ...proof } = objectIn(anchored)
          return {
            event: { ...rest, anchored: { ...proof, anchor: { ...objectIn(before), [name]: value } } }
          }
        })
        const report = yield* verdictIs("tampered", other)
        assert.include(codes(report), "removal_not_in_log", name)
      }
    })
  )
})

describe("what an auditor brings", () => {
  it.effect("holds up to an event that the report names", () =>
    Effect.gen(function* () {
      const report = yield* verdictIs("intact", testBundle(anchored, { to: 50, signer }), knowing)
      assert.deepStrictEqual(
        report.obligations.brought.map(({ name, up_to: upTo }) => [name, upTo]),
        [
          ["trusted_key", 50],
          ["anchor_address", 40],
          ["block_hash", 20],
          ["block_hash", 40]
        ]
      )
      assert.include(reportText(report), "up to event 40: anchor address")
    })
  )

  it.effect("is unproven on the first day: an address where no anchor is confirmed", () =>
    Effect.gen(function* () {
      const { anchorAddress } = knowing
      for (const young of [testLog({ events: 5 }), testLog({ events: 5, periods: [3] })]) {
        const bundle = testBundle(young, { signer })
        const report = yield* verdictIs("unproven", bundle, { anchorAddress: anchorAddress ?? "" })
        assert.deepStrictEqual(open(report), ["anchor_address"])
        assert.include(reportText(report), "UNPROVEN")
      }
    })
  )

  it.effect("is unproven: the hash of a block that no anchor of the file is in", () =>
    Effect.gen(function* () {
      const knownBlocks = new Map([...chain.blocks, [7, `0x${otherHash}`]])
      const report = yield* verdictIs("unproven", testBundle(anchored, { signer }), { knownBlocks })
      assert.deepStrictEqual(open(report), ["block_hash"])
      // Nor does a block that is only named vouch for anything.
      const named = edit(testBundle(anchored, { signer }), anchor(40), () => ({ block: null }))
      yield* verdictIs("unproven", named, { knownBlocks: chain.blocks })
      // One that the chain was asked for is no promise.
      yield* verdictIs("intact", testBundle(anchored, { signer }), {
        blockHashes: () => Effect.succeed(knownBlocks)
      })
    })
  )

  it.effect("is unproven: a key that signed nothing, beside one that did", () =>
    Effect.gen(function* () {
      const witness = { ...serviceKey, name: "witness", publicKey: signerOf(3).publicKey }
      const options = { trustedKeys: [serviceKey, witness] }
      const report = yield* verdictIs("unproven", testBundle(plain, { signer }), options)
      assert.deepStrictEqual(open(report), ["trusted_key"])
      yield* verdictIs("intact", testBundle(plain, { signer }), { ...options, anyKey: true })
    })
  )

  it.effect("is unproven: a key over a range without events, but not over a log without any", () =>
    Effect.gen(function* () {
      yield* verdictIs("unproven", testBundle(plain, { from: 11, to: 10, signer }))
      yield* verdictIs("unproven", testBundle(plain, { from: 1, to: 0, signer }))
      yield* verdictIs("intact", testBundle(testLog({ events: 0 }), { signer }))
      const [header = "", ...rest] = testBundle(testLog({ events: 0 }), { signer })
      const history = testBundle(log, { signer }).filter(ofType("legacy"))
      yield* verdictIs("unproven", recount([header, ...history, ...rest]))
    })
  )

  it.effect("is unproven: an earlier bundle that ends where this one has no tree", () =>
    Effect.gen(function* () {
      const older = testBundle(plain, { to: 10, size: 10, signer })
      for (const [from, verdict] of [
        [11, "intact"],
        [12, "intact"],
        [13, "unproven"]
      ] as const) {
        const report = yield* compare(older, testBundle(plain, { from, signer }))
        assert.strictEqual(report.verdict, verdict, String(from))
      }
      const shorter = yield* compare(
        testBundle(plain, { to: 20, signer }),
        testBundle(plain, { to: 15, signer })
      )
      assert.strictEqual(shorter.verdict, "unproven")
    })
  )

  it.effect("is enough in one of two bundles", () =>
    Effect.gen(function* () {
      const options: VerifyOptions = { ...knowing, trustedKeys: [serviceKey] }
      const older = testBundle(anchored, { to: 50, signer })
      const report = yield* compare(older, testBundle(anchored, { from: 51, signer }), options)
      assert.strictEqual(report.newer.verdict, "unproven")
      assert.strictEqual(report.verdict, "intact")
      assert.deepStrictEqual(
        report.brought.map(({ name, up_to: upTo }) => [name, upTo]),
        [
          ["trusted_key", 60],
          ["anchor_address", 40],
          ["block_hash", 20],
          ["block_hash", 40],
          ["earlier", 50]
        ]
      )
    })
  )
})

describe("an operator who has the signing key", () => {
  const older = testBundle(anchored, { to: 40, size: 40, signer })
  const options = { ...knowing, trustedKeys: [serviceKey] }

  it.effect("cannot rewrite what an anchor holds, whatever he leaves out", () =>
    Effect.gen(function* () {
      for (const first of [2, 20, 21, 35, 40]) {
        for (const from of [1, 2, 20, 21, 22, 30, 41]) {
          const lines = testBundle(forged(anchored, first), { from, signer })
          for (const anchors of [[], [20], [40], [20, 40]]) {
            const kept = testBundle(anchored, { from, signer }).filter(
              (line) => ofType("anchor")(line) && anchors.some((last) => anchor(last)(line))
            )
            const at = (line: string) => Number(parse(line).last_sequence)
            const placed = lines.flatMap((line) => [
              line,
              ...kept.filter((one) => line.endsWith(`"sequence":${at(one)},"type":"event"}\n`))
            ])
            const report = yield* verify(recount(placed), options)
            assert.notStrictEqual(report.verdict, "intact", `${first} ${from} ${anchors}`)
          }
        }
      }
    })
  )

  it.effect("cannot rewrite what an earlier bundle holds, whatever range he shows", () =>
    Effect.gen(function* () {
      for (const first of [2, 20, 40]) {
        const log = forged(anchored, first)
        for (const [from, to] of [
          [1, 60],
          [1, 39],
          [21, 60],
          [40, 60],
          [41, 60],
          [42, 60],
          [43, 60],
          [41, 40],
          [61, 60]
        ] as const) {
          const report = yield* compare(older, testBundle(log, { from, to, signer }))
          assert.notStrictEqual(report.verdict, "intact", `${first} ${from} ${to}`)
        }
      }
    })
  )

  it.effect("can write what he likes after the last anchor, and the report says up to where it holds", () =>
    Effect.gen(function* () {
      const log = { ...forged(anchored, 41), anchors: anchored.anchors }
      const report = yield* verdictIs("intact", testBundle(log, { signer }), options)
      assert.deepInclude(report.obligations.brought[1], { name: "anchor_address", up_to: 40 })
    })
  )

  it.effect("cannot pass a chain of his own for the log's", () =>
    Effect.gen(function* () {
      const own = testChain({ account: 2 })
      const log = testLog({ events: 60, periods: [20, 40], send: own.send })
      const report = yield* verify(testBundle(log, { signer }), options)
      assert.strictEqual(report.verdict, "tampered")
    })
  )
})

describe("the report", () => {
  it.effect("names a changed event by who, what and when, and what is said of its hash by its hash", () =>
    Effect.gen(function* () {
      const lines = edit(
        testBundle(plain, { signer }),
        (line) => line.endsWith('"sequence":17,"type":"event"}\n'),
        ({ content }) => ({
          content: { ...objectIn(content), actor: { id: "m\u001b[2Jallory", name: null, type: null } }
        })
      )
      const text = reportText(yield* verify(lines))
      assert.match(
        text,
        /✗ event 17 .*\[hash_mismatch, content_changed\]\n {6}m\ufffd\[2Jallory, .*, at 20.*, recorded at 2024/
      )
      assert.include(text, "hash_mismatch: it is not what was hashed")
      assert.notInclude(text, "holds every event")
      assert.include(text, "Its root covers the hash of every event of the bundle")
    })
  )

  it.effect("says that nothing was brought, where nothing was", () =>
    Effect.gen(function* () {
      const report = yield* verify(testBundle(plain, { signer }), { trustedKeys: [] })
      assert.strictEqual(report.verdict, "intact")
      assert.include(reportText(report), "You gave nothing to check against")
    })
  )

  it.effect("lists every obligation that the file has made, and how many were met", () =>
    Effect.gen(function* () {
      const { obligations } = yield* verify(testBundle(log, { signer }))
      for (const { name, owed, discharged } of obligations.claimed) assert.strictEqual(discharged, owed, name)
      const owed = new Map(obligations.claimed.map(({ name, owed: count }) => [name, count]))
      assert.strictEqual(owed.get("event_header"), log.events.length)
      assert.strictEqual(owed.get("content_removal"), 2)
      assert.strictEqual(owed.get("anchor_root"), 2)
    })
  )
})
