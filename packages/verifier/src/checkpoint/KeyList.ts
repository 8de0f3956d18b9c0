/** The keys that have to do with a bundle's checkpoint, for a report. */
import type { EvidenceHeader } from "@cairn/core/evidence"
import { formatVerifierKey, type VerifierKey } from "@cairn/core/note"
import type { KeyReport } from "../report/Report.ts"

/** Most keys of a file that are listed, and characters of each: a header may have megabytes of them. */
const MOST_STATED = 20
const LONGEST = 1_000

/** What is known of the keys of a bundle. */
interface KnownKeys {
  readonly header: Pick<EvidenceHeader, "keys">
  /** Those whose signature the checkpoint has. */
  readonly signers: ReadonlyArray<VerifierKey>
}

/** Keys, and how many more the file states. */
export interface KeyList {
  readonly keys: ReadonlyArray<KeyReport>
  readonly unlisted: number
}

/** Each key once: those that signed, those that were given, and the first that the file states. */
export const keysOf = (
  { header, signers }: KnownKeys,
  { trustedKeys = [] }: { readonly trustedKeys?: ReadonlyArray<VerifierKey> }
): KeyList => {
  const signed = new Set(signers.map(formatVerifierKey))
  const given = new Set(trustedKeys.map(formatVerifierKey))
  const all = new Set(header.keys)
  const short = header.keys.filter((key) => key.length <= LONGEST)
  const keys = new Set([...signed, ...given, ...[...new Set(short)].slice(0, MOST_STATED)])
  const listed = [...keys].map((key) => ({
    key,
    stated: all.has(key),
    given: given.has(key),
    signed: signed.has(key)
  }))
  return { keys: listed, unlisted: all.size - listed.filter(({ stated }) => stated).length }
}
