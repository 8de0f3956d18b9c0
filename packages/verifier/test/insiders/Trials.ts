/** The trials of insiders, made over a chain, and each of them before the verifier. */
import { gzipSync } from "node:zlib"
import { Ed25519Verifier, Sha256 } from "@cairn/core/hashing"
import { formatVerifierKey } from "@cairn/core/note"
import {
  type Auditor,
  type BundleLines,
  type Falsehood,
  falsehoods,
  hasConfirmedAnchor,
  insiderShapes,
  insiderTrials,
  type ShapeBundle,
  type Trial,
  trueAnchors,
  writeLines
} from "@cairn/testing"
import { Effect } from "effect"
import type { Python } from "../../../../examples/verify-python/test/Python.ts"
import { feedBundle } from "../../src/evidence/VerifyEvidence.ts"
import {
  type BroughtReport,
  type ComparisonReport,
  compareEvidence,
  countWork,
  EvidenceVerifier,
  portableEd25519,
  type Report,
  type Verdict,
  type VerifyOptions,
  type Work
} from "../../src/index.ts"
import { serviceKey, sha256, signer, stream } from "../Bundles.ts"
import { testChain } from "../TestChain.ts"

export const chain = testChain()
export const shapes = insiderShapes({ signer, send: chain.send })
export const { cells, trial } = insiderTrials({ sha256, signer, shapes })

/** Signatures that were verified before: the same ones come in thousands of bundles. */
const signatures = new Map<string, boolean>()
const remembering = {
  verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
    const key = [publicKey, message, signature].map((bytes) => Buffer.from(bytes).toString("base64")).join()
    const known = signatures.get(key) ?? portableEd25519.verify(publicKey, message, signature)
    signatures.set(key, known)
    return known
  }
}

/** The true hashes of the blocks of some anchors of a log, by the blocks' numbers. */
export const blockHashes = (
  { truth }: ShapeBundle,
  ends: ReadonlyArray<number>
): ReadonlyMap<number, string> =>
  new Map(
    truth.log.anchors.flatMap(({ last_sequence: last, anchor }) => {
      const hash = anchor.block_number === null ? undefined : chain.blocks.get(anchor.block_number)
      return anchor.block_number === null || hash === undefined || !ends.includes(last)
        ? []
        : [[anchor.block_number, hash] as const]
    })
  )

const optionsOf = (honest: ShapeBundle, { key, anchors }: Auditor): VerifyOptions => ({
  ...(key ? { trustedKeys: [serviceKey] } : {}),
  ...(anchors === null ? {} : { anchorAddress: chain.address, knownBlocks: blockHashes(honest, anchors) })
})

/** Bytes of a piece of a file: all of them. */
const PIECE = 1_000_000

/** What a verifier says of a file, and what that cost. */
export interface Answer {
  readonly verdict: Verdict
  readonly work: Work
  /**
   * The ends of the newest anchor and of the older bundle that it says are held; null where it does not say.
   */
  readonly reach: { readonly anchors: number; readonly older: number } | null
  /** The whole report; null where the verifier is another one. */
  readonly report: Report | ComparisonReport | null
}

/** A verifier: holds a file against what an auditor brings. */
export type Ask = (bytes: Uint8Array, honest: ShapeBundle, auditor: Auditor) => Promise<Answer>

const files = new Map<BundleLines, Uint8Array>()

/** The file of honest lines. */
export const fileOf = (lines: BundleLines): Uint8Array => {
  const file = files.get(lines) ?? gzipSync(writeLines(lines))
  files.set(lines, file)
  return file
}

const olderFile = ({ older }: Auditor): Uint8Array | undefined =>
  older === null ? undefined : fileOf(older.lines)

/** The events up to which a report says that something holds; 0 for nothing. */
const upTo = (brought: ReadonlyArray<BroughtReport>, name: BroughtReport["name"]): number =>
  Math.max(0, ...brought.filter((one) => one.name === name).map(({ up_to: end }) => end ?? 0))

const answerOf = (
  report: Report | ComparisonReport,
  brought: ReadonlyArray<BroughtReport>,
  work: Work
): Answer => ({
  verdict: report.verdict,
  report,
  work,
  reach: { anchors: upTo(brought, "block_hash"), older: upTo(brought, "earlier") }
})

/** The verifier of this package. Of two bundles it counts what is hashed, as the parsing is that of each. */
export const ask: Ask = async (bytes, honest, auditor) => {
  const { tools, work } = countWork({ sha256, ed25519: remembering })
  const options = optionsOf(honest, auditor)
  const newer = stream(bytes, PIECE)
  const older = olderFile(auditor)
  if (older === undefined) {
    const verifier = new EvidenceVerifier(tools, options)
    await Effect.runPromise(feedBundle(verifier, newer))
    const report = verifier.finish()
    return answerOf(report, report.obligations.brought, work)
  }
  const report = await Effect.runPromise(
    compareEvidence(stream(older, PIECE), newer, options).pipe(
      Effect.provideService(Sha256, tools.sha256),
      Effect.provideService(Ed25519Verifier, tools.ed25519)
    )
  )
  return answerOf(report, report.brought, work)
}

/** The verifier in Python, which says INTACT only to whoever brings a key or an older bundle. */
export const askPython =
  (python: Python): Ask =>
  async (bytes, honest, auditor) => {
    const { key, anchors } = auditor
    const older = olderFile(auditor)
    const brought = {
      ...(key ? { trusted_keys: [formatVerifierKey(serviceKey)] } : {}),
      ...(anchors === null
        ? {}
        : {
            anchor_address: chain.address,
            block_hashes: [...blockHashes(honest, anchors)].map(([number, hash]) => `${number}=${hash}`)
          })
    }
    const answer = await python.ask(older === undefined ? [bytes] : [older, bytes], brought)
    const { verdict, bytes_hashed: hashed, bytes_parsed: parsed } = answer
    const said = verdict === "hashes_hold" ? "intact" : verdict
    return { verdict: said, work: { hashed, parsed }, reach: null, report: null }
  }

/** What was brought and is held against nothing in the file, nor in the older one. */
const unheld = ({ file, honest, auditor: { anchors, older } }: Trial): ReadonlyArray<Falsehood> => {
  if (anchors === null) return []
  const all = [file.bytes, ...(older === null ? [] : [fileOf(older.lines)])]
  const held = new Set(all.flatMap((bytes) => trueAnchors(bytes, honest.truth)))
  const lost = anchors.filter((end) => !held.has(end))
  return [
    ...lost.map((end) => ({
      sequence: 0,
      what: `no anchor is in the block of the one that ends with ${end}`
    })),
    ...(all.some(hasConfirmedAnchor) ? [] : [{ sequence: 0, what: "no anchor is confirmed" }])
  ]
}

/**
 * What is false in a trial's file, as far as the answer says that what the auditor brought reaches, or was
 * brought for nothing.
 */
export const lies = (of: Trial, answer: Answer): ReadonlyArray<Falsehood> => {
  const { file, honest, auditor, insider } = of
  const { key, anchors, older } = auditor
  const held = trueAnchors(file.bytes, honest.truth).filter((end) => anchors?.includes(end))
  const said = answer.reach ?? { anchors: 0, older: 0 }
  const reach = {
    key: key && insider === "without the key" ? Number.POSITIVE_INFINITY : 0,
    older: Math.max(older?.end ?? 0, said.older),
    anchors: Math.max(0, said.anchors, ...held)
  }
  return [...unheld(of), ...falsehoods(sha256, file, honest.truth, reach)]
}
