/**
 * What was signed for each log, remembered apart from the log: in the process, and among what consumers
 * remember, which on SQLite is a file of its own. A log that is put back to an earlier state, alone or under
 * a running process, does not take it back.
 */
import { Effect, Option, Schema } from "effect"
import { Consumers } from "../consumer/Consumers.ts"
import * as Micros from "../encoding/Micros.ts"
import { Continuity } from "../log/Continuity.ts"
import { StorageUnavailable } from "../log/StorageUnavailable.ts"

/**
 * The consumer whose row it is. Its position is the newest checkpoint's size, so its lag says how much is not
 * signed for yet.
 */
export const SIGNED_CONSUMER = "signed"

/** The row of it. */
export const SIGNED_KEY = "newest"

/** A checkpoint that was signed, as it is remembered. */
export const SignedSize = Schema.Struct({
  /** Events of the chain that it is about. */
  size: Schema.Number,
  /**
   * The Merkle root over them, 64 lower-case hexadecimal characters; {@link UNKNOWN_ROOT} for a lost end, see
   * `LostEnd`.
   */
  root: Schema.String,
  /** The last of these events' hash; null when it is not known. */
  event_hash: Schema.NullOr(Schema.String),
  /**
   * The greatest size that was ever signed: this one's, unless this is what a log that was signed for further
   * does not hold.
   */
  furthest: Schema.Number,
  /**
   * The operator has accepted that the log is another now: nothing is signed up to this size, and beyond it
   * this binds nobody.
   */
  lost: Schema.Boolean
})
export type SignedSize = typeof SignedSize.Type

/** The root of what may have been signed or not. */
export const UNKNOWN_ROOT = ""

const SignedText = Schema.fromJsonString(SignedSize)

/** Reads what is remembered of a log; none where it cannot be read. */
export const decodeSigned = Schema.decodeUnknownOption(SignedText)
/** As it is stored. */
export const encodeSigned = Schema.encodeSync(SignedText)

/** Whether both are the same checkpoint. */
export const isSameSigned = (
  one: Pick<SignedSize, "size" | "root">,
  other: Pick<SignedSize, "size" | "root">
): boolean => one.size === other.size && one.root === other.root

const withFurthest = (signed: SignedSize, before: SignedSize | undefined): SignedSize => ({
  ...signed,
  furthest: Math.max(signed.furthest, signed.size, before?.furthest ?? 0)
})

/**
 * What is remembered of a log that is lost up to `floor`: whatever was signed up to there counts as lost, and
 * nothing is signed up to it.
 */
const withFloor = (signed: SignedSize | undefined, floor: number): SignedSize | undefined => {
  if (floor === 0 || (signed !== undefined && signed.size > floor)) return signed
  const furthest = Math.max(floor, signed?.furthest ?? 0)
  const { root, event_hash } = signed ?? { root: UNKNOWN_ROOT, event_hash: null }
  return { size: furthest, root, event_hash, furthest, lost: true }
}

/** Attempts at a commit that others get ahead of. */
const ATTEMPTS = 20

/**
 * Reads and writes what is remembered of a log outside the process, where `Consumers` is there when this is
 * built. What was accepted to be lost of the log, where `Continuity` is there, is lost of it too.
 *
 * `modify` puts what `change` makes of it in place, and answers what is there then; a `change` that answers
 * `undefined` leaves it. It costs a read, and one write where it changes.
 */
export const signedRecords = Effect.gen(function* () {
  const consumers = Option.getOrUndefined(yield* Effect.serviceOption(Consumers))
  const continuity = Option.getOrUndefined(yield* Effect.serviceOption(Continuity))

  /** The greatest size that may have been signed for something that is lost; 0 when nothing is. */
  const floor = (workspaceId: string) =>
    continuity === undefined ? Effect.succeed(0) : continuity.lostUpTo(workspaceId)

  /** What is remembered, as it counts now. */
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

  /** What is known of a log. It is read once, and then remembered. */
  const recall = Effect.fnUntraced(function* (workspaceId: string) {
    const own = known.get(workspaceId)
    const found =
      own === undefined ? yield* records.read(workspaceId) : yield* records.standing(workspaceId, own)
    if (found !== undefined) known.set(workspaceId, found)
    return found
  })

  /**
   * Remembers what is signed, before anybody is given it. Answers whether it may be given: not when something
   * else was remembered meanwhile, by another process, that is none of what the log was held against.
   * `recall` gives that then.
   */
  const note = Effect.fnUntraced(function* (
    workspaceId: string,
    signed: SignedSize,
    heldAgainst: ReadonlyArray<SignedSize>
  ) {
    const mayReplace = (before: SignedSize) =>
      before.lost
        ? before.size < signed.size
        : // An empty log is the beginning of any.
          before.size === 0 ||
          isSameSigned(before, signed) ||
          heldAgainst.some((one) => isSameSigned(one, before))
    const found = yield* records.modify(workspaceId, (before) =>
      before === undefined || mayReplace(before) ? withFurthest(signed, before) : undefined
    )
    known.set(workspaceId, found ?? signed)
    return found === undefined || isSameSigned(found, signed)
  })

  /**
   * After a refusal: has all others know what the log does not hold, and this process after its end. Answers
   * what is remembered then: the operator may have accepted the loss.
   */
  const tell = Effect.fnUntraced(function* (workspaceId: string, missing: SignedSize) {
    const found = yield* records.modify(workspaceId, (before) =>
      before !== undefined && (isSameSigned(before, missing) || (before.lost && before.size >= missing.size))
        ? undefined
        : withFurthest(missing, before)
    )
    known.set(workspaceId, found ?? missing)
    return found ?? missing
  })

  return { recall, note, tell, floor: records.floor }
})
