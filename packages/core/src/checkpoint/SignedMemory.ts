/**
 * What was signed for each log, recorded outside the log: in the process, and with the consumers' state,
 * which on SQLite is a file of its own. Setting back the log to an earlier state, alone or under a running
 * process, does not undo these records.
 */
import { Effect, Option, Schema } from "effect"
import { Consumers } from "../consumer/Consumers.ts"
import * as Micros from "../encoding/Micros.ts"
import { Continuity } from "../log/Continuity.ts"
import { StorageUnavailable } from "../log/StorageUnavailable.ts"

/**
 * The consumer that owns the row. Its position is the newest checkpoint's size, so its lag is how many events
 * are not signed yet.
 */
export const SIGNED_CONSUMER = "signed"

/** That consumer's row. */
export const SIGNED_KEY = "newest"

/** A signed checkpoint, as it is recorded. */
export const SignedSize = Schema.Struct({
  /** How many events of the chain it covers. */
  size: Schema.Number,
  /**
   * The Merkle root over them, 64 lower-case hexadecimal characters; `UNKNOWN_ROOT` for a lost end, see
   * `LostEnd`.
   */
  root: Schema.String,
  /** The hash of the last of these events; null if it is not known. */
  event_hash: Schema.NullOr(Schema.String),
  /**
   * The largest size ever signed. It is this checkpoint's size, unless a larger checkpoint of the log was
   * lost.
   */
  furthest: Schema.Number,
  /**
   * The operator has accepted that the log has changed: nothing is signed up to this size, and later
   * checkpoints need not extend this one.
   */
  lost: Schema.Boolean,
  /**
   * The size up to which losses were accepted before this was signed; 0 if none were. What a process
   * remembers of a checkpoint up to there binds nobody.
   */
  lost_up_to: Schema.optionalKey(Schema.Number)
})
export type SignedSize = typeof SignedSize.Type

/** The root of a state that may or may not have been signed. */
export const UNKNOWN_ROOT = ""

/** The size up to which a log is known to be lost, and the operator has accepted it; 0 if nothing is. */
export const acceptedUpTo = (signed: SignedSize | undefined): number =>
  signed === undefined ? 0 : signed.lost ? signed.size : (signed.lost_up_to ?? 0)

const SignedText = Schema.fromJsonString(SignedSize)

/** Decodes the record of a log; none if it cannot be read. */
export const decodeSigned = Schema.decodeUnknownOption(SignedText)
/** Encodes it for storage. */
export const encodeSigned = Schema.encodeSync(SignedText)

/** Whether both are the same checkpoint. */
export const isSameSigned = (
  one: Pick<SignedSize, "size" | "root">,
  other: Pick<SignedSize, "size" | "root">
): boolean => one.size === other.size && one.root === other.root

const withFurthest = (signed: SignedSize, before: SignedSize | undefined): SignedSize => ({
  ...signed,
  furthest: Math.max(signed.furthest, signed.size, before?.furthest ?? 0),
  lost_up_to: Math.max(acceptedUpTo(signed), acceptedUpTo(before))
})

/** Stops every process: two signed states that no single log can hold. */
const contradicting = (missing: SignedSize, before: SignedSize): SignedSize => ({
  ...withFurthest(missing, before),
  size: Math.max(missing.furthest, missing.size, before.furthest),
  root: UNKNOWN_ROOT,
  event_hash: null
})

/**
 * The record of a log that is lost up to `floor`: every checkpoint up to there counts as lost, and no size up
 * to there is signed again.
 */
const withFloor = (signed: SignedSize | undefined, floor: number): SignedSize | undefined => {
  if (floor === 0 || (signed !== undefined && signed.size > floor)) return signed
  const furthest = Math.max(floor, signed?.furthest ?? 0)
  const { root, event_hash } = signed ?? { root: UNKNOWN_ROOT, event_hash: null }
  return { size: furthest, root, event_hash, furthest, lost: true }
}

/** Attempts at a commit while other processes commit too. */
const ATTEMPTS = 20

/**
 * Reads and writes the record of a log outside the process, if `Consumers` is available when this is built.
 * If `Continuity` is available, losses accepted there count too.
 *
 * `modify` stores what `change` returns, and returns what is stored afterwards; if `change` returns
 * `undefined`, nothing is changed. Costs a read, and one write if it changes.
 */
export const signedRecords = Effect.gen(function* () {
  const consumers = Option.getOrUndefined(yield* Effect.serviceOption(Consumers))
  const continuity = Option.getOrUndefined(yield* Effect.serviceOption(Continuity))

  /** The largest size that may have been signed for events that are lost; 0 if nothing is lost. */
  const floor = (workspaceId: string) =>
    continuity === undefined ? Effect.succeed(0) : continuity.lostUpTo(workspaceId)

  /** The record as it counts now, with accepted losses applied. */
  const standing = (workspaceId: string, signed: SignedSize | undefined) =>
    Effect.map(floor(workspaceId), (upTo) => withFloor(signed, upTo))

  const read = Effect.fnUntraced(function* (workspaceId: string) {
    if (consumers === undefined) return yield* standing(workspaceId, undefined)
    const [row] = yield* consumers.rows({ workspaceId, consumer: SIGNED_CONSUMER }, [SIGNED_KEY])
    return yield* standing(
      workspaceId,
      row === undefined ? undefined : Option.getOrUndefined(decodeSigned(row.value))
    )
  })

  const modify = Effect.fnUntraced(function* (
    workspaceId: string,
    change: (before: SignedSize | undefined) => SignedSize | undefined
  ) {
    if (consumers === undefined) return change(yield* standing(workspaceId, undefined))
    const key = { workspaceId, consumer: SIGNED_CONSUMER }
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const at = yield* Micros.now
      const position = yield* consumers.open(key, 0, at)
      const before = yield* read(workspaceId)
      const after = change(before)
      if (after === undefined) return before
      const committed = yield* consumers.commit(position, {
        sequence: after.size,
        rows: [{ key: SIGNED_KEY, value: encodeSigned(after), expiresAt: null }],
        raised: [],
        deliveries: [],
        expiredBy: null,
        at
      })
      if (Option.isSome(committed)) return after
    }
    const cause = new Error(`the consumer ${SIGNED_CONSUMER} is paused, or too many are at it`)
    return yield* new StorageUnavailable({ operation: "remember what was signed", cause })
  })

  return { read, modify, standing, floor }
})

/** Makes the memory of one process. */
export const makeSignedMemory = Effect.gen(function* () {
  const records = yield* signedRecords
  const known = new Map<string, SignedSize>()

  /** What is known of a log. It is read once and then kept in memory. */
  const recall = Effect.fnUntraced(function* (workspaceId: string) {
    const own = known.get(workspaceId)
    const found =
      own === undefined ? yield* records.read(workspaceId) : yield* records.standing(workspaceId, own)
    if (found !== undefined) known.set(workspaceId, found)
    return found
  })

  /**
   * Records a checkpoint before it is returned to anybody. Returns whether it may be returned: not if another
   * process has recorded a state in the meantime that the log was not checked against. `recall` then returns
   * that state.
   */
  const note = Effect.fnUntraced(function* (
    workspaceId: string,
    signed: SignedSize,
    heldAgainst: ReadonlyArray<SignedSize>
  ) {
    const mayReplace = (before: SignedSize) =>
      before.lost
        ? before.size < signed.size
        : isSameSigned(before, signed) ||
          (before.furthest < signed.size &&
            // An empty log is the beginning of any.
            (before.size === 0 || heldAgainst.some((one) => isSameSigned(one, before))))
    const found = yield* records.modify(workspaceId, (before) =>
      before === undefined || mayReplace(before) ? withFurthest(signed, before) : undefined
    )
    known.set(workspaceId, found ?? signed)
    return found === undefined || isSameSigned(found, signed)
  })

  /**
   * After signing was refused: records what the log has lost, for all other processes and for this one after
   * a restart. If another state is recorded that is not smaller, no log holds both, and no log is signed
   * until the operator accepts that. Returns what is recorded afterwards: the operator may have accepted the
   * loss.
   */
  const tell = Effect.fnUntraced(function* (workspaceId: string, missing: SignedSize) {
    const found = yield* records.modify(workspaceId, (before) => {
      if (before === undefined) return withFurthest(missing, undefined)
      if (isSameSigned(before, missing) || missing.size <= acceptedUpTo(before)) return undefined
      return missing.size > before.size ? withFurthest(missing, before) : contradicting(missing, before)
    })
    known.set(workspaceId, found ?? missing)
    return found ?? missing
  })

  return { recall, note, tell, recorded: records.read, floor: records.floor }
})
