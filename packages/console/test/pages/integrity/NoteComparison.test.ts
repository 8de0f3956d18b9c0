import { portableSha256, toHex } from "@cairn/core/hashing"
import { memoryNodes, merkleRoot, proveConsistency } from "@cairn/core/merkle"
import type { Checkpoint } from "@cairn/core/note"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { compareNotes, type Sizes } from "../../../src/page/pages/integrity/NoteComparison.ts"
import { readNote } from "../../../src/page/pages/integrity/ReadNote.ts"

const leaves = Array.from({ length: 40 }, (_, index) => portableSha256.bytes(new Uint8Array([index])))
const ORIGIN = "cairn/wsp_1"
const at = (size: number): Checkpoint => ({
  origin: ORIGIN,
  size,
  root: merkleRoot(portableSha256, leaves.slice(0, size)),
  extensions: []
})
const prove = async ({ from, to }: Sizes) => {
  const proof = Result.getOrThrow(
    proveConsistency(portableSha256, memoryNodes(portableSha256, leaves), from, to)
  )
  return { first_size: from, second_size: to, hashes: proof.hashes.map(toHex) }
}
const never = () => Promise.reject(new Error("no proof is needed"))

describe("compareNotes", () => {
  it("proves that the later log begins with the earlier one, in either order", async () => {
    for (const [one, other] of [
      [7, 40],
      [40, 7]
    ] as const) {
      const found = await compareNotes(at(one), at(other), 40, prove)
      assert.deepInclude(found, { kind: "grown", from: 7, to: 40 })
    }
  })

  it("finds a log that was changed, with a proof that would prove another", async () => {
    const other = { ...at(7), root: at(8).root }
    assert.deepStrictEqual(await compareNotes(other, at(40), 40, prove), { kind: "changed", from: 7, to: 40 })
  })

  it("does not take a proof with a hash that is none", async () => {
    const found = await compareNotes(at(7), at(40), 40, async (sizes) => ({
      ...(await prove(sizes)),
      hashes: ["z".repeat(64)]
    }))
    assert.strictEqual(found.kind, "changed")
  })

  it("needs no proof for the same size, another log, an empty one, or one that was cut off", async () => {
    assert.deepStrictEqual(await compareNotes(at(7), at(7), 40, never), { kind: "same", size: 7 })
    const split = { ...at(7), root: at(8).root }
    assert.deepStrictEqual(await compareNotes(split, at(7), 40, never), { kind: "split", size: 7 })
    assert.deepStrictEqual(await compareNotes({ ...at(7), origin: "x" }, at(40), 40, never), {
      kind: "otherLog",
      origin: "x"
    })
    assert.deepStrictEqual(await compareNotes(at(0), at(40), 40, never), { kind: "nothing" })
    assert.deepStrictEqual(await compareNotes(at(40), at(7), 7, never), { kind: "cut", size: 40, now: 7 })
  })
})

describe("readNote", () => {
  const NOTE = `${ORIGIN}\n7\n${btoa(String.fromCharCode(...at(7).root))}\n\n\u2014 ${ORIGIN} ${btoa("abcdefgh")}\n`

  it("reads a note, also without its last newline and with other line ends", () => {
    for (const text of [NOTE, NOTE.trim(), `\n${NOTE}\n\n`, NOTE.replaceAll("\n", "\r\n")]) {
      const read = readNote(text)
      assert.strictEqual(read?.checkpoint.size, 7)
      assert.strictEqual(read?.root, toHex(at(7).root))
      assert.deepStrictEqual(read?.keys, [{ name: ORIGIN, id: "61626364" }])
    }
  })

  it("is nothing for another text", () => {
    for (const text of ["", "nonsense", NOTE.replace("\n7\n", "\nseven\n"), NOTE.slice(0, 40)]) {
      assert.isUndefined(readNote(text))
    }
  })
})
