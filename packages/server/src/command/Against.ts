/**
 * Compares the live log with a file that someone kept: an older evidence bundle, or a signed checkpoint. It
 * finds a restored copy that is behind, and a log that was rewritten since.
 */
import { createReadStream } from "node:fs"
import { buffer } from "node:stream/consumers"
import { CheckpointSigner } from "@cairn/core/checkpoint"
import { Sha256, toHex } from "@cairn/core/hashing"
import { EventLog, Workspaces } from "@cairn/core/log"
import { appendLeaves, emptyFrontier, frontierRoot, hashFromHex } from "@cairn/core/merkle"
import { MAX_NOTE_LENGTH, openCheckpoint, parseVerifierKey } from "@cairn/core/note"
import { compareEvidence, comparisonText, layerTools, portableEd25519 } from "@cairn/verifier"
import { NodeStream } from "@effect/platform-node"
import { Data, Effect, Option, Result, Schema } from "effect"
import { evidenceFile } from "./EvidenceFile.ts"

/** The outcome. */
export interface AgainstReport {
  readonly agrees: boolean
  /** Whether the file is an evidence bundle or a checkpoint. The log is held against nothing else. */
  readonly readable: boolean
  /** For a person. */
  readonly text: string
}

/** The file that the log is to be held against cannot be read. */
export class UnreadableFile extends Data.TaggedError("UnreadableFile")<{
  readonly file: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `--against: ${this.file} cannot be read`
  }
}

const GZIP = [0x1f, 0x8b]

const agrees = (text: string): AgainstReport => ({ agrees: true, readable: true, text })
const disagrees = (text: string): AgainstReport => ({ agrees: false, readable: true, text })
const unreadable = (text: string): AgainstReport => ({ agrees: false, readable: false, text })

/** A checkpoint as a log stream writes it: JSON, with the signed text in it. */
const StreamedCheckpoint = Schema.fromJsonString(
  Schema.Struct({ type: Schema.Literal("checkpoint"), note: Schema.String })
)
const decodeStreamed = Schema.decodeUnknownOption(StreamedCheckpoint)

/** The signed text: the file itself, or within what a stream has written. */
const noteOf = (beginning: Uint8Array): Uint8Array =>
  Option.match(decodeStreamed(new TextDecoder().decode(beginning)), {
    onNone: () => beginning,
    onSome: ({ note }) => new TextEncoder().encode(note)
  })

const trustedKeys = Effect.gen(function* () {
  const sha256 = yield* Sha256
  const keys = yield* (yield* CheckpointSigner).list
  return keys.flatMap(({ verifierKey }) =>
    Result.match(parseVerifierKey(sha256, verifierKey), { onFailure: () => [], onSuccess: (key) => [key] })
  )
})

/** Hashes read at a time. */
const HASHES_A_STEP = 10_000

/**
 * The root over the first events by their own hashes, and not by the stored tiles of the tree: an attacker
 * who rewrites the log may have left those as they were. Undefined if an event is missing or has no hash.
 * Costs two SHA-256 an event.
 */
export const rootOverEvents = Effect.fnUntraced(function* (workspaceId: string, size: number) {
  const log = yield* EventLog
  const sha256 = yield* Sha256
  let frontier = emptyFrontier
  for (let from = 1; from <= size; from += HASHES_A_STEP) {
    const to = Math.min(size, from + HASHES_A_STEP - 1)
    const hashes = yield* log.hashes(workspaceId, from, to)
    const leaves = hashes.flatMap((hash) => Result.getOrElse(hashFromHex(hash, "leaf_data"), () => []))
    if (leaves.length !== to - from + 1) return undefined
    frontier = appendLeaves(sha256, frontier, leaves)
    yield* Effect.yieldNow
  }
  return toHex(frontierRoot(sha256, frontier))
})

const againstCheckpoint = Effect.fnUntraced(function* (workspaceId: string, note: Uint8Array) {
  const opened = openCheckpoint(portableEd25519, note, yield* trustedKeys)
  if (Result.isFailure(opened)) {
    const { _tag: reason } = opened.failure
    return reason === "MalformedNote" || reason === "MalformedCheckpoint"
      ? unreadable(`The file is neither an evidence bundle nor a checkpoint: ${reason}`)
      : disagrees(`This service did not sign the checkpoint: ${reason}`)
  }
  const { checkpoint } = opened.success
  if (checkpoint.origin !== (yield* (yield* Workspaces).logId(workspaceId))) {
    return disagrees(`The checkpoint is of another log: ${checkpoint.origin}`)
  }
  const { sequence } = yield* (yield* EventLog).head(workspaceId)
  if (sequence < checkpoint.size) {
    const missing = checkpoint.size - sequence
    return disagrees(
      `The log is behind: it has ${sequence} events, and ${missing} that were signed are missing`
    )
  }
  const root = yield* rootOverEvents(workspaceId, checkpoint.size)
  return root === toHex(checkpoint.root)
    ? agrees(`The first ${checkpoint.size} events are the ones that were signed`)
    : disagrees(`The first ${checkpoint.size} events are not the ones that were signed`)
})

const againstBundle = Effect.fnUntraced(function* (workspaceId: string, file: string) {
  const now = yield* evidenceFile({ workspaceId })
  const report = yield* compareEvidence(
    NodeStream.fromReadable<Uint8Array, unknown>({
      evaluate: () => createReadStream(file),
      onError: (cause) => new UnreadableFile({ file, cause })
    }),
    NodeStream.fromReadable<Uint8Array, unknown>({ evaluate: () => now, onError: (error) => error }),
    // Of the keys that the service has had, each signed in its own time.
    { trustedKeys: yield* trustedKeys, anyKey: true }
  ).pipe(Effect.provide(layerTools))
  // Then nothing else in the two can be compared.
  const another = report.failed.find(({ code }) => code === "another_log")
  if (another !== undefined) return disagrees(`${another.message}: ${another.expected} and ${another.actual}`)
  const text = comparisonText(report)
  if (report.older.verdict === "unreadable") return unreadable(text)
  return report.verdict === "intact" ? agrees(text) : disagrees(text)
})

/**
 * The beginning of a file, which holds all of a checkpoint or shows that the file is none. A bundle may be
 * larger than memory.
 */
const beginningOf = (file: string) =>
  Effect.tryPromise({
    // The end is a position, and is read too.
    try: () => buffer(createReadStream(file, { end: 2 * MAX_NOTE_LENGTH })),
    catch: (cause) => new UnreadableFile({ file, cause })
  })

/**
 * Compares the workspace's log with the file. What is wrong with the file is in the report; that it cannot be
 * read is {@link UnreadableFile}.
 */
export const holdAgainst = Effect.fnUntraced(function* (workspaceId: string, file: string) {
  const beginning = yield* beginningOf(file)
  return GZIP.every((byte, index) => beginning[index] === byte)
    ? yield* againstBundle(workspaceId, file)
    : yield* againstCheckpoint(workspaceId, noteOf(beginning))
})
