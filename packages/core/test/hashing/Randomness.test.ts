import { generatedTests } from "@cairn/testing/GeneratedTests"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import {
  Randomness,
  type RandomnessShape,
  toHex,
  uuid,
  webCryptoRandomness
} from "../../src/hashing/Randomness.ts"

const generated = generatedTests(import.meta.url)

const getRandomValues = crypto.getRandomValues.bind(crypto)

/** Watches the runtime's generator, and keeps what it gave. */
const watchGenerator = () => {
  const given: Array<Uint8Array> = []
  const spy = vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => {
    getRandomValues(array)
    if (array instanceof Uint8Array) given.push(array.slice())
    return array
  })
  return { given: () => Buffer.concat(given), calls: () => spy.mock.calls.length }
}

const constant = (byte: number): RandomnessShape => ({ bytes: (count) => new Uint8Array(count).fill(byte) })

afterEach(() => {
  vi.restoreAllMocks()
})

describe("randomness", () => {
  it.each([0, 1, 16, 4_095, 4_096, 4_097, 65_536])(
    "comes in as many bytes as were asked for: %i",
    (count) => {
      const random = webCryptoRandomness()
      for (let time = 0; time < 3; time++) assert.strictEqual(random.bytes(count).length, count)
    }
  )

  it("is the generator's own bytes, and none of them is given out twice", () => {
    // Long enough that no two answers are the same by chance.
    const count = FastCheck.oneof(
      FastCheck.integer({ min: 8, max: 40 }),
      FastCheck.integer({ min: 8, max: 5_000 })
    )
    generated.property(
      FastCheck.property(FastCheck.array(count, { maxLength: 30 }), (asked) => {
        const generator = watchGenerator()
        const random = webCryptoRandomness()
        const answers = asked.map((bytes) => random.bytes(bytes))
        const given = generator.given()
        const places = answers
          .map((answer) => ({ start: given.indexOf(answer), length: answer.length }))
          .sort((a, b) => a.start - b.start)
        let end = 0
        for (const { start, length } of places) {
          assert.isAtLeast(start, end, `${length} bytes`)
          end = start + length
        }
        vi.restoreAllMocks()
      })
    )
  })

  it("stays as it was given, whatever is asked for next and whatever its owner does to it", () => {
    const random = webCryptoRandomness()
    const first = random.bytes(16)
    const copy = first.slice()
    const second = random.bytes(16)
    const secondCopy = second.slice()
    for (let count = 0; count < 1_000; count++) random.bytes(16).fill(0)
    assert.deepStrictEqual(first, copy)
    first.fill(0)
    assert.deepStrictEqual(second, secondCopy)
  })

  it("asks the generator once for 256 ids", () => {
    const generator = watchGenerator()
    const random = webCryptoRandomness()
    for (let count = 0; count < 256; count++) uuid(random)
    assert.strictEqual(generator.calls(), 1)
    uuid(random)
    assert.strictEqual(generator.calls(), 2)
  })

  it.effect("is Web Crypto's unless a layer gives another", () =>
    Effect.gen(function* () {
      const generator = watchGenerator()
      const random = yield* Effect.provide(Randomness, Randomness.layer)
      const bytes = random.bytes(32)
      assert.isAtLeast(generator.given().indexOf(bytes), 0)
    })
  )
})

describe("hexadecimal", () => {
  it("is two lower-case characters a byte", () => {
    generated.property(
      FastCheck.property(
        FastCheck.uint8Array(),
        (bytes) => toHex(bytes) === Buffer.from(bytes).toString("hex")
      )
    )
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    assert.strictEqual(toHex(all), Buffer.from(all).toString("hex"))
  })
})

describe("a UUID", () => {
  it("is of version 4 and of RFC 9562's variant, whatever the random bytes are", () => {
    for (let byte = 0; byte < 256; byte++) {
      assert.match(
        uuid(constant(byte)),
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
      )
    }
    assert.strictEqual(uuid(constant(0x00)), "00000000-0000-4000-8000-000000000000")
    assert.strictEqual(uuid(constant(0xff)), "ffffffff-ffff-4fff-bfff-ffffffffffff")
  })

  it("keeps the other 122 bits of the 16 bytes it takes, in their order", () => {
    let next = 0
    const counting: RandomnessShape = {
      bytes: (count) => Uint8Array.from({ length: count }, () => 0x11 * (next++ % 16))
    }
    assert.strictEqual(uuid(counting), "00112233-4455-4677-8899-aabbccddeeff")
    assert.strictEqual(next, 16)
  })

  it("is another one each time", () => {
    const random = webCryptoRandomness()
    const ids = Array.from({ length: 10_000 }, () => uuid(random))
    assert.strictEqual(new Set(ids).size, ids.length)
  })
})
