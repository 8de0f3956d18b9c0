/**
 * The newest checkpoint of a log. It is signed on request and recorded both in the log's database and outside
 * it. So neither a restored backup nor a rewritten log gets a checkpoint that contradicts an earlier one: no
 * size is signed with two roots.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { toHex } from "../hashing/Randomness.ts"
import type { SecretUnreadable } from "../hashing/SecretBox.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { makeNotBehind } from "../log/Continuity.ts"
import { EventLog } from "../log/EventLog.ts"
import { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { Workspaces } from "../log/Workspace.ts"
import type { ConsistencyProof } from "../merkle/ConsistencyProof.ts"
import { SizesOutOfRange, type TreeSizeOutOfRange } from "../merkle/ProofError.ts"
import { type Checkpoint, type MalformedCheckpoint, signCheckpoint } from "../note/Checkpoint.ts"
import type { MalformedNote } from "../note/SignedNote.ts"
import type { MalformedVerifierKey } from "../note/VerifierKey.ts"
import { CheckpointSigner, type CheckpointSigningKey } from "./CheckpointSigner.ts"
import { Checkpoints, type IssuedCheckpoint } from "./Checkpoints.ts"
import { type DamagedTree, LogTree } from "./LogTree.ts"
import { acceptedUpTo, isSameSigned, makeSignedMemory, type SignedSize } from "./SignedMemory.ts"

/**
 * The log is shorter or different than it was when its newest checkpoint was signed. Or the operator has
 * accepted that, and the log has not yet grown beyond the size up to which it may have been signed.
 */
export class LogNotAsSigned extends Schema.TaggedError<LogNotAsSigned>()("LogNotAsSigned", {
  workspaceId: Schema.String,
  /** Events of the checkpoint; for an accepted loss, the most events that a lost checkpoint may have had. */
  signedSize: Schema.Number,
  /** Events in the chain. */
  size: Schema.Number,
  /** Whether the operator has accepted the loss. */
  accepted: Schema.Boolean
}) {
  override get message(): string {
    if (this.accepted) {
      return `the log has ${this.size} events, and may have been signed for ${this.signedSize} before a loss that was accepted: it is signed once it has more`
    }
    return this.size < this.signedSize
      ? `the log has ${this.size} events, but had ${this.signedSize}, or was signed for so many: its end is missing`
      : `the first ${this.signedSize} events of the log are not those that were signed for, or that it had`
  }
}

/** Why there is no checkpoint. */
export type CheckpointError = LogNotAsSigned | DamagedTree | SecretUnreadable | StorageUnavailable

/** The use case of this module. */
interface LogCheckpointsShape {
  /**
   * A checkpoint of all events that the chain has now. Costs some reads of tree nodes and, if the log has
   * grown, a signature and one small write.
   */
  readonly current: (workspaceId: string) => Effect.Effect<IssuedCheckpoint, CheckpointError>
  /**
   * Proves that the log of `to` events begins with the log of `from` events. Costs a few reads of tree nodes.
   */
  readonly consistency: (
    workspaceId: string,
    from: number,
    to: number
  ) => Effect.Effect<ConsistencyProof, SizesOutOfRange | DamagedTree | StorageUnavailable>
}

/** Errors that cannot occur for a checkpoint made here. */
type Impossible = MalformedCheckpoint | MalformedNote | MalformedVerifierKey | TreeSizeOutOfRange

/** Attempts while other processes sign as well. */
const ATTEMPTS = 20

const remembered = ({ size, root }: IssuedCheckpoint): SignedSize => ({
  size,
  root,
  event_hash: null,
  furthest: size,
  lost: false
})

/**
 * The signed states that the next checkpoint must extend, each once. States up to an accepted loss, and the
 * empty log, do not count.
 */
const bindingOf = (
  known: SignedSize | undefined,
  before: IssuedCheckpoint | undefined
): ReadonlyArray<SignedSize> => {
  const lostSize = acceptedUpTo(known)
  const both = [known, before === undefined ? undefined : remembered(before)]
  const binding = both.flatMap((one) => (one === undefined || one.lost || one.size <= lostSize ? [] : [one]))
  const [first, second] = binding
  return first !== undefined && second !== undefined && isSameSigned(first, second) ? [first] : binding
}

/** What signing needs. */
interface LogCheckpointsContext {
  readonly log: EventLog["Service"]
  readonly tree: LogTree["Service"]
  readonly store: Checkpoints["Service"]
  readonly signer: CheckpointSigner["Service"]
  readonly workspaces: Workspaces["Service"]
  readonly sha256: Sha256["Service"]
  readonly memory: Effect.Success<typeof makeSignedMemory>
  readonly notBehind: Effect.Success<ReturnType<typeof makeNotBehind>>
}

/** The note with one signature line a key, the newest key's first. */
const sign = Effect.fnUntraced(function* (
  { sha256 }: LogCheckpointsContext,
  keys: ReadonlyArray<CheckpointSigningKey>,
  checkpoint: Checkpoint
) {
  const notes = yield* Effect.forEach(keys, ({ name, signer: key }) =>
    Effect.fromResult(signCheckpoint(sha256, key, name, checkpoint))
  )
  const [first = "", ...others] = notes
  // A note is its text, a blank line, and one line a signature.
  return first + others.map((note) => note.slice(note.indexOf("\n\n") + 2)).join("")
})

const signAt = Effect.fnUntraced(function* (
  context: LogCheckpointsContext,
  workspaceId: string,
  size: number,
  keys: ReadonlyArray<CheckpointSigningKey>
) {
  const { tree, workspaces } = context
  const root = yield* tree.root(workspaceId, size)
  const note = yield* sign(context, keys, {
    origin: yield* workspaces.logId(workspaceId),
    size,
    root,
    extensions: []
  })
  return { size, root: toHex(root), keyNumber: keys[0]?.number ?? 0, note } satisfies IssuedCheckpoint
})

/** The first signed state that is not the beginning of the log. */
const firstMissing = Effect.fnUntraced(function* (
  { tree }: LogCheckpointsContext,
  workspaceId: string,
  size: number,
  signed: ReadonlyArray<SignedSize>
) {
  for (const one of signed) {
    if (one.size > size || toHex(yield* tree.root(workspaceId, one.size)) !== one.root) return one
  }
  return undefined
})

/**
 * The signed state to record for a log that lacks one: the state on record, if the log lacks that too and it
 * has the greater size. Another process has then signed since this one last looked.
 */
const furtherMissing = Effect.fnUntraced(function* (
  context: LogCheckpointsContext,
  workspaceId: string,
  missing: SignedSize
) {
  const recorded = yield* context.memory.recorded(workspaceId)
  if (recorded === undefined || recorded.lost || recorded.size <= missing.size) return missing
  const { sequence } = yield* context.log.head(workspaceId)
  return (yield* firstMissing(context, workspaceId, sequence, [recorded])) ?? missing
})

/** One attempt. None if another process has signed in the meantime, or the operator has accepted a loss. */
const attempt = Effect.fnUntraced(function* (context: LogCheckpointsContext, workspaceId: string) {
  const { notBehind, signer, memory, store, log } = context
  yield* notBehind
  const keys = yield* signer.current
  // The signed states are read before the log: in the other order, an append between the two reads would look
  // like a loss.
  const known = yield* memory.recall(workspaceId)
  const before = Option.getOrUndefined(yield* store.newest(workspaceId))
  const { sequence: size, eventHash } = yield* log.head(workspaceId)
  const isNewest = before?.size === size && before.keyNumber === keys[0]?.number
  const isKnown = known !== undefined && !known.lost && before !== undefined && isSameSigned(known, before)
  if (isNewest && isKnown) return Option.some(before)
  // These may be in somebody's hands. Without this check, a new checkpoint could contradict one of them.
  const signed = bindingOf(known, before)
  const missing = yield* firstMissing(context, workspaceId, size, signed)
  if (missing !== undefined) {
    const found = yield* memory.tell(workspaceId, yield* furtherMissing(context, workspaceId, missing))
    if (missing.size <= acceptedUpTo(found)) return Option.none()
    return yield* new LogNotAsSigned({ workspaceId, signedSize: found.size, size, accepted: false })
  }
  if (known?.lost === true && size <= known.size) {
    return yield* new LogNotAsSigned({ workspaceId, signedSize: known.size, size, accepted: true })
  }
  const issued = isNewest ? before : yield* signAt(context, workspaceId, size, keys)
  const next = { ...remembered(issued), event_hash: eventHash }
  if (!(yield* memory.note(workspaceId, next, signed))) return Option.none()
  // The operator may have accepted a loss since this attempt began.
  const floor = yield* memory.floor(workspaceId)
  if (floor > 0 && size <= floor) return Option.none()
  if (!isNewest) yield* store.issue(workspaceId, issued)
  return Option.some(issued)
})

const current = Effect.fn("LogCheckpoints.current")(
  function* (context: LogCheckpointsContext, workspaceId: string) {
    for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
      const issued = yield* attempt(context, workspaceId)
      if (Option.isSome(issued)) return issued.value
    }
    const cause = new Error("too many processes sign at once")
    return yield* new StorageUnavailable({ operation: "sign a checkpoint", cause })
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
  { log, tree }: LogCheckpointsContext,
  workspaceId: string,
  from: number,
  to: number
) {
  const { sequence } = yield* log.head(workspaceId)
  if (to > sequence) return yield* new SizesOutOfRange({ firstSize: from, secondSize: to })
  return yield* tree.consistency(workspaceId, from, to)
})

/** Checkpoints over a log and its tree. */
export class LogCheckpoints extends Context.Service<LogCheckpoints, LogCheckpointsShape>()(
  "@cairn/core/LogCheckpoints"
) {
  static readonly layer = Layer.effect(
    LogCheckpoints,
    Effect.gen(function* () {
      const notBehind = yield* makeNotBehind("sign a checkpoint")
      const context: LogCheckpointsContext = {
        log: yield* EventLog,
        tree: yield* LogTree,
        store: yield* Checkpoints,
        signer: yield* CheckpointSigner,
        workspaces: yield* Workspaces,
        sha256: yield* Sha256,
        memory: yield* makeSignedMemory,
        notBehind
      }
      return LogCheckpoints.of({
        current: (workspaceId) => current(context, workspaceId),
        consistency: (workspaceId, from, to) => consistency(context, workspaceId, from, to)
      })
    })
  )
}
