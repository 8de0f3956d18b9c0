/**
 * The operator accepts that a log has lost events that were signed: the log may then be signed again, at
 * sizes beyond everything signed before.
 */
import { Effect, Option } from "effect"
import { toHex } from "../hashing/Randomness.ts"
import { EventLog } from "../log/EventLog.ts"
import { Checkpoints } from "./Checkpoints.ts"
import { LogTree } from "./LogTree.ts"
import { acceptedUpTo, type SignedSize, signedRecords } from "./SignedMemory.ts"

/**
 * The largest signed checkpoint that is not the beginning of the log; none if the log holds all of them.
 * Costs a few reads of tree nodes.
 */
export const findSignedLoss = Effect.fnUntraced(function* (workspaceId: string) {
  const { read } = yield* signedRecords
  const remembered = yield* read(workspaceId)
  const newest = Option.getOrUndefined(yield* (yield* Checkpoints).newest(workspaceId))
  const { sequence } = yield* (yield* EventLog).head(workspaceId)
  const tree = yield* LogTree
  const floor = acceptedUpTo(remembered)
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
 * Accepts the loss that {@link findSignedLoss} finds. No size up to the largest ever signed is signed again,
 * and later checkpoints need not extend the lost one.
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
 * Stores how far a log is lost with the consumers' state, so that a copy of the database includes it. Returns
 * the stored state.
 */
export const keepLostSigned = Effect.fnUntraced(function* (workspaceId: string) {
  const { modify } = yield* signedRecords
  return yield* modify(workspaceId, (before) => (before?.lost === true ? before : undefined))
})
