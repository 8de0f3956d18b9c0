/** A log of events that were written to break what reads them, and the proofs of its events. */
import { createPrivateKey, createPublicKey, sign } from "node:crypto"
import { Micros } from "@cairn/core/encoding"
import { contentParts, decodeEvent, type Event, nowhere, parseContent, toEvent } from "@cairn/core/event"
import { type Ed25519SignerShape, portableSha256, type RandomnessShape, uuid } from "@cairn/core/hashing"
import { type ChainContext, extendChain, type Head, type LogEntry } from "@cairn/core/log"
import { formatVerifierKey, makeVerifierKey } from "@cairn/core/note"
import { ProvenEvent } from "@cairn/core/proof"
import {
  hostileEvents,
  hostileGenerator,
  ordinaryEvents,
  provenEvent,
  seededRandomness,
  TEST_KEY_NAME,
  testCheckpoint
} from "@cairn/testing"
import { Result, Schema } from "effect"

const bodies = [
  ...hostileEvents.filter(({ refusedAt }) => refusedAt === undefined).map(({ json }) => JSON.parse(json)),
  ...Array.from({ length: 40 }, hostileGenerator(8)),
  ...ordinaryEvents(20, { seed: 8 })
]

/** 2024-05-01T12:00:00Z. */
const NOON = 1_714_564_800 * Micros.SECOND

/** Signs checkpoints. */
export const signer: Ed25519SignerShape = (() => {
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, 7)]),
    format: "der",
    type: "pkcs8"
  })
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(12)
  return {
    publicKey: Uint8Array.from(publicKey),
    sign: (message) => Uint8Array.from(sign(null, message, key))
  }
})()

/** The event as the interface returns it. */
export const eventOf = (stored: LogEntry | undefined): Event => {
  const content = parseContent(stored?.content ?? "")
  if (stored === undefined || content === undefined) throw new Error("no event")
  return toEvent(content, stored)
}

/** A proof as the interface returns it. */
export const encodeProof = Schema.encodeSync(ProvenEvent)

const chained = (workspaceId: string, random: RandomnessShape): ReadonlyArray<LogEntry> => {
  const now = NOON + bodies.length * Micros.SECOND
  const context: ChainContext = { workspaceId, sha256: portableSha256, random, lookup: () => nowhere, now }
  let head: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }
  return bodies.flatMap((body, index) => {
    const acceptedAt = NOON + index * Micros.SECOND
    const content = contentParts(Result.getOrThrow(decodeEvent(body)), acceptedAt)
    const event = { id: uuid(random), idempotencyKey: null, clientAddress: null, content }
    const appended = extendChain(context, head, [{ inboxId: index, acceptedAt, events: [event] }])
    head = appended.head
    return appended.events
  })
}

/** The log, with what the interface returns of it, and the key that signed its checkpoint. */
export const hostileLog = () => {
  const random = seededRandomness(8)
  const workspaceId = `wsp_${uuid(random)}`
  const stored = chained(workspaceId, random)
  const log = { workspaceId, origin: "cairn.test/log", events: stored, legacy: [], anchors: [] }
  return {
    log,
    events: stored.map(eventOf),
    proofs: stored.map(({ sequence }) => encodeProof(provenEvent(log, sequence, stored.length))),
    checkpoint: testCheckpoint(log, stored.length, signer),
    key: formatVerifierKey(
      Result.getOrThrow(makeVerifierKey(portableSha256, TEST_KEY_NAME, signer.publicKey))
    )
  }
}
