import { StrictJson, TURN_SIZE } from "@cairn/core/encoding"
import { escapedKeys, hostileJson, oddKeys, oddNumbers, type SeededRandom } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { MAX_MEMBERS, readLarge } from "../../src/encoding/LargeJson.ts"
import { finished } from "../../src/encoding/Pace.ts"

const generated = generatedTests(import.meta.url)

const NONE: ReadonlySet<string> = new Set()

/**
 * In an order of their own: where a key is repeated, what was found under it has no certain place among the
 * others.
 */
const alterationsOf = (altered: StrictJson.Altered | undefined): ReadonlyArray<string> =>
  Array.from(StrictJson.alterationsWithin(altered), ({ path, literal }) =>
    JSON.stringify([path, literal ?? null])
  ).sort()

const reading = (text: string) =>
  Result.map(finished(readLarge(text, NONE)), ({ value, altered }) => ({
    value,
    altered: alterationsOf(altered)
  }))

/** What the whole text at once is read as. */
const expected = (text: string) =>
  Result.map(StrictJson.read(text), ({ value, altered }) => ({
    value,
    altered: alterationsOf(altered)
  }))

/** Where two values differ in what they hold or in its order; without recursion, however deep they are. */
const differ = (a: unknown, b: unknown): boolean => {
  const pairs: Array<readonly [unknown, unknown]> = [[a, b]]
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair
    if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
      if (!Object.is(one, other)) return true
      continue
    }
    const [keys, others] = [Object.keys(one), Object.keys(other)]
    if (Array.isArray(one) !== Array.isArray(other) || keys.length !== others.length) return true
    for (const [index, key] of keys.entries()) {
      if (key !== others[index]) return true
      pairs.push([Reflect.get(one, key), Reflect.get(other, key)])
    }
  }
  return false
}

/** That a text is read, or refused, as it is at once; whether it is read. */
const assertSame = (text: string, message: string): boolean => {
  const [read, whole] = [reading(text), expected(text)]
  assert.strictEqual(Result.isSuccess(read), Result.isSuccess(whole), message)
  if (Result.isFailure(read) || Result.isFailure(whole)) return false
  assert.isFalse(differ(read.success.value, whole.success.value), message)
  assert.deepStrictEqual(read.success.altered, whole.success.altered, message)
  return true
}

const KEYS = [...oddKeys, ...escapedKeys, "a", "b", "1", "2"].map((key) => JSON.stringify(key))

/**
 * JSON text of about this length, in which some of what is nested is short, some long, and some about as long
 * as a piece.
 */
const sample = (random: SeededRandom, length: number, depth = 0): string => {
  const space = () => (random.chance(0.05) ? random.pick([" ", "\n", "\t", "\r", " ".repeat(70_000)]) : "")
  const leaf = () =>
    random.pick(["1", "null", '"\\n"', '""', "[]", "{}", '{"\\u0061":1}', ...oddNumbers, "[[1e400]]"])
  const items: Array<string> = []
  for (let left = length; left > 0; ) {
    const size = random.pick([1, 10, 1_000, 30_000, 70_000, 140_000, length / 2])
    const item = size < 10 || depth > 5 ? leaf() : sample(random, Math.min(left, size), depth + 1)
    items.push(`${space()}${item}${space()}`)
    left -= item.length + 5
  }
  return random.chance(0.5)
    ? `[${items.join(",")}]`
    : `{${items.map((item) => `${space()}${random.pick(KEYS)}${space()}:${item}`).join(",")}}`
}

/** A text in which one character is gone, doubled, or another one. */
const broken = (random: SeededRandom, text: string): string => {
  const places = Array.from(text.matchAll(/[[\]{},:"]/g), ({ index }) => index)
  const at = random.pick(places)
  const other = random.pick(["", ",", "[", "]", "{", "}", ":", '"', "1", " ", text.charAt(at).repeat(2)])
  return text.slice(0, at) + other + text.slice(at + 1)
}

/** Characters of the longest leaf, or of what stands between two structural characters of one. */
const longestLeaf = (text: string): number => {
  const structural = new Set(Array.from("[]{},:", (one) => one.charCodeAt(0)))
  let [longest, start] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    if (!structural.has(text.charCodeAt(at))) continue
    longest = Math.max(longest, at - start)
    start = at + 1
  }
  return Math.max(longest, text.length - start)
}

describe("a large text, read a piece at a time", () => {
  it("is what it is as a whole, or is refused as it is as a whole", () => {
    let refused = 0
    generated.stories({ count: 3 }, (random, seed) => {
      const text = sample(random, 600_000)
      const message = `seed ${seed}`
      assert.isTrue(assertSame(text, message), message)
      for (let change = 0; change < 4; change++) if (!assertSame(broken(random, text), message)) refused++
    })
    assert.isAbove(refused, 3)
  })

  for (const [name, make] of Object.entries(hostileJson())) {
    it(`is the same for ${name}`, () => {
      assertSame(make(300_000), name)
    })
  }

  it("is refused where a comma or a value is missing, or one is too many, beside what is long", () => {
    const long = `[${"1,".repeat(100_000)}1]`
    for (const text of [
      `[${long},]`,
      `[,${long}]`,
      `[${long}${long}]`,
      `[${long}1]`,
      `[1${long}]`,
      `[1,2 ${long}]`,
      `{${long}}`,
      `{"a"${long}}`,
      `{"a":1 "b":${long}}`,
      `{"a":1,"b":2,"c":3:${long}}`,
      `{"a":${long},}`,
      `{"a":${long} "b":1}`,
      `{"a":${long}}}`,
      `[${long}`,
      `{"a":${long}]`,
      `${long},`,
      `${long}${long}`,
      `1${long}`,
      `${long}1`,
      `[${"1,".repeat(100_000)}]`,
      `[${" ".repeat(200_000)},1]`,
      `{${'"a":1,'.repeat(50_000)}}`,
      `[\u00a0${long}]`,
      `[${long}\u00a0]`
    ]) {
      assert.isTrue(Result.isFailure(StrictJson.read(text)), text.slice(0, 30))
      const { detail } = Result.getOrThrow(Result.flip(finished(readLarge(text, NONE))))
      assert.match(detail, /between the characters \d+ and \d+$|^Unexpected ".+" at character \d+$/)
    }
  })

  it("is refused where it is nested too deep", () => {
    const deep = (depth: number) => `[${'"a",'.repeat(50_000)}${"[".repeat(depth)}${"]".repeat(depth)}]`
    assert.isTrue(Result.isSuccess(finished(readLarge(deep(StrictJson.MAX_DEPTH - 1), NONE))))
    const { detail } = Result.getOrThrow(Result.flip(finished(readLarge(deep(StrictJson.MAX_DEPTH), NONE))))
    assert.include(detail, "100000 nested")
  })

  it("keeps of an object with very many members those that are asked for, wherever they stand", () => {
    const members = Array.from({ length: 2 * MAX_MEMBERS }, (_, index) => `"${index}k":${index}`)
    const text = `{"0k":"early",${members.join(",")},"last":[1e400],"0k":"late"}`
    const { value, altered } = Result.getOrThrow(finished(readLarge(text, new Set(["last"]))))
    const { "0k": first, last, ...others } = value as Record<string, unknown>
    assert.strictEqual(first, "late")
    assert.deepStrictEqual(last, [Number.POSITIVE_INFINITY])
    assert.strictEqual(Object.keys(others).length, MAX_MEMBERS - 1)
    assert.deepStrictEqual(
      [...StrictJson.alterationsWithin(altered)],
      [
        { path: ["0k"], literal: undefined },
        { path: ["last", 0], literal: "1e400" }
      ]
    )
  })

  it("keeps what comes after names that are repeated, however often", () => {
    const names = Array.from({ length: 7_000 }, (_, index) => `"${index}":1`).join(",")
    const text = `{"metadata":{${Array(11).fill(names).join(",")},"0":"last","__proto__":2,"late":"secret"}}`
    assert.deepStrictEqual(reading(text), expected(text))
    const { value } = Result.getOrThrow(finished(readLarge(text, NONE)))
    const { metadata } = value as { readonly metadata: Record<string, unknown> }
    assert.deepStrictEqual([metadata["0"], metadata.late], ["last", "secret"])
  })

  it("is read in steps, none of which parses more than a turn may, but for one long string", () => {
    const { parse } = JSON
    let parsed = 0
    let most = 0
    const kinds = {
      ...hostileJson(),
      "long ones within long ones": (length: number) =>
        `${`["${"a".repeat(60_000)}",`.repeat(length / 60_000)}1${"]".repeat(length / 60_000)}`
    }
    for (const [name, make] of Object.entries(kinds)) {
      const text = make(2 ** 20)
      const longest = longestLeaf(text)
      const steps = readLarge(text, NONE)
      most = 0
      JSON.parse = (...given: Parameters<typeof parse>): unknown => {
        parsed += given[0].length
        return parse(...given)
      }
      try {
        for (let done = false; !done; most = Math.max(most, parsed)) {
          parsed = 0
          done = steps.next().done === true
        }
      } finally {
        JSON.parse = parse
      }
      assert.isAtMost(most, TURN_SIZE + 3 * longest, name)
    }
  })
})
