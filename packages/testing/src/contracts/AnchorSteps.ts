/** What the tests of `Anchors` share. */
import {
  type AnchorCreation,
  Anchors,
  type ClosedPeriod,
  type StoredTransaction,
  type TransactionPlace
} from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { layerSeededRandomness } from "../generators/SeededRandom.ts"
import {
  accept,
  makeWorkspace,
  NOON,
  observeAppend,
  plainEvents,
  type StorageOptions,
  type StorageServices
} from "./StorageSteps.ts"

/** Makes the layer of an empty storage that also stores anchors. */
export type AnchorsLayer = (options: StorageOptions) => Layer.Layer<StorageServices | Anchors, unknown>

/** The chain that anchors are sent to. */
export const CHAIN = 8453
/** The account that signs. */
export const ACCOUNT = `0x${"ab".repeat(20)}`
/** A time after the end of every period here. */
export const MUCH_LATER = NOON + 1_000 * Micros.DAY
const hashOf = (seed: number): string => seed.toString(16).padStart(64, "0")

/** A workspace whose log has some events, accepted at the same time. */
export const makeLog = Effect.fnUntraced(function* (events: number, acceptedAt: Micros.Micros = NOON) {
  const workspaceId = yield* makeWorkspace
  yield* addEvents(workspaceId, events, acceptedAt)
  return workspaceId
})

/** Events at the end of a log. */
export const addEvents = Effect.fnUntraced(function* (
  workspaceId: string,
  events: number,
  acceptedAt: Micros.Micros
) {
  if (events > 0) yield* accept(workspaceId, plainEvents(events), { acceptedAt })
  yield* observeAppend(workspaceId)
})

/** A closed period of a workspace, over two events. */
export const periodOf = (
  workspaceId: string,
  ordinal = 1,
  id = `anc_${ordinal}_${workspaceId}`
): ClosedPeriod => ({
  id,
  workspaceId,
  ordinal,
  start: NOON + ordinal * Micros.DAY,
  end: NOON + (ordinal + 1) * Micros.DAY,
  firstSequence: 2 * ordinal - 1,
  lastSequence: 2 * ordinal,
  firstEventHash: hashOf(1),
  lastEventHash: hashOf(2),
  merkleRoot: hashOf(ordinal)
})

/** The data that makes a closed period an anchor. */
export const creationOf = (
  { workspaceId, ordinal }: ClosedPeriod,
  chainId: number | null = CHAIN
): AnchorCreation => ({
  workspaceId,
  ordinal,
  previousAnchorHash: ordinal === 1 ? null : hashOf(9),
  chainId,
  createdAt: NOON + ordinal
})

/** A workspace's pending anchor. */
export const makeAnchor = Effect.fnUntraced(function* (chainId: number | null = CHAIN) {
  const anchors = yield* Anchors
  const period = periodOf(yield* makeWorkspace)
  yield* anchors.close([period])
  yield* anchors.create([creationOf(period, chainId)])
  return period
})

/** A signed transaction. */
export const transactionOf = (nonce: number, seed = nonce): StoredTransaction => ({
  hash: `0x${hashOf(seed)}`,
  raw: `0x02${seed.toString(16).padStart(4, "0")}`,
  nonce,
  maxFeePerGas: 2n ** 70n + BigInt(seed),
  maxPriorityFeePerGas: BigInt(seed),
  signedAt: NOON + seed
})

/** A submission to the chain. */
export const submissionOf = (id: string) => ({ id, chainId: CHAIN, account: ACCOUNT })

/** Where a transaction is in the chain. */
export const place = (seed: number): TransactionPlace => ({
  hash: `0x${hashOf(seed)}`,
  blockNumber: 100 + seed,
  blockHash: `0x${hashOf(1000 + seed)}`
})

/** A submitted anchor. */
export const makeSubmitted = Effect.fnUntraced(function* (id: string, nonce: number) {
  const anchors = yield* Anchors
  const period = yield* makeAnchor()
  assert.isTrue(yield* anchors.submit(submissionOf(id), transactionOf(nonce), [period.id]))
  return period
})

/** The status of a period's anchor. */
export const statusOf = Effect.fnUntraced(function* ({ workspaceId, id }: ClosedPeriod) {
  const anchors = yield* Anchors
  return Option.getOrUndefined(yield* anchors.get(workspaceId, id))?.status
})

const services = (storage: AnchorsLayer) =>
  Layer.mergeAll(storage({}), Sha256.layer, layerSeededRandomness(1))

/** A test over an empty storage. */
export const anchorsTest =
  (storage: AnchorsLayer) =>
  <A, E>(title: string, body: Effect.Effect<A, E, Layer.Success<ReturnType<typeof services>>>): void =>
    it.live(title, () => Effect.suspend(() => Effect.provide(body, services(storage))))
