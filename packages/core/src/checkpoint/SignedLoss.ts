/**
 * The operator's word that a log has lost what was signed for: it may be signed again, beyond everything that
 * was.
 */
import { Effect, Option } from "effect"
import { toHex } from "../hashing/Randomness.ts"
import { EventLog } from "../log/EventLog.ts"
import { Checkpoints } from "./Checkpoints.ts"
import { LogTree } from "./LogTree.ts"
import { type SignedSize, signedRecords } from "./SignedMemory.ts"

/**
 * The furthest checkpoint that was signed and is not the beginning of the log; none when it holds all. Costs
 * a few reads of tree nodes.
 */
export const findSignedLoss = Effect.fnUntraced(function* (workspaceId: string) {
  const { read } = yield* signedRecords
  const remembered = yield* read(workspaceId)
  const newest = Option.getOrUndefined(yield* (yield* Checkpoints).newest(workspaceId))
  const { sequence } = yield* (yield* EventLog).head(workspaceId)
  const tree = yield* LogTree
  const floor = remembered?.lost === true ? remembered.size : 0
  const signed: ReadonlyArray<SignedSize> = [
    ...(remembered === undefined || remembered.lost ? [] : [remembered]),
    ...(newest === undefined || newest.size <= floor
      ? []
      : [{ size: newest.size, root: newest.root, event_hash: null, furthest: newest.size, lost: false }])
  ]
  let furthest: SignedSize | undefined
  for (const one of signed) {
    const holds = one.size <= sequence && toHex(yield* tree.root(workspaceId, one.size)) === one.root
    if (!holds && one.size > (furthest?.size ?? 0)) furthest = one
  }
  return Option.fromUndefinedOr(furthest)
})

/**
 * Accepts that the log does not hold what {@link findSignedLoss} finds: nothing is signed up to what ever
 * was, and it binds nobody beyond.
 */
export const acceptSignedLoss = Effect.fnUntraced(function* (workspaceId: string) {
  const { modify } = yield* signedRecords
  const found = yield* findSignedLoss(workspaceId)
  if (Option.isNone(found)) return found
  const { size, furthest } = found.value
  const after = yield* modify(workspaceId, (before) => {
    const greatest = Math.max(size, furthest, before?.furthest ?? 0)
    return { ...found.value, size: greatest, furthest: greatest, lost: true }
  })
  return Option.fromUndefinedOr(after)
})

/**
 * Keeps how far a log is lost among what consumers remember, so that a copy of the database has it; answers
 * what is remembered then.
 */
export const keepLostSigned = Effect.fnUntraced(function* (workspaceId: string) {
  const { modify } = yield* signedRecords
  return yield* modify(workspaceId, (before) => (before?.lost === true ? before : undefined))
})
