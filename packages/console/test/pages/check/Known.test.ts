import { formatVerifierKey } from "@cairn/core/note"
import { assert, describe, it } from "@effect/vitest"
import { serviceKey } from "../../../../verifier/test/Bundles.ts"
import { readKnown } from "../../../src/page/pages/check/Known.ts"
import { NOTHING_KNOWN } from "../../../src/page/pages/check/KnownTexts.ts"

const KEY = formatVerifierKey(serviceKey)
const HASH = `0x${"ab".repeat(32)}`

describe("what is known from elsewhere", () => {
  it("is nothing where nothing was typed, on Base", () => {
    assert.deepStrictEqual(readKnown(NOTHING_KNOWN), {
      knowledge: { trustedKeys: [], anchorAddress: null, knownBlocks: new Map(), chainId: 8453 }
    })
    assert.deepStrictEqual(
      readKnown({ ...NOTHING_KNOWN, keys: " \n", address: " ", blocks: "\n\n" }),
      readKnown(NOTHING_KNOWN)
    )
  })

  it("is read line by line, without the spaces around", () => {
    const { knowledge } = readKnown({
      keys: `${KEY}\r\n  ${KEY}\n\n`,
      address: ` 0x${"AB".repeat(20)} `,
      blocks: `7=${HASH}\n 8=${HASH}`,
      chain: "base_sepolia",
      otherChain: "no number"
    })
    assert.deepStrictEqual(knowledge, {
      trustedKeys: [serviceKey, serviceKey],
      anchorAddress: `0x${"ab".repeat(20)}`,
      knownBlocks: new Map([
        [7, HASH],
        [8, HASH]
      ]),
      chainId: 84532
    })
  })

  it("names every field that is wrong, and the text that is", () => {
    assert.deepStrictEqual(
      readKnown({
        keys: `${KEY}\n${KEY.slice(0, -1)}`,
        address: "ada",
        blocks: `7=${HASH}\n7=0x${"cd".repeat(32)}`,
        chain: "other",
        otherChain: "0"
      }),
      {
        faults: {
          keys: KEY.slice(0, -1),
          address: "ada",
          blocks: `7=0x${"cd".repeat(32)}`,
          otherChain: "0"
        }
      }
    )
  })

  it("takes any whole number from 1 on as a chain, if another one was chosen", () => {
    const chainOf = (otherChain: string) =>
      readKnown({ ...NOTHING_KNOWN, chain: "other", otherChain }).knowledge?.chainId
    assert.strictEqual(chainOf(" 10 "), 10)
    for (const text of ["", "0", "-1", "1.5", "1e3", "9".repeat(17)]) assert.isUndefined(chainOf(text), text)
  })
})
