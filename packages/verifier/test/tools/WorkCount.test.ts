/**
 * What a bundle costs is counted: none costs more than twice the true one for being wrong, in whatever way it
 * is.
 */
import { testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { EvidenceVerifier, platformTools, type Report } from "../../src/index.ts"
import { countWork } from "../../src/tools/WorkCount.ts"
import { serviceKey, signer } from "../Bundles.ts"
import { testChain } from "../TestChain.ts"
import { edit, type Lines, objectIn, ofType, otherHash } from "../tampering/Tampering.ts"

const chain = testChain()
const log = testLog({
  events: 400,
  periods: Array.from({ length: 39 }, (_, index) => 10 * (index + 1)),
  erased: [7, 8],
  send: chain.send
})
const whole = testBundle(log, { signer })
const part = testBundle(log, { signer, from: 15, to: 350 })

const costOf = (
  lines: Lines
): { readonly report: Report; readonly hashed: number; readonly parsed: number } => {
  const { tools, work } = countWork(platformTools)
  const verifier = new EvidenceVerifier(tools, { trustedKeys: [serviceKey], anchorAddress: chain.address })
  verifier.feed(new TextEncoder().encode(lines.join("")))
  const report = verifier.finish()
  return { report, ...work }
}

/** Ways to be wrong everywhere at once. */
const wrong: Readonly<Record<string, (lines: Lines) => Lines>> = {
  "every salt": (lines) => edit(lines, eventWithContent, () => ({ salt: "0".repeat(32) })),
  "every link": (lines) => edit(lines, ofType("event"), () => ({ previous_event_hash: otherHash })),
  "every event's hash": (lines) => edit(lines, ofType("event"), () => ({ event_hash: otherHash })),
  "every link, salt and id": (lines) =>
    edit(lines, eventWithContent, () => ({
      previous_event_hash: otherHash,
      salt: "0".repeat(32),
      id: "00000000-0000-4000-8000-000000000000"
    })),
  "the workspace": (lines) => edit(lines, ofType("header"), () => ({ workspace_id: "wsp_other" })),
  "a name of the workspace as long as it may be": (lines) =>
    edit(lines, ofType("header"), () => ({ workspace_id: "w".repeat(256) })),
  "a name of the workspace of a megabyte": (lines) =>
    edit(lines, ofType("header"), () => ({ workspace_id: "w".repeat(1 << 20) })),
  "a name of the log of a megabyte": (lines) =>
    edit(lines, ofType("header"), () => ({ origin: "o".repeat(1 << 20) })),
  "the range": (lines) => edit(lines, ofType("header"), () => ({ to: 2 ** 50 })),
  "every anchor's root": (lines) =>
    edit(lines, ofType("anchor"), ({ anchor }) => ({
      anchor: { ...objectIn(anchor), merkle_root: otherHash }
    })),
  "every event twice": (lines) =>
    lines.flatMap((line, index) => (ofType("event")(line) && index % 2 === 0 ? [line, line] : [line])),
  "every event an application of retention": (lines) =>
    edit(lines, eventWithContent, ({ content }) => ({
      content: {
        ...objectIn(content),
        action: "cairn.retention.applied",
        metadata: { below_sequence: 2 ** 52 }
      }
    })),
  "every event an application of retention from the beginning": (lines) =>
    edit(lines, eventWithContent, ({ content, sequence }) => ({
      content: {
        ...objectIn(content),
        action: "cairn.retention.applied",
        metadata: { below_sequence: sequence, from_sequence: -(2 ** 52), kept: [] }
      }
    }))
}

const eventWithContent = (line: string) => ofType("event")(line) && !line.startsWith('{"content":null')

describe("a bundle that is wrong everywhere", () => {
  for (const [shape, lines] of Object.entries({ whole, part })) {
    const right = costOf(lines)
    it(`is compared with one that is right: ${shape}`, () => {
      assert.strictEqual(right.report.verdict, "intact", JSON.stringify(right.report.failed))
      // Each byte is read once; contents, headers and two trees are hashed.
      const bytes = Buffer.byteLength(lines.join(""))
      assert.isAtLeast(right.parsed, bytes)
      assert.isBelow(right.parsed, 1.3 * bytes)
      assert.isAbove(right.hashed, bytes / 3)
      assert.isBelow(right.hashed, 2 * bytes)
    })
    for (const [what, change] of Object.entries(wrong)) {
      it(`costs no more than twice as much: ${what}, ${shape}`, () => {
        const changed = change(lines)
        const { report, hashed, parsed } = costOf(changed)
        assert.notStrictEqual(report.verdict, "intact")
        // What it is longer by must be read.
        const more = Buffer.byteLength(changed.join("")) - Buffer.byteLength(lines.join(""))
        assert.isAtMost(hashed, 2 * right.hashed, "hashed")
        assert.isAtMost(parsed, 2 * right.parsed + Math.max(0, more), "parsed")
      })
    }
  }

  it("counts what is hashed for a signature", () => {
    const { tools, work } = countWork(platformTools)
    assert.isFalse(tools.ed25519.verify(new Uint8Array(32), new Uint8Array(100), new Uint8Array(64)))
    assert.strictEqual(work.hashed, 164)
  })

  it("asks nothing of a key that signed nothing, however many it names", () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}+00000000+${"A".repeat(44)}`)
    const { tools, work } = countWork(platformTools)
    const verifier = new EvidenceVerifier(tools)
    verifier.feed(new TextEncoder().encode(edit(whole, ofType("header"), () => ({ keys })).join("")))
    verifier.finish()
    assert.isBelow(work.hashed, 2 * costOf(whole).hashed)
  })
})
