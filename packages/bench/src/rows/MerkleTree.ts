/** Row 7, in memory: the root of a million leaves, and one more leaf. */

import { HASH_BYTES, nativeSha256, portableSha256 } from "@cairn/core/hashing"
import {
  appendLeaves,
  emptyFrontier,
  frontierRoot,
  type MerkleFrontier,
  merkleRoot
} from "@cairn/core/merkle"
import { boundedRow, type Row, ratioRow, type Settings } from "../Row.ts"
import { bestOf } from "../Timing.ts"

const sha256 = nativeSha256 ?? portableSha256
/** A prefix and two hashes, as an inner node is hashed. */
const NODE_BYTES = 1 + 2 * HASH_BYTES
/** Leaves that are appended one by one. */
const APPENDED = 10_000

/** Leaves that differ, one after the other in one buffer. */
function* leaves(count: number): Generator<Uint8Array> {
  const leaf = new Uint8Array(HASH_BYTES)
  const view = new DataView(leaf.buffer)
  for (let index = 0; index < count; index++) {
    view.setUint32(0, index)
    yield leaf
  }
}

/** Microseconds of one appended leaf and the root after it. */
const appendOne = async (begin: MerkleFrontier): Promise<number> => {
  const millis = await bestOf(() => {
    let frontier = begin
    for (const leaf of leaves(APPENDED)) {
      frontier = appendLeaves(sha256, frontier, [leaf])
      frontierRoot(sha256, frontier)
    }
  })
  return (millis / APPENDED) * 1000
}

/** Measures them. */
export const merkleTree = async ({ events }: Settings): Promise<ReadonlyArray<Row>> => {
  const node = new Uint8Array(NODE_BYTES)
  const hashing = await bestOf(() => {
    for (let index = 0; index < 2 * events; index++) sha256.bytes(node)
  })
  const root = await bestOf(() => merkleRoot(sha256, leaves(events)))
  const small = await appendOne(appendLeaves(sha256, emptyFrontier, leaves(1_000)))
  const large = await appendOne(appendLeaves(sha256, emptyFrontier, leaves(events)))
  return [
    ratioRow({
      number: "7",
      what: `Merkle root of ${events} leaves, against 2n SHA-256`,
      limit: (events / hashing) * 1000,
      measured: (events / root) * 1000,
      unit: "/s",
      atLeast: 0.5
    }),
    boundedRow({
      number: "7",
      what: `one leaf appended to ${events}, with the root after it`,
      measured: large,
      unit: "µs",
      atMost: 100,
      note: `to 1,000 leaves ${small.toFixed(1)} µs; log₂ n is ${(Math.log2(events) / Math.log2(1_000)).toFixed(1)} times as much`
    })
  ]
}
