/** What the person knows from elsewhere, as it is checked. */
import { BASE, type KnowledgeTexts, parseKnowledge, platformTools, type VerifyOptions } from "@cairn/verifier"
import { Result } from "effect"
import type { KnownFaults, KnownTexts } from "./KnownTexts.ts"

/** What a verification is given. */
export type Knowledge = VerifyOptions & { readonly chainId: number }

/** What was typed, read: the knowledge, or what is wrong with it. */
export interface ReadKnowledge {
  readonly knowledge?: Knowledge
  readonly faults?: KnownFaults
}

const BASE_SEPOLIA = 84_532

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

const chainOf = ({ chain, otherChain }: KnownTexts): number | undefined => {
  if (chain !== "other") return chain === "base" ? BASE : BASE_SEPOLIA
  const text = otherChain.trim()
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

const NONE: KnowledgeTexts = { trustedKeys: [], anchorAddress: null, blockHashes: [] }

/** The knowledge, or what is wrong with it, in each field that is wrong. */
export const readKnown = (texts: KnownTexts): ReadKnowledge => {
  const address = texts.address.trim()
  const parts = {
    keys: parseKnowledge(platformTools, { ...NONE, trustedKeys: linesOf(texts.keys) }),
    address: parseKnowledge(platformTools, { ...NONE, anchorAddress: address === "" ? null : address }),
    blocks: parseKnowledge(platformTools, { ...NONE, blockHashes: linesOf(texts.blocks) })
  }
  const { keys, address: account, blocks } = parts
  const chainId = chainOf(texts)
  if (
    Result.isSuccess(keys) &&
    Result.isSuccess(account) &&
    Result.isSuccess(blocks) &&
    chainId !== undefined
  ) {
    const { trustedKeys } = keys.success
    const { anchorAddress } = account.success
    const { knownBlocks } = blocks.success
    return { knowledge: { trustedKeys, anchorAddress, knownBlocks, chainId } }
  }
  const wrong = Object.entries(parts).flatMap(([field, part]) =>
    Result.isFailure(part) ? [[field, part.failure.text] as const] : []
  )
  return {
    faults: {
      ...Object.fromEntries(wrong),
      ...(chainId === undefined ? { otherChain: texts.otherChain } : {})
    }
  }
}
