import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { RLP } from "@ethereumjs/rlp"
import { Result } from "effect"
import fc from "fast-check"
import {
  type MalformedRlp,
  type RlpItem,
  readRlp,
  rlpBytes,
  rlpInteger,
  rlpItems,
  rlpList,
  rlpNumber
} from "../../src/ethereum/Rlp.ts"
import { foreign, foreignRlp, fromHex } from "./ForeignBlocks.ts"

const generated = generatedTests(import.meta.url)

type Tree = Uint8Array | ReadonlyArray<Tree>

/** Everything that an item holds. */
const treeOf = (item: RlpItem): Result.Result<Tree, MalformedRlp> =>
  item.kind === "bytes"
    ? Result.succeed(item.payload)
    : Result.flatMap(rlpItems(item, 10_000), (items) => Result.all(items.map(treeOf)))

const readTree = (bytes: Uint8Array) => Result.flatMap(readRlp(bytes), treeOf)

/** The value of a case as bytes: text, a number, or `#` and a number too large for JSON. */
const treeOfCase = (value: unknown): Tree => {
  if (Array.isArray(value)) return value.map(treeOfCase)
  if (typeof value === "string" && !value.startsWith("#")) return new TextEncoder().encode(value)
  const digits = BigInt(String(value).replace("#", "")).toString(16)
  return digits === "0"
    ? new Uint8Array(0)
    : fromHex(digits.padStart(digits.length + (digits.length % 2), "0"))
}

const plain = (tree: Tree): unknown =>
  tree instanceof Uint8Array ? Buffer.from(tree).toString("hex") : tree.map(plain)

describe.skipIf(foreign === undefined)("RLP against Ethereum's own cases (needs CAIRN_FOREIGN)", () => {
  for (const [name, { in: value, out }] of foreignRlp("rlptest")) {
    it(`reads ${name}`, () => {
      assert.deepStrictEqual(plain(Result.getOrThrow(readTree(fromHex(out)))), plain(treeOfCase(value)))
    })
  }

  for (const [name, { out }] of foreignRlp("invalid")) {
    it(`refuses ${name}`, () => assert.isTrue(Result.isFailure(readTree(fromHex(out)))))
  }
})

const trees = fc.letrec<{ tree: Tree; list: ReadonlyArray<Tree>; bytes: Uint8Array }>((tie) => ({
  tree: fc.oneof({ depthSize: "small" }, tie("bytes"), tie("list")),
  list: fc.array(tie("tree"), { maxLength: 6 }),
  bytes: fc.uint8Array({ maxLength: 70 })
})).tree

/** At least this many bytes of lists within lists; made from the innermost out, without a copy for each. */
const nestedLists = (length: number): Uint8Array => {
  const heads: Array<ReadonlyArray<number>> = [[0xc0]]
  for (let within = 1; within < length; ) {
    const bytes = within < 56 ? [] : [...Buffer.from(within.toString(16).padStart(6, "0"), "hex")]
    const size = bytes.slice(bytes.findIndex((byte) => byte > 0))
    const head = within < 56 ? [0xc0 + within] : [0xf7 + size.length, ...size]
    heads.push(head)
    within += head.length
  }
  return Uint8Array.from(heads.reverse().flat())
}

describe("RLP", () => {
  it("reads whatever a library writes", () => {
    generated.property(
      fc.property(trees, (tree) => {
        assert.deepStrictEqual(plain(Result.getOrThrow(readTree(RLP.encode(tree as never)))), plain(tree))
      })
    )
  })

  it("reads what is written in one way only: whatever it reads is what a library would write", () => {
    generated.property(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        const read = readTree(bytes)
        if (Result.isSuccess(read)) assert.deepStrictEqual(RLP.encode(read.success as never), bytes)
      }),
      { numRuns: 5_000 }
    )
  })

  it("writes numbers and lists as a library does", () => {
    for (const value of [
      0,
      1,
      127,
      128,
      255,
      256,
      65_535,
      65_536,
      2 ** 31,
      2 ** 32,
      Number.MAX_SAFE_INTEGER
    ]) {
      assert.deepStrictEqual(rlpNumber(value), RLP.encode(value))
      assert.strictEqual(
        Result.getOrThrow(Result.flatMap(readRlp(rlpNumber(value)), rlpInteger)),
        BigInt(value)
      )
    }
    for (const length of [0, 1, 55, 56, 255, 256, 70_000]) {
      const items = Array.from({ length }, () => new Uint8Array(0))
      assert.deepStrictEqual(rlpList(new Uint8Array(length).fill(0x80)), RLP.encode(items))
    }
  })

  it("tells what is wrong", () => {
    const reasonOf = (hex: string) => Result.merge(readTree(fromHex(hex)))
    const cases = {
      "": "truncated",
      c1: "truncated",
      "83ffff": "truncated",
      "8080": "trailing",
      "8101": "not_canonical"
    }
    for (const [hex, reason] of Object.entries(cases)) assert.propertyVal(reasonOf(hex), "reason", reason)
    const list = Result.getOrThrow(readRlp(fromHex("c28080")))
    assert.propertyVal(Result.merge(rlpItems(list, 1)), "reason", "length")
    assert.propertyVal(Result.merge(rlpBytes(list)), "reason", "kind")
    assert.propertyVal(Result.merge(rlpBytes(undefined)), "reason", "length")
    const bytes = Result.getOrThrow(readRlp(fromHex("820001")))
    assert.propertyVal(Result.merge(rlpItems(bytes, 1)), "reason", "kind")
    assert.propertyVal(Result.merge(rlpBytes(bytes, 3)), "reason", "length")
    assert.propertyVal(Result.merge(rlpInteger(bytes)), "reason", "not_canonical")
    const long = Result.getOrThrow(readRlp(fromHex(`a1${"01".repeat(33)}`)))
    assert.propertyVal(Result.merge(rlpInteger(long)), "reason", "length")
  })

  it("takes no longer for lists within lists within lists", () => {
    const nested = nestedLists(100_000)
    assert.deepStrictEqual(nestedLists(100), rlpList(nestedLists(98)))
    const items = Result.getOrThrow(Result.flatMap(readRlp(nested), (list) => rlpItems(list, 1)))
    assert.strictEqual(items.length, 1)
  })
})
