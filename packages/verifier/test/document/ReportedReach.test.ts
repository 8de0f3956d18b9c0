/** How far a report's words go: no further than what was shown, and of the file that it was shown of. */
import { gzipSync } from "node:zlib"
import { formatVerifierKey, makeVerifierKey } from "@cairn/core/note"
import { TEST_KEY_NAME, testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import {
  checkEvidence,
  comparisonText,
  FileChanged,
  layerTools,
  reportText,
  type VerifyOptions,
  vouchingFor
} from "../../src/index.ts"
import { serviceKey, sha256, signer, signerOf } from "../Bundles.ts"
import { testChain } from "../TestChain.ts"
import { drop, edit, event, type Lines, ofType } from "../tampering/Tampering.ts"
import { reportOf, textOf } from "./Documents.ts"

const chain = testChain()
const log = testLog({ events: 60, periods: [20, 40], send: chain.send })
const known: VerifyOptions = { anchorAddress: chain.address, knownBlocks: chain.blocks }
const one = (content: Lines) => [{ name: "b.gz", content }] as const
const two = (earlier: Lines | Uint8Array, later: Lines) =>
  [
    { name: "earlier.gz", content: earlier },
    { name: "later.gz", content: later }
  ] as const

const reported = (files: Parameters<typeof reportOf>[0], options: VerifyOptions = {}) =>
  Effect.map(reportOf(files, options), (made) => ({ ...made, text: textOf(made.html) }))

describe("the verdict of an intact file", () => {
  it.effect("goes as far as what was given reaches", () =>
    Effect.gen(function* () {
      const [newest] = [...chain.blocks].slice(-1)
      const last = new Map(newest === undefined ? [] : [newest])
      const cases: ReadonlyArray<readonly [Lines, VerifyOptions, string, string]> = [
        [testBundle(log, { signer }), { trustedKeys: [serviceKey] }, "whole", "INTACT"],
        [testBundle(log), known, "part", "INTACT, VOUCHED FOR UP TO EVENT 40 OF 60"],
        [testBundle(log, { to: 40 }), known, "whole", "INTACT"],
        [testBundle(log, { to: 30 }), known, "whole", "INTACT"],
        // A block holds the anchors of anybody, and the account's may be in none.
        [testBundle(log), { knownBlocks: last }, "nothing", "INTACT BY ITSELF"],
        [testBundle(log), { anchorAddress: chain.address }, "nothing", "INTACT BY ITSELF"]
      ]
      for (const [lines, options, kind, word] of cases) {
        const made = yield* reported(one(lines), options)
        assert.strictEqual(made.report.verdict, "intact", made.text)
        assert.strictEqual(vouchingFor(made).kind, kind)
        assert.include(made.html, `<p class="word">${word}</p>`)
        assert.include(made.html, `<title>Evidence report: ${word}</title>`)
        if ("newer" in made.report) return assert.fail("two bundles")
        assert.match(reportText(made.report), new RegExp(`^${word}: every required check succeeded\n`))
      }
      const part = yield* reported(one(testBundle(log)), known)
      assert.include(part.text, "Events 41 to 60 rest on the file alone.")
      assert.include(part.text, "The events up to 40 existed when the block was made")
    })
  )

  it.effect("names a chain, and says of one that it does not know that it does not", () =>
    Effect.gen(function* () {
      const own = testChain({ chainId: 31_337 })
      const lines = testBundle(testLog({ events: 20, periods: [20], send: own.send }))
      const options = { anchorAddress: own.address, knownBlocks: own.blocks, chainId: 31_337 }
      const { text } = yield* reported(one(lines), options)
      assert.include(text, "on chain 31337, which this program does not know, in blocks")
      assert.include(text, "--chain-id=31337")
    })
  )
})

describe("of two files", () => {
  it.effect("what only the earlier one shows is not said of the later one", () =>
    Effect.gen(function* () {
      const later = testBundle(log, { from: 46 })
      const { text, report } = yield* reported(two(testBundle(log, { to: 50 }), later), known)
      assert.strictEqual(report.verdict, "intact")
      assert.include(text, "? Not checked What you gave of the blockchain fits the earlier file only")
      assert.include(text, "? Not checked The account that you gave fits the earlier file only")
      assert.include(text, "INTACT SINCE THE EARLIER FILE")
      if (!("newer" in report)) return assert.fail("one bundle")
      assert.match(comparisonText(report), /^INTACT SINCE THE EARLIER FILE: every/)
      const one = [{ sha256: "0" }, { sha256: "0" }]
      assert.match(comparisonText(report, one), /^INTACT BY ITSELF: every/)
      assert.notInclude(text, "✓ Proven The anchors are on")
    })
  )

  it.effect("each has the key that signed it, after a change of keys", () =>
    Effect.gen(function* () {
      const other = signerOf(9)
      const otherKey = Result.getOrThrow(makeVerifierKey(sha256, TEST_KEY_NAME, other.publicKey))
      const files = two(testBundle(log, { to: 30, size: 30, signer }), testBundle(log, { signer: other }))
      const options = { trustedKeys: [serviceKey, otherKey, otherKey] }
      const { text, report } = yield* reported(files, options)
      assert.strictEqual(report.verdict, "intact", text)
      assert.include(text, "✓ Proven The key that you gave has signed the log, up to event 60.")
      const words = (key: typeof otherKey) => text.slice(text.indexOf(`${formatVerifierKey(key)} SHA-256`))
      assert.match(words(serviceKey), /^[^;]* It signed the checkpoint of the earlier file;/)
      assert.match(words(otherKey), /^[^;]* It signed the checkpoint of the later file;/)
    })
  )

  it.effect("one that cannot be read is named, with the reason", () =>
    Effect.gen(function* () {
      const cut = gzipSync(testBundle(log, { signer }).join("")).subarray(0, 4_000)
      const { text } = yield* reported(two(cut, testBundle(log, { signer })), { trustedKeys: [serviceKey] })
      assert.include(text, "UNREADABLE The earlier file is no evidence file, or it is damaged.")
      assert.include(text, "A. What failed The earlier file cannot be read")
      assert.notInclude(text, "neither events nor a checkpoint")
      assert.notInclude(text, "Nothing failed")
    })
  )

  it.effect("an earlier one that is shown to be of another time only agrees with itself", () =>
    Effect.gen(function* () {
      const files = two(testBundle(log, { to: 10 }), testBundle(log, { from: 30 }))
      const { text, report } = yield* reported(files)
      assert.strictEqual(report.verdict, "unproven")
      assert.include(text, "It agrees with itself; nothing shows that it is of this log.")
    })
  )
})

describe("the counts of a report", () => {
  it.effect("tell contents that are missing from the chain from those of the history before it", () =>
    Effect.gen(function* () {
      const removed = testLog({ events: 20, legacy: 5, retainedFrom: 1 })
      const lines = testBundle(removed, { signer })
      const missing = (type: string) =>
        lines.filter((line) => ofType(type)(line) && line.startsWith('{"content":null')).length
      const { report, text } = yield* reported(one(lines))
      if ("newer" in report) return assert.fail("two bundles")
      assert.strictEqual(report.counts.removed, missing("event"))
      assert.strictEqual(missing("legacy"), 5)
      assert.include(text, "The contents that are missing from the history were removed")
    })
  )

  it.effect("are those of all failures, also of those that no list holds", () =>
    Effect.gen(function* () {
      const count = 10_500
      const wrong = testBundle(testLog({ events: count }), { signer }).map((line) =>
        line.replace(/"salt":"\w+"/, `"salt":"${"0".repeat(32)}"`)
      )
      const { report, text } = yield* reported(one(drop(wrong, ofType("checkpoint"))), {
        trustedKeys: [serviceKey]
      })
      if ("newer" in report) return assert.fail("two bundles")
      assert.deepStrictEqual(report.failures_by_code, { content_changed: count, checkpoint_missing: 1 })
      assert.include(report.failed.map(({ code }) => code).join(), "checkpoint_missing")
      assert.include(text, "10,500 checks of it failed.")
      assert.include(text, "✗ Failed The log's signed checkpoint does not vouch for this file.")
    })
  )

  it.effect("list the newest blocks, which stand for all before them", () =>
    Effect.gen(function* () {
      const own = testChain()
      const periods = Array.from({ length: 120 }, (_, index) => index + 1)
      const lines = testBundle(testLog({ events: 120, periods, send: own.send }))
      const { text } = yield* reported(one(lines))
      const [newest] = [...own.blocks].slice(-1)
      assert.include(text, `hash ${newest?.[1]}`)
      assert.include(text, "… and 20 more")
    })
  )
})

describe("a file that is replaced while it is read", () => {
  const long = testBundle(testLog({ events: 2_000 }), { signer })
  const honest = gzipSync(long.join(""))
  const broken = gzipSync(edit(long, event(17), () => ({ created_at: "never" })).join(""))
  /** Enough for the wrong line, and little of the file. */
  const BEGINNING = 20_000
  /** Gives another file at each reading; the first comes to no end, so that it is never read to it. */
  const readings = (...files: ReadonlyArray<Uint8Array>) => {
    let reads = 0
    return Stream.suspend(() => {
      const isFirst = reads === 0
      const bytes = files[Math.min(reads++, files.length - 1)] ?? new Uint8Array()
      return isFirst
        ? Stream.concat(Stream.make(bytes.subarray(0, BEGINNING)), Stream.never)
        : Stream.make(bytes)
    })
  }

  it.effect("has no report, however little of it was read", () =>
    Effect.gen(function* () {
      const check = (...files: ReadonlyArray<Uint8Array>) =>
        checkEvidence([{ name: "b.gz", stream: readings(...files) }]).pipe(Effect.provide(layerTools))
      assert.instanceOf(yield* Effect.flip(check(broken, honest)), FileChanged)
      assert.instanceOf(yield* Effect.flip(check(broken, broken.subarray(0, 100))), FileChanged)
      const { report, files } = yield* check(broken, broken)
      assert.notStrictEqual(report.verdict, "intact")
      assert.strictEqual(files[0]?.sha256, sha256.hex(broken))
      assert.strictEqual(files[0]?.bytes, broken.length)
    })
  )
})
