import { assert, describe, it } from "@effect/vitest"
import { GRAM_BUCKETS as BUCKETS } from "../../../src/log/frame/FrameBuckets.ts"
import { GRAM_SIGNATURE_BYTES as SIGNATURE_BYTES } from "../../../src/log/frame/FrameSignature.ts"
import {
  framesOf,
  GROUP_FRAMES,
  GROUP_PARTS,
  groupParts,
  PART_BYTES,
  partOf,
  partsOf,
  setFrame
} from "../../../src/log/frame/GramParts.ts"
import { searchTerm } from "../../../src/log/frame/SearchTerm.ts"

const signatureWith = (buckets: Iterable<number>): Uint8Array => {
  const signature = new Uint8Array(SIGNATURE_BYTES)
  for (const bucket of buckets) signature[bucket >>> 3] = (signature[bucket >>> 3] ?? 0) | (1 << (bucket & 7))
  return signature
}

/** Some signatures that differ. */
const signatures = Array.from({ length: GROUP_FRAMES }, (_, frame) =>
  signatureWith(Array.from({ length: 500 }, (_, n) => ((frame + 1) * 7_919 * (n + 3)) % BUCKETS))
)
const has = (signature: Uint8Array | undefined, bucket: number) =>
  ((signature?.[bucket >>> 3] ?? 0) & (1 << (bucket & 7))) !== 0

describe("a group", () => {
  const parts = groupParts(signatures)
  const partAt = (index: number) => parts[index] ?? assert.fail(`no part ${index}`)

  it("has every bit of every signature, in parts of one size", () => {
    assert.lengthOf(parts, GROUP_PARTS)
    for (const part of parts) assert.lengthOf(part, PART_BYTES)
    for (let bucket = 0; bucket < BUCKETS; bucket += 13) {
      const frames = signatures.flatMap((signature, frame) => (has(signature, bucket) ? [frame] : []))
      assert.deepStrictEqual(framesOf({ buckets: [bucket] }, partAt), frames)
    }
  })

  it("gives the frames that have all buckets of a term, and reads only the parts of these", () => {
    const term = searchTerm("payroll")
    const own = signatures.map((signature, frame) =>
      frame % 5 === 0 ? signatureWith(term.buckets) : signature
    )
    const read: Array<number> = []
    const group = groupParts(own)
    const frames = framesOf(term, (index) => {
      read.push(index)
      return group[index] ?? assert.fail(`no part ${index}`)
    })
    assert.includeMembers([...frames], [0, 5, 10, 60])
    assert.includeMembers([...partsOf(term)], read)
    assert.deepStrictEqual(partsOf({ buckets: [0, 63, 64] }), [partOf(0), partOf(64)])
  })

  it("gives every frame for a term without a bucket", () => {
    assert.lengthOf(framesOf({ buckets: [] }, partAt), GROUP_FRAMES)
  })

  it("has of a frame that is set anew the new signature alone, and of the others theirs", () => {
    const changed = groupParts(signatures).map((part) => part.slice())
    const signature = signatureWith([1, 300, 65_535])
    for (const [index, part] of changed.entries()) setFrame(part, index, 9, signature)
    const expected = groupParts(signatures.map((before, frame) => (frame === 9 ? signature : before)))
    assert.deepStrictEqual(changed, expected)
  })
})
