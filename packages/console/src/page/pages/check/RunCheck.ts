/** The check of one file or two, here in the browser. */
import {
  type CheckedEvidence,
  checkEvidence,
  layerTools,
  type ReportFacts,
  type Vouching,
  vouchingFor
} from "@cairn/verifier"
import { version } from "@cairn/verifier/package.json"
import { Effect } from "effect"
import { FileUnreadable, filePieces } from "./FilePieces.ts"
import type { Knowledge } from "./Known.ts"

/** A check that came to its end, with all that a report needs. */
export interface FinishedCheck {
  readonly report: CheckedEvidence["report"]
  readonly facts: ReportFacts
  /** What vouches for the file, if it is intact. */
  readonly vouching: Vouching
}

/** How a check ended. */
export type CheckOutcome =
  | ({ readonly kind: "done" } & FinishedCheck)
  /** There is no verdict: the file could not be read, was changed meanwhile, or the page is at fault. */
  | { readonly kind: "failed"; readonly reason: "unreadable" | "changed" | "fault"; readonly name: string }

/** How far a check is. */
export interface CheckProgress {
  readonly read: number
  readonly total: number
}

/** What a check runs on. */
type CheckedFile = Pick<File, "name" | "size" | "stream">

/** Where this page is from; null where it has no origin of its own, as a page that was saved. */
const pageOrigin = (): string | null => {
  const origin = globalThis.location?.origin
  return origin === undefined || origin === "null" ? null : origin
}

/** Milliseconds between two reports of progress. */
const EVERY = 100

/** Times that each file is read: an earlier one alone, and then beside the later one. */
const readings = (files: ReadonlyArray<CheckedFile>): ReadonlyArray<number> =>
  files.length === 2 ? [2, 1] : [1]

const countReading = (
  files: ReadonlyArray<CheckedFile>,
  tell: (progress: CheckProgress) => void
): ReadonlyArray<(bytes: number) => void> => {
  const times = readings(files)
  const total = files.reduce((sum, { size }, index) => sum + size * (times[index] ?? 1), 0)
  const done = files.map(() => 0)
  const current = files.map(() => 0)
  let told = Number.NEGATIVE_INFINITY
  return files.map(({ size }, index) => (bytes) => {
    // From the beginning again: what was read to its end before counts.
    if (bytes === 0 && current[index] === size) done[index] = (done[index] ?? 0) + size
    current[index] = bytes
    const now = performance.now()
    if (now - told < EVERY) return
    told = now
    const read = [...done, ...current].reduce((sum, part) => sum + part, 0)
    tell({ read: Math.min(read, total), total })
  })
}

/**
 * Checks a file, or a later one against an earlier one, the earlier one first. Memory holds a few pieces,
 * however large the files are. Rejects if it is stopped.
 */
export const runCheck = (
  files: readonly [CheckedFile] | readonly [CheckedFile, CheckedFile],
  knowledge: Knowledge,
  tell: (progress: CheckProgress) => void,
  signal: AbortSignal
): Promise<CheckOutcome> => {
  const counts = countReading(files, tell)
  const sourceOf = (file: CheckedFile, index: number) => ({
    name: file.name,
    stream: filePieces(file, counts[index])
  })
  const [first, second] = files
  const sources =
    second === undefined
      ? ([sourceOf(first, 0)] as const)
      : ([sourceOf(first, 0), sourceOf(second, 1)] as const)
  const failed = (reason: "unreadable" | "changed" | "fault", name: string): CheckOutcome => ({
    kind: "failed",
    reason,
    name
  })
  return Effect.runPromise(
    checkEvidence(sources, knowledge).pipe(
      Effect.map(
        ({ report, files: checked }): CheckOutcome => ({
          kind: "done",
          report,
          vouching: vouchingFor({ report, files: checked }),
          facts: {
            files: checked,
            verifier: `@cairn/verifier ${version} in a browser`,
            page: pageOrigin(),
            at: new Date(),
            chainId: knowledge.chainId
          }
        })
      ),
      Effect.catch((error) =>
        Effect.succeed(failed(error instanceof FileUnreadable ? "unreadable" : "changed", error.name))
      ),
      Effect.catchDefect(() => Effect.succeed(failed("fault", first.name))),
      Effect.provide(layerTools)
    ),
    { signal }
  )
}
