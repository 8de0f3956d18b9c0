/**
 * The newest checkpoint of a log: signed when it is asked for, and kept, so that neither a restored backup nor a rewritten log is ever
 * signed over.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { type Checkpoint, type MalformedCheckpoint, signCheckpoint } from "./Checkpoint.ts"
import { CheckpointSigner, type CheckpointSigningKey } from "./CheckpointSigner.ts"
import { Checkpoints, type IssuedCheckpoint } from "./Checkpoints.ts"
import type { ConsistencyProof } from "./ConsistencyProof.ts"
import { EventLog } from "./EventLog.ts"
import { logIdOf } from "./LogId.ts"
import { type DamagedTree, LogTree } from "./LogTree.ts"
import { SizesOutOfRange, type TreeSizeOutOfRange } from "./ProofError.ts"
import { toHex } from "./Randomness.ts"
import type { SecretUnreadable } from "./SecretBox.ts"
import { Sha256 } from "./Sha256.ts"
import type { MalformedNote } from "./SignedNote.ts"
import type { StorageUnavailable } from "./Storage.ts"
import type { MalformedVerifierKey } from "./VerifierKey.ts"

/** The log is not the one that its newest checkpoint was signed for: it is shorter, or other than it was. */
export class LogNotAsSigned extends Schema.TaggedError<LogNotAsSigned>()("LogNotAsSigned", {
  workspaceId: Schema.String,
  /** Events of the checkpoint. */
  signedSize: Schema.Number,
  /** Events that the chain has. */
  size: Schema.Number
}) {
  override get message(): string {
    return this.size < this.signedSize
      ? `the log has ${this.size} events, but ${this.signedSize} were signed for: its end is missing`
      : `the first ${this.signedSize} events of the log are not those that were signed for`
  }
}

/** Why there is no checkpoint. */
export type CheckpointError = LogNotAsSigned | DamagedTree | SecretUnreadable | StorageUnavailable

/** The use case. */
export interface LogCheckpointsShape {
  /**
   * A checkpoint of all events that the chain has at this moment. Costs some reads of tree nodes, and when the log has grown a signature
   * and one small write.
   */
  readonly current: (workspaceId: string) => Effect.Effect<IssuedCheckpoint, CheckpointError>
  /** That the log of `to` events begins with the log of `from` events. Costs a few reads of tree nodes. */
  readonly consistency: (
    workspaceId: string,
    from: number,
    to: number
  ) => Effect.Effect<ConsistencyProof, SizesOutOfRange | DamagedTree | StorageUnavailable>
}

/** What cannot be wrong of a checkpoint made here. */
type Impossible = MalformedCheckpoint | MalformedNote | MalformedVerifierKey | TreeSizeOutOfRange

/** Checkpoints over a log and its tree. */
export class LogCheckpoints extends Context.Service<LogCheckpoints, LogCheckpointsShape>()(
  "@cairn/core/LogCheckpoints"
) {
  static readonly layer = Layer.effect(
    LogCheckpoints,
    Effect.gen(function* () {
      const log = yield* EventLog
      const tree = yield* LogTree
      const store = yield* Checkpoints
      const signer = yield* CheckpointSigner
      const sha256 = yield* Sha256

      /** The note with a line of each key, the newest one's first. */
      const sign = Effect.fnUntraced(function* (
        keys: ReadonlyArray<CheckpointSigningKey>,
        checkpoint: Checkpoint
      ) {
        const notes = yield* Effect.forEach(keys, ({ name, signer: key }) =>
          Effect.fromResult(signCheckpoint(sha256, key, name, checkpoint))
        )
        const [first = "", ...others] = notes
        // A note is its text, a blank line, and a line each signature.
        return first + others.map((note) => note.slice(note.indexOf("\n\n") + 2)).join("")
      })

      const make = Effect.fnUntraced(function* (
        workspaceId: string,
        size: number,
        keys: ReadonlyArray<CheckpointSigningKey>,
        before: IssuedCheckpoint | undefined
      ) {
        // Whoever has the checkpoint before could show two that do not go together, if this were signed without looking.
        if (before !== undefined && before.size > 0) {
          const now = toHex(yield* tree.root(workspaceId, before.size))
          if (now !== before.root) {
            return yield* new LogNotAsSigned({ workspaceId, signedSize: before.size, size })
          }
        }
        const root = yield* tree.root(workspaceId, size)
        const origin = logIdOf(workspaceId)
        const note = yield* sign(keys, { origin, size, root, extensions: [] })
        const issued = { size, root: toHex(root), keyNumber: keys[0]?.number ?? 0, note }
        yield* store.issue(workspaceId, issued)
        return issued
      })

      const current = Effect.fn("LogCheckpoints.current")(
        function* (workspaceId: string) {
          const keys = yield* signer.current
          // First what was signed, then the log: in the other order an append between the two would look like a loss.
          const before = Option.getOrUndefined(yield* store.newest(workspaceId))
          const { sequence: size } = yield* log.head(workspaceId)
          if (before !== undefined && before.size > size) {
            return yield* new LogNotAsSigned({ workspaceId, signedSize: before.size, size })
          }
          if (before?.size === size && before.keyNumber === keys[0]?.number) return before
          return yield* make(workspaceId, size, keys, before)
        },
        Effect.catchIf(
          (error): error is Impossible =>
            error._tag === "MalformedCheckpoint" ||
            error._tag === "MalformedNote" ||
            error._tag === "MalformedVerifierKey" ||
            error._tag === "TreeSizeOutOfRange",
          Effect.die
        )
      )

      const consistency = Effect.fn("LogCheckpoints.consistency")(function* (
        workspaceId: string,
        from: number,
        to: number
      ) {
        const { sequence } = yield* log.head(workspaceId)
        if (to > sequence) return yield* new SizesOutOfRange({ firstSize: from, secondSize: to })
        return yield* tree.consistency(workspaceId, from, to)
      })

      return LogCheckpoints.of({ current, consistency })
    })
  )
}
