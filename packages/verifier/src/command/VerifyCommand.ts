/** `cairn-verify` */

import { Sha256 } from "@cairn/core/hashing"
import { printable, printableJson, printableLines } from "@cairn/core/verification"
import { Clock, Console, Effect, FileSystem, Option, Path, Result, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { ClaimedBlock } from "../anchor/AnchorTransaction.ts"
import { type CheckedEvidence, checkEvidence } from "../document/CheckEvidence.ts"
import { evidenceReportHtml } from "../document/EvidenceReport.ts"
import { type KnowledgeTexts, parseKnowledge } from "../evidence/KnowledgeInput.ts"
import { layerTools, type VerifyOptions } from "../evidence/VerifyEvidence.ts"
import { comparisonText, type ExitStatus, exitCode, reportText } from "../report/Report.ts"
import { lookUpBlocks } from "./BlockLookup.ts"
import { checkReportPlace, writeReport } from "./ReportFile.ts"

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

/** The status of a bundle that was tampered with, and of a command that could not be carried out. */
const TAMPERED: ExitStatus = 1
const NO_REPORT: ExitStatus = 2

/** The option that each text is given by. */
const OPTIONS = {
  trustedKeys: "--trusted-key",
  anchorAddress: "--anchor-address",
  blockHashes: "--block-hash"
} as const

const readKnowledge = Effect.fnUntraced(function* (texts: KnowledgeTexts) {
  const known = parseKnowledge({ sha256: yield* Sha256 }, texts)
  if (Result.isSuccess(known)) return known.success
  const { field, text, reason } = known.failure
  return yield* new CannotVerify({ message: `${OPTIONS[field]} ${text}: ${reason}` })
})

/** A node by its address alone: what else is in a URL is often a secret. */
const nodeName = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "a node")

/** Asks a node for the blocks. If it fails, blocks that the auditor did not look up stay unchecked. */
const blockHashes = (rpc: Option.Option<string>, chainId: number) => (blocks: ReadonlyArray<ClaimedBlock>) =>
  Effect.gen(function* () {
    if (Option.isNone(rpc) || blocks.length === 0) return new Map<number, string>()
    return yield* lookUpBlocks(rpc.value, chainId, blocks).pipe(
      Effect.catchTag("NodeUnavailable", ({ message }) =>
        Effect.as(
          Console.error(
            `cairn-verify: --rpc ${nodeName(rpc.value)}: ${message.replaceAll(rpc.value, nodeName(rpc.value))}`
          ),
          new Map<number, string>()
        )
      )
    )
  })

/** What was found, and the files, as text or as JSON. */
const outcomeText = ({ report, files }: CheckedEvidence, json: boolean): string => {
  if (json) return printableJson({ ...report, files })
  const text = "newer" in report ? comparisonText(report) : reportText(report)
  const names = files.map(
    ({ name, bytes, sha256 }) => `${printable(name)}, ${bytes} bytes, SHA-256 ${sha256}`
  )
  return printableLines([text, "", ...names].join("\n"))
}

/**
 * The command; `found` is called with the exit status that follows from the report, see {@link exitCode}. If
 * the report's page cannot be written, only a bundle that was tampered with has a status of its own.
 */
export const makeVerifyCommand = (version: string, found: (status: ExitStatus) => void) =>
  Command.make(
    "cairn-verify",
    flags,
    Effect.fnUntraced(function* ({ file, newer, json, report: place, ...given }) {
      if (given.chainId < 1) {
        return yield* new CannotVerify({ message: `--chain-id ${given.chainId}: not a chain` })
      }
      const options: VerifyOptions = {
        ...(yield* readKnowledge({
          trustedKeys: given.trustedKey,
          anchorAddress: Option.getOrNull(given.anchorAddress),
          blockHashes: given.blockHash
        })),
        chainId: given.chainId,
        node: Option.getOrNull(Option.map(given.rpc, nodeName)),
        blockHashes: blockHashes(given.rpc, given.chainId)
      }
      if (Option.isSome(place)) yield* checkReportPlace(place.value)
      const { stream } = yield* FileSystem.FileSystem
      const { basename } = yield* Path.Path
      const source = (path: string) => ({ name: basename(path), stream: stream(path) })
      const checked = yield* checkEvidence(
        Option.isNone(newer) ? [source(file)] : [source(file), source(newer.value)],
        options
      )
      const status = exitCode(checked.report)
      found(status)
      yield* Console.log(outcomeText(checked, json))
      if (Option.isNone(place)) return
      const facts = {
        files: checked.files,
        verifier: `cairn-verify ${version}`,
        at: new Date(yield* Clock.currentTimeMillis),
        chainId: given.chainId
      }
      yield* writeReport(place.value, evidenceReportHtml(checked.report, facts)).pipe(
        Effect.catchTag("CannotWriteReport", ({ message }) => {
          if (status !== TAMPERED) found(NO_REPORT)
          return Console.error(`cairn-verify: ${message}`)
        })
      )
    }, Effect.provide(layerTools))
  ).pipe(
    Command.withDescription(
      "Checks an evidence bundle of a Cairn log, offline: exits with 0 if every required check succeeded, 1 if it was tampered with, 2 if it " +
        "cannot be read, 3 if something that you gave matches nothing in the file"
    )
  )
