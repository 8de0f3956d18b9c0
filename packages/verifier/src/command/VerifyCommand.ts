/** `cairn-verify` */

import { printable, printableJson, printableLines } from "@cairn/core/verification"
import { Clock, Console, Effect, FileSystem, Option, Path } from "effect"
import { Command } from "effect/cli"
import type { ClaimedBlock } from "../anchor/AnchorTransaction.ts"
import { type CheckedEvidence, checkEvidence } from "../document/CheckEvidence.ts"
import { evidenceReportHtml } from "../document/EvidenceReport.ts"
import { comparisonText, reportText } from "../document/ReportText.ts"
import { layerTools, type VerifyOptions } from "../evidence/VerifyEvidence.ts"
import { type ExitStatus, exitCode } from "../report/Report.ts"
import { lookUpBlocks } from "./BlockLookup.ts"
import { checkReportPlace, writeReport } from "./ReportFile.ts"
import { nodeName, readKnowledge, verifyFlags } from "./VerifyFlags.ts"

/** The status of a bundle that was tampered with, and of a command that could not be carried out. */
const TAMPERED: ExitStatus = 1
const NO_REPORT: ExitStatus = 2

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
  const text = "newer" in report ? comparisonText(report, files) : reportText(report)
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
    verifyFlags,
    Effect.fnUntraced(function* ({ file, newer, json, report: place, ...given }) {
      const knowledge = yield* readKnowledge(given)
      const options: VerifyOptions = {
        ...knowledge,
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
