/**
 * Everything that the core promises to do in a browser, as one function without a Node API: a test runs it in
 * both places and compares what comes out, which is all text and numbers.
 */
import * as core from "@cairn/core"
import * as access from "@cairn/core/access"
import * as alert from "@cairn/core/alert"
import * as anchor from "@cairn/core/anchor"
import * as checkpoint from "@cairn/core/checkpoint"
import * as consumer from "@cairn/core/consumer"
import * as encoding from "@cairn/core/encoding"
import { Micros } from "@cairn/core/encoding"
import * as event from "@cairn/core/event"
import { contentHash, GeoIp, nowhere } from "@cairn/core/event"
import * as evidence from "@cairn/core/evidence"
import * as exports from "@cairn/core/export"
import * as hashing from "@cairn/core/hashing"
import { Sha256, toHex, uuid, webCryptoRandomness } from "@cairn/core/hashing"
import * as log from "@cairn/core/log"
import { Acceptance, ClockGuard, EventLog, Sequencer } from "@cairn/core/log"
import * as management from "@cairn/core/management"
import * as merkle from "@cairn/core/merkle"
import {
  hashFromHex,
  InclusionProof,
  leafHash,
  memoryNodes,
  merkleRoot,
  proveConsistency,
  proveInclusion,
  verifyConsistency,
  verifyInclusion
} from "@cairn/core/merkle"
import * as note from "@cairn/core/note"
import * as outbound from "@cairn/core/outbound"
import * as people from "@cairn/core/people"
import * as proof from "@cairn/core/proof"
import * as retention from "@cairn/core/retention"
import * as verification from "@cairn/core/verification"
import { type ChainVerification, ChainVerifier } from "@cairn/core/verification"
import * as workspace from "@cairn/core/workspace"
import {
  hostileEvents,
  layerManualClock,
  layerSeededRandomness,
  MemoryStorage,
  manualClock,
  ordinaryEvents
} from "@cairn/testing"
import { Effect, Layer, Result, Schema } from "effect"

const WORKSPACE = "wsp_9a1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d"
const NOON = 1_714_564_800_000_000
const EVENTS = 60
/** Place in the chain of the event that is tampered with. */
export const TAMPERED = 20

/** The names that the front door and the rooms export; reading them takes in every module. */
export const exported: ReadonlyArray<string> = [
  core,
  encoding,
  hashing,
  merkle,
  note,
  event,
  log,
  consumer,
  checkpoint,
  anchor,
  proof,
  verification,
  evidence,
  workspace,
  people,
  access,
  alert,
  outbound,
  exports,
  retention,
  management
].flatMap((entry) => Object.keys(entry).sort())

/** A content to hash, as testdata/hash has it. */
export interface ContentToHash {
  readonly salt: string
  readonly content: string
}

/** What the scenario found. */
export interface Outcome {
  /** The content hash of each content it was given. */
  readonly contentHashes: ReadonlyArray<string>
  /** Of each event that was accepted: its canonical content and its hash, in the order of the chain. */
  readonly chain: ReadonlyArray<readonly [content: string, eventHash: string]>
  readonly verification: ChainVerification
  /** After one character of one content was changed. */
  readonly tampered: ChainVerification
  /** How many of a thousand ids, made with the platform's own randomness, are different and of version 4. */
  readonly distinctIds: number
  readonly merkle: {
    readonly root: string
    readonly inclusion: ReadonlyArray<typeof InclusionProof.Encoded>
    /** Roots that the proofs lead to; each must be `root`. */
    readonly provedRoots: ReadonlyArray<string>
    /** Sizes from which the tree was proved to have grown. */
    readonly grownFrom: ReadonlyArray<number>
    /** What becomes of a proof for another leaf. */
    readonly forged: string
  }
}

const context = { workspaceId: WORKSPACE, clientAddress: null, keysExpireBefore: null }

/** Accepts ordinary events and every hostile one that is an event, and puts them into the chain. */
const fill = Effect.gen(function* () {
  const acceptance = yield* Acceptance
  const { drain } = yield* Sequencer
  const bodies = [
    ...ordinaryEvents(EVENTS, { seed: 7 }).map((event) => JSON.stringify(event)),
    ...hostileEvents.map(({ json }) => json)
  ]
  for (const body of bodies) {
    yield* acceptance
      .one(context, body)
      .pipe(Effect.catchTag(["InvalidInput", "MalformedJson"], () => Effect.void))
  }
  yield* drain
})

const verify = Effect.flatMap(ChainVerifier, (verifier) =>
  verifier.verify({ workspaceId: WORKSPACE, limit: 10_000 })
)

/** Changes a character in the stored content of one event, past every port. */
const tamper = Effect.gen(function* () {
  const { events } = (yield* MemoryStorage.MemoryTables).log(WORKSPACE)
  const event = events[TAMPERED]
  if (event === undefined) throw new Error("there is nothing to tamper with")
  const content = event.content?.replace('"occurred_at":"2', '"occurred_at":"1') ?? ""
  events[TAMPERED] = { ...event, content }
})

const prove = Effect.fnUntraced(function* (eventHashes: ReadonlyArray<string>) {
  const sha256 = yield* Sha256
  const leaves = yield* Effect.fromResult(
    Result.all(eventHashes.map((text, position) => hashFromHex(text, "leaf_data", position)))
  )
  const size = leaves.length
  const root = merkleRoot(sha256, leaves)
  const nodes = memoryNodes(sha256, leaves)
  const inclusion: Array<typeof InclusionProof.Type> = []
  const provedRoots: Array<string> = []
  const grownFrom: Array<number> = []
  for (const [index, leaf] of leaves.entries()) {
    const proof = yield* Effect.fromResult(proveInclusion(sha256, nodes, index, size))
    inclusion.push(proof)
    const included = verifyInclusion(sha256, leafHash(sha256, leaf), proof, root)
    provedRoots.push(toHex((yield* Effect.fromResult(included)).root))
    const first = index + 1
    const earlier = merkleRoot(sha256, leaves.slice(0, first))
    const grown = yield* Effect.fromResult(proveConsistency(sha256, nodes, first, size))
    const verified = yield* Effect.fromResult(verifyConsistency(sha256, earlier, root, grown))
    grownFrom.push(verified.firstSize)
  }
  const [[proof], [, other]] = [inclusion, leaves]
  const forged =
    proof === undefined || other === undefined
      ? undefined
      : verifyInclusion(sha256, leafHash(sha256, other), proof, root)
  return {
    root: toHex(root),
    inclusion: inclusion.map((each) => Schema.encodeSync(InclusionProof)(each)),
    provedRoots,
    grownFrom,
    forged: forged !== undefined && Result.isFailure(forged) ? forged.failure._tag : "accepted"
  }
})

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const distinctIds = (): number => {
  const random = webCryptoRandomness()
  const ids = Array.from({ length: 1_000 }, () => uuid(random))
  return new Set(ids.filter((id) => UUID.test(id))).size
}

const scenario = Effect.fnUntraced(function* (contents: ReadonlyArray<ContentToHash>) {
  const sha256 = yield* Sha256
  const log = yield* EventLog
  yield* fill
  const rows = yield* log.entries(WORKSPACE, 1, 10_000)
  const chain = rows.map((row): [string, string] => [row.content ?? "", row.eventHash ?? ""])
  const verification = yield* verify
  yield* tamper
  const outcome: Outcome = {
    contentHashes: contents.map(({ salt, content }) => contentHash(sha256, salt, content)),
    chain,
    verification,
    tampered: yield* verify,
    distinctIds: distinctIds(),
    merkle: yield* prove(chain.map(([, eventHash]) => eventHash))
  }
  return outcome
})

const layers = Layer.mergeAll(Acceptance.layer, Sequencer.layer, ChainVerifier.layer, Sha256.layer).pipe(
  Layer.provideMerge(MemoryStorage.layer()),
  Layer.provide(
    Layer.mergeAll(
      Sha256.layer,
      ClockGuard.layer,
      layerSeededRandomness(11),
      Layer.succeed(GeoIp, { lookup: () => nowhere })
    )
  ),
  Layer.provideMerge(layerManualClock(manualClock(NOON + Micros.SECOND)))
)

/** Runs it all. */
export const run = (contents: ReadonlyArray<ContentToHash>): Promise<Outcome> =>
  Effect.runPromise(scenario(contents).pipe(Effect.provide(layers)))
