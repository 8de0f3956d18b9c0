/** Reports of bundles, as the command and the page make them. */
import { Effect } from "effect"
import {
  checkEvidence,
  evidenceReportHtml,
  layerTools,
  type ReportFacts,
  type VerifyOptions
} from "../../src/index.ts"
import { stream } from "../Bundles.ts"
import type { Lines } from "../tampering/Tampering.ts"

/** What is known of a check but not from it. */
export const about: Omit<ReportFacts, "files"> = {
  verifier: "cairn-verify 1.2.3",
  at: new Date("2026-02-03T04:05:06.789Z"),
  chainId: 8453
}

/** A file of a bundle's lines, or of any bytes. */
export interface TestFile {
  readonly name: string
  readonly content: Lines | Uint8Array
}

/** The report of one file, or of an earlier and a later one, as HTML. */
export const reportOf = (
  files: readonly [TestFile] | readonly [TestFile, TestFile],
  options: VerifyOptions = {},
  more: Pick<ReportFacts, "page"> = {}
) =>
  Effect.gen(function* () {
    const source = ({ name, content }: TestFile) => ({ name, stream: stream(content) })
    const [first, second] = files
    const checked = yield* checkEvidence(
      second === undefined ? [source(first)] : [source(first), source(second)],
      options
    ).pipe(Effect.provide(layerTools))
    return {
      ...checked,
      html: evidenceReportHtml(checked.report, {
        ...about,
        ...more,
        chainId: options.chainId ?? about.chainId,
        files: checked.files
      })
    }
  })

/** The text of an HTML report, without its marks. */
export const textOf = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
