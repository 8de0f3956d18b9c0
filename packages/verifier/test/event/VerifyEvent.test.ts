import { Micros } from "@cairn/core/encoding"
import { type Event, parseContent, toEvent } from "@cairn/core/event"
import { hashFromHex, memoryNodes, proveInclusion } from "@cairn/core/merkle"
import { type AnchoredEvent, ProvenEvent } from "@cairn/core/proof"
import { provenEvent, testCheckpoint, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  type EventClaim,
  type EventReport,
  platformTools,
  type Subject,
  verifyEvent
} from "../../src/index.ts"
import { serviceKey, sha256, signer, signerOf } from "../Bundles.ts"
import { testChain } from "../TestChain.ts"

const log = testLog({ events: 40, periods: [10, 30], erased: [5], send: testChain().send })
const size = log.events.length
const checkpoint = testCheckpoint(log, size, signer)
const known = { trustedKeys: [serviceKey], origin: log.origin, workspaceId: log.workspaceId }

/** The proof of an event as the interface would answer it, into its anchor too. */
const proofOf = (sequence: number): typeof ProvenEvent.Encoded => {
  const line = log.anchors.find(
    ({ first_sequence: first, last_sequence: last }) => first <= sequence && sequence <= last
  )
  const proven = provenEvent(log, sequence, size)
  if (line === undefined) return Schema.encodeSync(ProvenEvent)(proven)
  const { first_sequence: first, last_sequence: last, anchor } = line
  const leaves = log.events
    .slice(first - 1, last)
    .map(({ eventHash }) => Result.getOrThrow(hashFromHex(eventHash ?? "", "leaf_data")))
  const { hashes } = Result.getOrThrow(
    proveInclusion(sha256, memoryNodes(sha256, leaves), sequence - first, leaves.length)
  )
  return Schema.encodeSync(ProvenEvent)({
    ...proven,
    anchored: { anchor, leaf_index: sequence - first, hashes }
  })
}

/** The event as the interface would answer it. */
const eventOf = (sequence: number): Event => {
  const stored = log.events[sequence - 1]
  const content = parseContent(stored?.content ?? "")
  if (stored === undefined || content === undefined) throw new Error(`no event ${sequence}`)
  return toEvent(content, stored)
}

const claim = (sequence: number): EventClaim => ({
  event: eventOf(sequence),
  proof: proofOf(sequence),
  checkpoint
})

const codes = ({ failed }: EventReport) => failed.map(({ code }) => code)
const verify = (claimed: EventClaim, knowledge = known) => verifyEvent(platformTools, claimed, knowledge)
const subjectOf = (sequence: number): Subject => ({
  kind: "event",
  sequence,
  id: log.events[sequence - 1]?.id ?? null
})

describe("verifyEvent", () => {
  it("proves every event of a log, and what it is in", () => {
    for (const { sequence, eventHash, content } of log.events) {
      const report = verify(
        content === null ? { ...claim(1), event: null, proof: proofOf(sequence) } : claim(sequence)
      )
      assert.strictEqual(report.verdict, "intact", JSON.stringify(report.failed))
      assert.strictEqual(report.event_hash, eventHash)
      assert.deepStrictEqual(report.checkpoint, { origin: log.origin, size })
      assert.strictEqual(report.anchor_id === null, sequence > 30)
    }
  })

  it("says what was proven", () => {
    const { proven, not_checked: notChecked } = verify(claim(12))
    const [, second] = log.anchors
    assert.deepStrictEqual(
      proven.slice(1).map(({ message }) => message),
      [
        `It is event 12 of the ${size} that the checkpoint holds`,
        "The event as shown is the one that was hashed",
        "Its root holds the event, among 20"
      ]
    )
    assert.deepStrictEqual(
      notChecked.map(({ message }) => message),
      [`Whether transaction ${second?.anchor.tx_hash} carries its root`]
    )
  })

  it("finds every member of an event that is shown otherwise than it was hashed", () => {
    const shown = eventOf(12)
    const changes: ReadonlyArray<Partial<Event>> = [
      { id: "00000000-0000-4000-8000-000000000000" },
      { actor: { ...shown.actor, name: "Somebody else" } },
      { action: "document.viewed" },
      { metadata: { approved: true } },
      { targets: [{ type: "document" }] },
      { created_at: "2024-01-01T00:00:00.000000Z" },
      { occurred_at: "2024-01-01T00:00:00.000000Z" },
      { integrity: { ...shown.integrity, event_hash: "ab".repeat(32) } }
    ]
    for (const change of changes) {
      const report = verify({ ...claim(12), event: { ...shown, ...change } })
      assert.deepStrictEqual(codes(report), ["event_differs"], JSON.stringify(change))
      assert.deepStrictEqual(report.failed[0]?.subject, subjectOf(12))
    }
  })

  it("finds an event that is shown with another event's proof", () => {
    const report = verify({ ...claim(12), event: eventOf(13) })
    assert.include(codes(report), "event_differs")
  })

  it("finds an event that is shown though the log has removed its content", () => {
    assert.deepStrictEqual(codes(verify({ ...claim(12), proof: proofOf(5) })), ["event_differs"])
  })

  it("finds a content, a header and a way to the root that were changed", () => {
    const proof = proofOf(12)
    const cases = [
      [{ ...proof, content: { ...proof.content, action: "a.b" } }, "content_changed"],
      [{ ...proof, salt: "0".repeat(32) }, "content_changed"],
      [{ ...proof, header: { ...proof.header, created_at: "2024-05-01" } }, "header_changed"],
      [{ ...proof, header: { ...proof.header, id: "x" } }, "event_not_in_log"],
      [{ ...proof, header: { ...proof.header, sequence: 13 } }, "event_not_in_log"],
      [{ ...proof, header: { ...proof.header, sequence: -1 } }, "event_not_in_log"],
      [{ ...proof, header: { ...proof.header, sequence: size + 1 } }, "event_not_in_log"],
      [{ ...proof, inclusion: proof.inclusion.slice(1) }, "event_not_in_log"],
      [{ ...proof, inclusion: proof.inclusion.toReversed() }, "event_not_in_log"],
      [{ ...proof, inclusion: [] }, "event_not_in_log"]
    ] as const
    for (const [changed, code] of cases) {
      const report = verify({ event: null, proof: changed, checkpoint })
      assert.deepStrictEqual(codes(report), [code])
      assert.isNull(report.event_hash)
    }
  })

  it("finds an anchor that does not hold the event", () => {
    const proof = proofOf(12)
    const anchored = proof.anchored
    if (anchored === null) return assert.fail("no anchor")
    const other: typeof AnchoredEvent.Encoded = { ...anchored, leaf_index: anchored.leaf_index + 1 }
    const report = verify({ event: null, proof: { ...proof, anchored: other }, checkpoint })
    assert.deepStrictEqual(codes(report), ["event_not_in_anchor"])
    assert.isNull(report.anchor_id)
  })

  it("finds a checkpoint that no trusted key signed, or that is of another log or workspace", () => {
    const forged = testCheckpoint(log, size, signerOf(9))
    assert.deepStrictEqual(codes(verify({ ...claim(12), checkpoint: forged })), ["checkpoint_not_signed"])
    assert.deepStrictEqual(codes(verify(claim(12), { ...known, origin: "cairn.test/other" })), [
      "checkpoint_of_another_log"
    ])
    assert.deepStrictEqual(codes(verify(claim(12), { ...known, workspaceId: "wsp_other" })), ["another_log"])
    assert.deepStrictEqual(codes(verify({ ...claim(12), checkpoint: "none" })), ["checkpoint_malformed"])
  })

  it("says what a reader who knows nothing cannot tell", () => {
    const { verdict, not_checked: notChecked } = verifyEvent(platformTools, claim(35))
    assert.strictEqual(verdict, "intact")
    assert.deepStrictEqual(
      notChecked.map(({ message }) => message),
      [
        "Its signature: no key is known that signed it",
        `Whether it is of the log you mean: it is of ${log.origin}`,
        "It is in no anchor yet"
      ]
    )
  })

  it.each([null, 1, "proof", [], {}, { ...proofOf(12), inclusion: ["x"] }, { ...proofOf(12), header: null }])(
    "says of what is no proof that it is unreadable: %j",
    (proof) => {
      const report = verify({ event: null, proof, checkpoint })
      assert.strictEqual(report.verdict, "unreadable")
    }
  )

  it("proves an event from before the checkpoint's size only", () => {
    const small = testCheckpoint(log, 11, signer)
    assert.deepStrictEqual(codes(verify({ ...claim(12), checkpoint: small })), ["event_not_in_log"])
    assert.strictEqual(Micros.parse(eventOf(12).created_at), log.events[11]?.createdAt)
  })
})
