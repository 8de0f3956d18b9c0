/** What an auditor gives, read from text: the command's options and the fields of the page. */
import { parseVerifierKey, type VerifierKey } from "@cairn/core/note"
import { Result, Schema } from "effect"
import type { VerifierTools } from "../tools/VerifierTools.ts"
import type { AuditorKnowledge } from "./AuditorKnowledge.ts"

/** What an auditor gives, as text. */
export interface KnowledgeTexts {
  /** Verifier keys: `name+id+base64`. */
  readonly trustedKeys: ReadonlyArray<string>
  /** The account that anchors, `0x…`, in any case; null for none. */
  readonly anchorAddress: string | null
  /** `NUMBER=HASH` of blocks. */
  readonly blockHashes: ReadonlyArray<string>
}

/** A text is not what it should be. */
export class MalformedKnowledge extends Schema.TaggedError<MalformedKnowledge>()("MalformedKnowledge", {
  field: Schema.Literals(["trustedKeys", "anchorAddress", "blockHashes"]),
  /** The text that is wrong. */
  text: Schema.String,
  /** Why, for a person. */
  reason: Schema.String
}) {}

const ADDRESS = /^0x[0-9a-f]{40}$/

/**
 * Reads `NUMBER=HASH`; `undefined` for anything else. The hash may be in upper case, as some explorers copy
 * it.
 */
export const parseBlockHash = (text: string): readonly [number, string] | undefined => {
  const [, digits, written] = /^(0|[1-9]\d{0,15})=(0x[0-9a-fA-F]{64})$/.exec(text) ?? []
  const [number, hash] = [Number(digits), written?.toLowerCase()]
  return hash === undefined || !Number.isSafeInteger(number) ? undefined : [number, hash]
}

const readKeys = ({ sha256 }: Pick<VerifierTools, "sha256">, texts: ReadonlyArray<string>) =>
  Result.gen(function* () {
    const keys: Array<VerifierKey> = []
    for (const text of texts) {
      const key = yield* Result.mapError(
        parseVerifierKey(sha256, text.trim()),
        ({ reason }) =>
          new MalformedKnowledge({ field: "trustedKeys", text, reason: `not a verifier key (${reason})` })
      )
      keys.push(key)
    }
    return keys
  })

const readAddress = (given: string | null): Result.Result<string | null, MalformedKnowledge> => {
  const address = given?.trim().toLowerCase() ?? null
  return address === null || ADDRESS.test(address)
    ? Result.succeed(address)
    : Result.fail(
        new MalformedKnowledge({ field: "anchorAddress", text: given ?? "", reason: "not an address" })
      )
}

const readBlocks = (
  texts: ReadonlyArray<string>
): Result.Result<ReadonlyMap<number, string>, MalformedKnowledge> => {
  const refuse = (text: string, reason: string) =>
    Result.fail(new MalformedKnowledge({ field: "blockHashes", text, reason }))
  const hashes = new Map<number, string>()
  for (const text of texts) {
    const parsed = parseBlockHash(text.trim())
    if (parsed === undefined) return refuse(text, "not NUMBER=HASH")
    const [number, hash] = parsed
    if ((hashes.get(number) ?? hash) !== hash) return refuse(text, "two hashes for one block")
    hashes.set(number, hash)
  }
  return Result.succeed(hashes)
}

/** Reads what an auditor gives. */
export const parseKnowledge = (
  tools: Pick<VerifierTools, "sha256">,
  { trustedKeys, anchorAddress, blockHashes }: KnowledgeTexts
): Result.Result<
  Required<Pick<AuditorKnowledge, "trustedKeys" | "anchorAddress" | "knownBlocks">>,
  MalformedKnowledge
> =>
  Result.gen(function* () {
    return {
      trustedKeys: yield* readKeys(tools, trustedKeys),
      anchorAddress: yield* readAddress(anchorAddress),
      knownBlocks: yield* readBlocks(blockHashes)
    }
  })
