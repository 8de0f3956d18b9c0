import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { multiBufferSha256, type Sha256Lanes } from "../../../src/hashing/simd/MultiBufferSha256.ts"
import { hex } from "../../support/CountingSha256.ts"

const lanes = ((): Sha256Lanes => {
  const found = multiBufferSha256()
  assert.isDefined(found, "this platform has WebAssembly with SIMD")
  return found
})()

/** Bytes that have no pattern to get right by chance. */
const bytes = (length: number, seed = 1): Uint8Array => {
  let state = seed
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

const digest = (...parts: ReadonlyArray<Uint8Array>): string => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest("hex")
}

const split = (data: Uint8Array, size: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: data.length / size }, (_, index) => data.subarray(index * size, (index + 1) * size))

const hashMessages = (messages: ReadonlyArray<Uint8Array>): ReadonlyArray<string> => {
  let end = 0
  const ends = messages.map(({ length }) => {
    end += length
    return end
  })
  return split(lanes.messages(Uint8Array.from(messages.flatMap((message) => [...message])), ends), 32).map(
    hex
  )
}

/** Numbers of messages around those of a group and of what the memory holds. */
const COUNTS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 255, 256, 257, 515]

describe("SHA-256 side by side", () => {
  it.each(COUNTS)("hashes %d leaves as they are hashed one by one", (count) => {
    const data = bytes(count * 32)
    const expected = split(data, 32).map((leaf) => digest(Uint8Array.of(0), leaf))
    assert.deepStrictEqual(split(lanes.leaves(data), 32).map(hex), expected)
  })

  it.each(COUNTS)("hashes %d nodes as they are hashed one by one", (count) => {
    const children = bytes(count * 64, 2)
    const expected = split(children, 64).map((both) => digest(Uint8Array.of(1), both))
    assert.deepStrictEqual(split(lanes.nodes(children), 32).map(hex), expected)
  })

  it("hashes messages of every length around its blocks", () => {
    const messages = Array.from({ length: 300 }, (_, length) => bytes(length, length + 1))
    assert.deepStrictEqual(
      hashMessages(messages),
      messages.map((message) => digest(message))
    )
  })

  it("hashes messages of lengths that differ by many blocks, whatever their order", () => {
    const lengths = [0, lanes.longest, 1, 55, 56, 63, 64, 119, 120, 700, lanes.longest - 1, 3, 5_000]
    for (let turn = 0; turn < lengths.length; turn++) {
      const messages = [...lengths.slice(turn), ...lengths.slice(0, turn)].map((length) => bytes(length, 7))
      for (const count of [1, 2, 3, 4, 5, messages.length]) {
        const some = messages.slice(0, count)
        assert.deepStrictEqual(
          hashMessages(some),
          some.map((message) => digest(message))
        )
      }
    }
  })

  it("is not confused by what it hashed before", () => {
    const data = bytes(6 * 64, 3)
    const [leaf, node] = [
      digest(Uint8Array.of(0), data.subarray(0, 32)),
      digest(Uint8Array.of(1), data.subarray(0, 64))
    ]
    hashMessages([bytes(200, 4)])
    assert.strictEqual(hex(lanes.leaves(data).subarray(0, 32)), leaf)
    hashMessages([bytes(9, 4), bytes(900, 5)])
    assert.strictEqual(hex(lanes.nodes(data).subarray(0, 32)), node)
    assert.deepStrictEqual(hashMessages([bytes(3, 6)]), [digest(bytes(3, 6))])
  })

  it("gives hashes that a later call leaves alone", () => {
    const given = [lanes.leaves(bytes(64)), lanes.nodes(bytes(128)), lanes.messages(bytes(100), [40, 100])]
    const before = given.map(hex)
    lanes.leaves(bytes(256, 9))
    lanes.nodes(bytes(256, 9))
    lanes.messages(bytes(256, 9), [100, 256])
    assert.deepStrictEqual(given.map(hex), before)
  })

  it("is made once", () => {
    assert.strictEqual(multiBufferSha256(), lanes)
  })
})
