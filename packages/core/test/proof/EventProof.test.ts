import { createHash } from "node:crypto"
import { provenEvent, testCheckpoint, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { canonicalize } from "../../src/encoding/CanonicalJson.ts"
import { openCheckpoint } from "../../src/note/Checkpoint.ts"
import { makeVerifierKey } from "../../src/note/VerifierKey.ts"
import {
  EventProof,
  type ProvenEvent,
  verifyEventProof,
  verifyProvenEvent
} from "../../src/proof/EventProof.ts"
import { sha256 } from "../support/CountingSha256.ts"
import { ed25519, signerOf } from "../support/NodeEd25519.ts"

const log = testLog({ events: 20, erased: [4] })
const size = log.events.length
const signer = signerOf(7)
const note = testCheckpoint(log, size, signer)
const proofOf = (sequence: number): EventProof => ({ ...provenEvent(log, sequence, size), checkpoint: note })

const tagOf = (result: Result.Result<unknown, { readonly _tag: string }>) =>
  Result.isFailure(result) ? result.failure._tag : "holds"

describe("verifyEventProof", () => {
  it("holds for every event of a log, with its hash and whether it has a content", () => {
    for (const { sequence, eventHash, content } of log.events) {
      const checked = Result.getOrThrow(verifyEventProof(sha256, proofOf(sequence)))
      assert.strictEqual(checked.eventHash, eventHash)
      assert.strictEqual(checked.content, content !== null)
      assert.isNull(checked.anchorId)
      assert.strictEqual(checked.checkpoint.size, size)
    }
  })

  it("holds after it went through JSON", () => {
    const text = JSON.stringify(Schema.encodeSync(EventProof)(proofOf(7)))
    const proof = Schema.decodeUnknownSync(Schema.fromJsonString(EventProof))(text)
    assert.strictEqual(tagOf(verifyEventProof(sha256, proof)), "holds")
  })

  it("hashes the time as it stands, also where no number holds every microsecond", () => {
    for (const created_at of ["1600-02-29T00:00:00.000001Z", "2300-01-01T23:59:59.999999Z"]) {
      const { header, ...proof } = provenEvent(testLog({ events: 1 }), 1, 1)
      const at = { ...header, created_at }
      const hash = createHash("sha256").update(`cairn.event.v1\n${Result.getOrThrow(canonicalize(at))}`)
      const root = createHash("sha256").update(Uint8Array.of(0)).update(hash.digest()).digest()
      const checkpoint = { origin: "o", size: 1, root: Uint8Array.from(root), extensions: [] }
      const checked = verifyProvenEvent(sha256, checkpoint, { ...proof, header: at })
      assert.strictEqual(tagOf(checked), "holds", created_at)
    }
  })

  it("does not hold for any member of the header, the content, the salt or the way to the root changed", () => {
    const proof = proofOf(7)
    const { header } = proof
    const [first = new Uint8Array(32), ...rest] = proof.inclusion
    const changes: ReadonlyArray<readonly [Partial<ProvenEvent>, string]> = [
      [{ header: { ...header, content_hash: "0".repeat(64) } }, "EventProofMismatch"],
      [{ header: { ...header, created_at: "2024-05-01T12:00:07Z" } }, "EventProofMismatch"],
      [{ header: { ...header, created_at: "2024-05-01T12:00:07.000001Z" } }, "RootMismatch"],
      [{ header: { ...header, id: header.id.replace(/./, "z") } }, "RootMismatch"],
      [{ header: { ...header, previous_event_hash: null } }, "RootMismatch"],
      [{ header: { ...header, sequence: 8 } }, "RootMismatch"],
      [{ header: { ...header, sequence: 0 } }, "LeafOutOfRange"],
      [{ header: { ...header, workspace_id: "wsp_other" } }, "RootMismatch"],
      [{ content: { ...proof.content, action: "a.b" } }, "EventProofMismatch"],
      [{ content: {} }, "EventProofMismatch"],
      [{ salt: null }, "EventProofMismatch"],
      [{ inclusion: rest }, "ProofLengthMismatch"],
      [{ inclusion: [first.with(0, (first[0] ?? 0) ^ 1), ...rest] }, "RootMismatch"],
      [{ inclusion: [first.subarray(1), ...rest] }, "MalformedHash"]
    ]
    for (const [change, tag] of changes) {
      assert.strictEqual(
        tagOf(verifyEventProof(sha256, { ...proof, ...change })),
        tag,
        JSON.stringify(change)
      )
    }
    assert.strictEqual(tagOf(verifyEventProof(sha256, { ...proof, checkpoint: "x" })), "MalformedNote")
    assert.strictEqual(
      tagOf(verifyEventProof(sha256, { ...proof, checkpoint: "x\n\n— a AAAAAAAA\n" })),
      "MalformedCheckpoint"
    )
  })

  it("leaves the signature to who opens the checkpoint", () => {
    const key = Result.getOrThrow(makeVerifierKey(sha256, "cairn.test", signer.publicKey))
    const { checkpoint } = Result.getOrThrow(openCheckpoint(ed25519, note, [key]))
    assert.strictEqual(tagOf(verifyProvenEvent(sha256, checkpoint, proofOf(7))), "holds")
    const other = { ...checkpoint, root: checkpoint.root.toReversed() }
    assert.strictEqual(tagOf(verifyProvenEvent(sha256, other, proofOf(7))), "RootMismatch")
  })
})
