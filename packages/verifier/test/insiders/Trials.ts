/** The trials of insiders, made over a chain, and each of them before the verifier. */
import { gzipSync } from "node:zlib"
import { Ed25519Verifier, formatVerifierKey, Sha256, type Sha256Shape } from "@cairn/core"
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
import {
  compareEvidence,
  portableEd25519,
  type Verdict,
  type VerifyOptions,
  verifyEvidence
} from "../../src/index.ts"
import { serviceKey, sha256, signer, stream } from "../Bundles.ts"
import { testChain } from "../TestChain.ts"

export const chain = testChain()
export const shapes = insiderShapes({ signer, send: chain.send })
export const { cells, trial } = insiderTrials({ sha256, signer, shapes })

/** Work that was done: bytes that were hashed, and bytes of JSON that were parsed. */
export interface Work {
  hashed: number
  parsed: number
}

const lengthOf = (data: string | Uint8Array): number => data.length

/** A SHA-256 that counts the bytes that it is given. */
const counting = (work: Work): Sha256Shape => ({
  hex: (data) => {
    work.hashed += lengthOf(data)
    return sha256.hex(data)
  },
  bytes: (data) => {
    work.hashed += lengthOf(data)
    return sha256.bytes(data)
  }
})

const originalParse = JSON.parse
const parsing = async <A>(work: Work, run: () => Promise<A>): Promise<A> => {
  JSON.parse = (text: string, ...rest) => {
    work.parsed += String(text).length
    return originalParse(text, ...rest)
  }
  try {
    return await run()
  } finally {
    JSON.parse = originalParse
  }
}

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
  ...(anchors === null
    ? {}
    : { anchorAddress: chain.address, blockHashes: () => Effect.succeed(blockHashes(honest, anchors)) })
})

/** What a verifier says of a file, and what that cost. */
export interface Answer {
  readonly verdict: Verdict | "unproven"
  readonly work: Work
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

/** The verifier of this package. */
export const ask: Ask = async (bytes, honest, auditor) => {
  const work: Work = { hashed: 0, parsed: 0 }
  const options = optionsOf(honest, auditor)
  const newer = stream(bytes, 100_000)
  const older = olderFile(auditor)
  const verified: Effect.Effect<{ readonly verdict: Verdict }, never, Sha256 | Ed25519Verifier> =
    older === undefined
      ? verifyEvidence(newer, options)
      : compareEvidence(stream(older, 100_000), newer, options)
  const { verdict } = await parsing(work, () =>
    Effect.runPromise(
      verified.pipe(
        Effect.provideService(Sha256, counting(work)),
        Effect.provideService(Ed25519Verifier, remembering)
      )
    )
  )
  return { verdict, work }
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
    return { verdict: verdict === "hashes_hold" ? "intact" : verdict, work: { hashed, parsed } }
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

/** What is false in a trial's file, as far as what the auditor brought reaches, or was brought for nothing. */
export const lies = (of: Trial): ReadonlyArray<Falsehood> => {
  const { file, honest, auditor, insider } = of
  const { key, anchors, older } = auditor
  const reach = {
    key: key && insider === "without the key" ? Number.POSITIVE_INFINITY : 0,
    older: older?.end ?? 0,
    anchors: Math.max(0, ...trueAnchors(file.bytes, honest.truth).filter((end) => anchors?.includes(end)))
  }
  return [...unheld(of), ...falsehoods(sha256, file, honest.truth, reach)]
}
