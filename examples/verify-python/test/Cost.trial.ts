/**
 * What is made to be expensive costs the verifier in Python no more, byte for byte, than twice what the
 * costliest true bundle does.
 */
import { gzipSync } from "node:zlib"
import { formatVerifierKey } from "@cairn/core/note"
import { type TestLogOptions, testBundle, testLog } from "@cairn/testing"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { serviceKey, signer } from "../../../packages/verifier/test/Bundles.ts"
import { testChain } from "../../../packages/verifier/test/TestChain.ts"
import {
  anchor,
  edit,
  editAnchor,
  editContent,
  event,
  objectIn,
  ofType
} from "../../../packages/verifier/test/tampering/Tampering.ts"
import { type Bundle, because, Python, usable } from "./Python.ts"

const python = new Python()
afterAll(() => python.close())

const brought = { trusted_keys: [formatVerifierKey(serviceKey)] }

const log: TestLogOptions = {
  events: 30,
  legacy: 3,
  periods: [10, 20],
  erased: [7, 25],
  send: testChain().send
}
const whole = testBundle(testLog(log), { signer })
const range = testBundle(testLog(log), { signer, from: 12, to: 24 })
const honest = [whole, range, testBundle(testLog(log), { signer, from: 5, to: 5 })]

const hash = "ab".repeat(32)
const many = (count: number, text: string) => Array.from({ length: count }, () => text)
const nested = (depth: number): unknown => (depth === 0 ? {} : { a: nested(depth - 1) })
const raw = (lines: ReadonlyArray<string>, text: string) => lines.toSpliced(1, 0, `${text}\n`)
const note = (lines: ReadonlyArray<string>) =>
  String(JSON.parse(lines.find(ofType("checkpoint")) ?? "{}").note)
const [, signature = ""] = note(whole).split("\n\n")

const hostile: Record<string, ReadonlyArray<string>> = {
  "a proof of sixty thousand hashes": edit(range, ofType("checkpoint"), () => ({
    after: many(60_000, hash)
  })),
  "an anchor's proof of sixty thousand hashes": edit(range, anchor(30 - 10), () => ({
    after: many(60_000, hash)
  })),
  "a frontier of sixty thousand hashes": edit(range, ofType("prefix"), () => ({ log: many(60_000, hash) })),
  "an inclusion proof of sixty thousand hashes": edit(range, ofType("removal"), ({ event: proven }) => ({
    event: { ...objectIn(proven), inclusion: many(60_000, hash) }
  })),
  "ten thousand transactions": edit(whole, anchor(10), ({ transactions }) => ({
    transactions: many(10_000, Array.isArray(transactions) ? String(transactions[0]) : "")
  })),
  "a transaction of two megabytes": edit(whole, anchor(10), () => ({
    transactions: [`0x02f9${"ab".repeat(1 << 20)}`]
  })),
  "a node of a trie of two megabytes": edit(whole, anchor(10), ({ block }) => ({
    block: { ...objectIn(block), proof: [`0xf9${"ab".repeat(1 << 20)}`] }
  })),
  "a block of two megabytes": edit(whole, anchor(10), ({ block }) => ({
    block: { ...objectIn(block), header: `0xf9${"ab".repeat(1 << 20)}` }
  })),
  "ten thousand nodes of a trie": edit(whole, anchor(10), ({ block }) => ({
    block: { ...objectIn(block), proof: many(10_000, `0x${"c0".repeat(100)}`) }
  })),
  "ten thousand keys": edit(whole, ofType("header"), () => ({
    keys: many(10_000, formatVerifierKey(serviceKey))
  })),
  "ten thousand signatures": edit(whole, ofType("checkpoint"), () => ({
    note: note(whole) + many(10_000, signature).join("")
  })),
  "a hundred signatures": edit(whole, ofType("checkpoint"), () => ({
    note: note(whole) + many(99, signature).join("")
  })),
  "a number of a million digits": raw(whole, "1".repeat(1_000_000)),
  "a fraction of a million digits": raw(whole, `[0.${"1".repeat(1_000_000)}]`),
  "an exponent of a million digits": raw(whole, `1e${"1".repeat(1_000_000)}`),
  "three hundred thousand numbers": raw(whole, `[${"1,".repeat(300_000)}1]`),
  "three hundred thousand brackets": raw(whole, "[".repeat(300_000)),
  "two hundred thousand empty lists": raw(whole, `[${"[],".repeat(200_000)}[]]`),
  "a million quotes": raw(whole, '"'.repeat(1_000_001)),
  "a million backslashes": raw(whole, `"${"\\".repeat(1_000_000)}"`),
  "a million escapes": raw(whole, `"${"\\n".repeat(1_000_000)}"`),
  "a million escapes that are none": raw(whole, `"${"\\x".repeat(1_000_000)}"`),
  "a million beginnings of a tail": raw(whole, `{"content":${',"content_hash":'.repeat(100_000)}}`),
  "a long text where a short one is expected": edit(
    whole,
    anchor(10),
    editAnchor(() => ({
      period_end: "2024-05-01T12:00:00.".padEnd(1_000_000, "1"),
      id: "a".repeat(1_000_000)
    }))
  ),
  "a content nested sixty deep": edit(whole, event(9), editContent({ metadata: nested(60) })),
  "a content nested six hundred deep": edit(whole, event(9), editContent({ metadata: nested(600) })),
  "a content of eight megabytes": edit(
    whole,
    event(9),
    editContent({ metadata: { a: "a".repeat(8_000_000) } })
  ),
  "keys in the wrong order": raw(
    whole,
    `{${Array.from({ length: 50_000 }, (_, index) => `"${99_999 - index}":1`).join()}}`
  )
}

/** Nothing vouches for the keys in the header, and a signature that stands twice counts once. */
const harmless = new Set(["ten thousand keys", "a hundred signatures"])

const bytes = (lines: ReadonlyArray<string>) => Buffer.byteLength(lines.join(""))

describe.skipIf(!usable)(`the work of the verifier in Python${because}`, () => {
  const cost = async (lines: ReadonlyArray<string>, ...older: ReadonlyArray<ReadonlyArray<string>>) => {
    const bundles: readonly [Bundle] | readonly [Bundle, Bundle] =
      older[0] === undefined ? [lines] : [older[0], lines]
    const answer = await python.ask(bundles, brought)
    const read = bundles.reduce((sum, one) => sum + bytes(one as ReadonlyArray<string>), 0)
    return { answer, ratio: (answer.bytes_hashed + answer.bytes_parsed) / read }
  }

  const ratios: Array<number> = []
  /** The most that an honest bundle costs a byte; measured once, one after the other as all are asked. */
  const mostHonest = async () => {
    for (const one of honest.slice(ratios.length)) ratios.push((await cost(one)).ratio)
    return Math.max(...ratios)
  }

  it("is counted, and is in proportion to what there is to verify", async () => {
    const { answer } = await cost(whole)
    assert.strictEqual(answer.verdict, "intact")
    assert.isAbove(answer.bytes_parsed, bytes(whole))
    assert.isBelow(answer.bytes_parsed, 2 * bytes(whole))
    assert.isAbove(answer.bytes_hashed, bytes(whole) / 2)
    const twice = await cost(testBundle(testLog({ ...log, events: 300 }), { signer }))
    assert.isBelow(twice.ratio, 1.5 * (await cost(whole)).ratio)
  })

  for (const [what, lines] of Object.entries(hostile)) {
    it(`is not more than twice as much a byte for ${what}`, async () => {
      const most = await mostHonest()
      for (const { ratio, answer } of [
        await cost(lines),
        await cost(lines, lines),
        await cost(lines, whole)
      ]) {
        assert.isBelow(ratio, 2 * most, JSON.stringify(answer).slice(0, 500))
        assert.strictEqual(answer.verdict === "intact", harmless.has(what), answer.verdict)
      }
    })
  }

  it("hashes nothing of a transaction or a proof that is longer than any of the chain", async () => {
    const longest = Math.max(...honest.map(bytes))
    for (const what of ["a transaction", "a node of a trie", "a block"]) {
      const { answer } = await cost(hostile[`${what} of two megabytes`] ?? [])
      assert.isBelow(answer.bytes_hashed, 3 * longest, what)
    }
  })

  it("ends at a line that is too long, however long it goes on", async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from(whole[0] ?? ""), Buffer.alloc(200 << 20, "a")]))
    const answer = await python.ask([bomb], brought)
    assert.strictEqual(answer.verdict, "unreadable")
    assert.isBelow(answer.bytes_parsed, 10_000)
  })
})
