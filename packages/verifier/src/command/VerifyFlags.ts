/** The options of `cairn-verify`, and what they say that the auditor knows. */
import { Sha256 } from "@cairn/core/hashing"
import { Effect, Option, Result, Schema } from "effect"
import { Argument, type Command, Flag } from "effect/cli"
import type { AuditorKnowledge } from "../evidence/AuditorKnowledge.ts"
import { parseKnowledge } from "../evidence/KnowledgeInput.ts"

/** The command cannot be carried out; the message is for the user. */
export class CannotVerify extends Schema.TaggedError<CannotVerify>()("CannotVerify", {
  message: Schema.String
}) {}

/** What the command takes. */
export const verifyFlags = {
  file: Argument.File("FILE").pipe(Argument.withDescription("The evidence bundle")),
  newer: Argument.File("NEW").pipe(
    Argument.withDescription(
      "A later bundle of the same log, to find out whether anything was changed or dropped since"
    ),
    Argument.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print the report as one JSON value"),
    Flag.withDefault(false)
  ),
  report: Flag.String("report").pipe(
    Flag.withDescription("Write the report as a page to print and sign, into this new HTML file"),
    Flag.optional
  ),
  trustedKey: Flag.String("trusted-key").pipe(
    Flag.withDescription(
      "A key that signs the service's checkpoints: name+id+base64 (may be given several times)"
    ),
    Flag.atLeast(0)
  ),
  anyKey: Flag.Boolean("any-key").pipe(
    Flag.withDescription(
      "One of the trusted keys is enough, as for the successive keys of one service; else each must have signed"
    ),
    Flag.withDefault(false)
  ),
  anchorAddress: Flag.String("anchor-address").pipe(
    Flag.withDescription(
      "The account that anchors, 0x…; without it, a second, hidden chain of anchors is not noticed"
    ),
    Flag.optional
  ),
  blockHash: Flag.String("block-hash").pipe(
    Flag.withDescription("NUMBER=HASH of a block, as you looked it up (may be given several times)"),
    Flag.atLeast(0)
  ),
  rpc: Flag.String("rpc").pipe(
    Flag.withDescription("A node of the chain to ask for the hashes of blocks; the only use of a network"),
    Flag.optional
  ),
  chainId: Flag.Int("chain-id").pipe(
    Flag.withDescription("The chain that anchors are sent to; 84532 is Base's test network"),
    Flag.withDefault(8453)
  )
}

/** The option that each text is given by. */
const OPTIONS = {
  trustedKeys: "--trusted-key",
  anchorAddress: "--anchor-address",
  blockHashes: "--block-hash"
} as const

/** A node by its address alone: what else is in a URL is often a secret. */
export const nodeName = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "a node")

/** The part of it that says what the auditor knows. */
type Given = Pick<
  Command.Command.Config.Infer<typeof verifyFlags>,
  "trustedKey" | "anyKey" | "anchorAddress" | "blockHash" | "rpc" | "chainId"
>

/** What the auditor knows, read from the options. */
export const readKnowledge = Effect.fnUntraced(function* (given: Given) {
  const { anyKey, chainId } = given
  if (chainId < 1) return yield* new CannotVerify({ message: `--chain-id ${chainId}: not a chain` })
  const known = parseKnowledge(
    { sha256: yield* Sha256 },
    {
      trustedKeys: given.trustedKey,
      anchorAddress: Option.getOrNull(given.anchorAddress),
      blockHashes: given.blockHash
    }
  )
  if (Result.isFailure(known)) {
    const { field, text, reason } = known.failure
    return yield* new CannotVerify({ message: `${OPTIONS[field]} ${text}: ${reason}` })
  }
  const node = Option.getOrNull(Option.map(given.rpc, nodeName))
  return { ...known.success, anyKey, chainId, node } satisfies AuditorKnowledge
})
