/** `cairn-verify` */

import { Sha256 } from "@cairn/core/hashing"
import { parseVerifierKey, type VerifierKey } from "@cairn/core/note"
import { printableJson, printableLines } from "@cairn/core/verification"
import { Console, Effect, FileSystem, Option, Result, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { ClaimedBlock } from "../anchor/AnchorTransaction.ts"
import { compareEvidence } from "../comparison/CompareEvidence.ts"
import { layerTools, type VerifyOptions, verifyEvidence } from "../evidence/VerifyEvidence.ts"
import { comparisonText, type ExitStatus, exitCode, reportText, type Verdict } from "../report/Report.ts"
import { lookUpBlocks, parseBlockHash } from "./BlockLookup.ts"

/** The command cannot be carried out; the message is for the user. */
class CannotVerify extends Schema.TaggedError<CannotVerify>()("CannotVerify", {
  message: Schema.String
}) {}

const flags = {
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
  trustedKey: Flag.String("trusted-key").pipe(
    Flag.withDescription(
      "A key that signs the service's checkpoints: name+id+base64 (may be given several times)"
    ),
    Flag.atLeast(0)
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

const ADDRESS = /^0x[0-9a-f]{40}$/

const readKeys = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const sha256 = yield* Sha256
  const keys: Array<VerifierKey> = []
  for (const text of texts) {
    const key = parseVerifierKey(sha256, text.trim())
    if (Result.isFailure(key)) {
      return yield* new CannotVerify({
        message: `--trusted-key ${text}: not a verifier key (${key.failure.reason})`
      })
    }
    keys.push(key.success)
  }
  return keys
})

const readAddress = Effect.fnUntraced(function* (given: Option.Option<string>) {
  if (Option.isNone(given)) return null
  const address = given.value.toLowerCase()
  if (ADDRESS.test(address)) return address
  return yield* new CannotVerify({ message: `--anchor-address ${given.value}: not an address` })
})

const readBlockHashes = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const hashes = new Map<number, string>()
  for (const text of texts) {
    const parsed = parseBlockHash(text)
    if (parsed === undefined) {
      return yield* new CannotVerify({ message: `--block-hash ${text}: not NUMBER=HASH` })
    }
    const [number, hash] = parsed
    if ((hashes.get(number) ?? hash) !== hash) {
      return yield* new CannotVerify({ message: `--block-hash ${text}: two hashes for one block` })
    }
    hashes.set(number, hash)
  }
  return hashes
})

/** Asks a node for the blocks. If it fails, blocks that the auditor did not look up stay unchecked. */
const blockHashes = (rpc: Option.Option<string>, chainId: number) => (blocks: ReadonlyArray<ClaimedBlock>) =>
  Effect.gen(function* () {
    if (Option.isNone(rpc) || blocks.length === 0) return new Map<number, string>()
    return yield* lookUpBlocks(rpc.value, chainId, blocks).pipe(
      Effect.catchTag("NodeUnavailable", ({ message }) =>
        Effect.as(Console.error(`cairn-verify: --rpc ${rpc.value}: ${message}`), new Map<number, string>())
      )
    )
  })

/** The command; `found` is called with the exit status that follows from the report, see {@link exitCode}. */
export const makeVerifyCommand = (found: (status: ExitStatus) => void) =>
  Command.make(
    "cairn-verify",
    flags,
    Effect.fnUntraced(function* ({ file, newer, json, ...given }) {
      const knownBlocks = yield* readBlockHashes(given.blockHash)
      const options: VerifyOptions = {
        trustedKeys: yield* readKeys(given.trustedKey),
        anchorAddress: yield* readAddress(given.anchorAddress),
        chainId: given.chainId,
        knownBlocks,
        node: Option.getOrNull(given.rpc),
        blockHashes: blockHashes(given.rpc, given.chainId)
      }
      const print = <A extends { readonly verdict: Verdict }>(report: A, text: (report: A) => string) => {
        found(exitCode(report))
        return Console.log(json ? printableJson(report) : printableLines(text(report)))
      }
      const { stream } = yield* FileSystem.FileSystem
      yield* Option.isNone(newer)
        ? Effect.flatMap(verifyEvidence(stream(file), options), (report) => print(report, reportText))
        : Effect.flatMap(compareEvidence(stream(file), stream(newer.value), options), (report) =>
            print(report, comparisonText)
          )
    }, Effect.provide(layerTools))
  ).pipe(
    Command.withDescription(
      "Checks an evidence bundle of a Cairn log, offline: exits with 0 if every required check succeeded, 1 if it was tampered with, 2 if it " +
        "cannot be read, 3 if something that you gave matches nothing in the file"
    )
  )
