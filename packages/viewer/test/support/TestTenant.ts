/** A log that a tenant may see, made by the core as a server makes it, and what proves its events. */
import { createPrivateKey, createPublicKey, sign } from "node:crypto"
import { Micros } from "@cairn/core/encoding"
import { contentParts, decodeEvent, type Event, toEvent } from "@cairn/core/event"
import { type Ed25519SignerShape, nativeSha256, portableSha256, uuid } from "@cairn/core/hashing"
import { type ChainContext, extendChain, type Head, type LogEntry } from "@cairn/core/log"
import { hashFromHex, memoryNodes, proveInclusion, rootFromNodes } from "@cairn/core/merkle"
import { formatVerifierKey, makeVerifierKey, signCheckpoint } from "@cairn/core/note"
import { EventProofs } from "@cairn/core/proof"
import { contentOf, seededRandomness } from "@cairn/testing"
import { Result, Schema } from "effect"

const sha256 = nativeSha256 ?? portableSha256
const KEY_NAME = "cairn.test"

/** What comes before a raw key in its DER form, RFC 8410. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex")
const SPKI_HEADER = 12

const signerOf = (seed: number): Ed25519SignerShape => {
  const der = Buffer.concat([PKCS8, Buffer.alloc(32, seed)])
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" })
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(SPKI_HEADER)
  return {
    publicKey: Uint8Array.from(publicKey),
    sign: (message) => Uint8Array.from(sign(null, message, key))
  }
}

/** The verifier key of a signer from a seed of 32 equal bytes, as a reader is given it. */
export const verifierKeyOf = (seed: number): string =>
  formatVerifierKey(Result.getOrThrow(makeVerifierKey(sha256, KEY_NAME, signerOf(seed).publicKey)))

/** The seed of the key that signs the checkpoints. */
export const SERVICE_SEED = 7

const encodeProofs = Schema.encodeSync(EventProofs)

/** Where the clients of the events are, turn by turn. */
const PLACES = [
  { country: "DE", city: "Berlin" },
  { country: "JP", city: "Tokyo" },
  { country: "BR", city: null },
  { country: null, city: null }
] as const

/** A log and the answers about it. */
export interface TestTenant {
  readonly workspaceId: string
  /** Ascending. */
  readonly stored: ReadonlyArray<LogEntry>
  /** The event as the interface returns it. */
  readonly eventOf: (stored: LogEntry) => Event
  /** The response of `POST /api/v1/events/proofs`, as JSON. */
  readonly proofsOf: (ids: ReadonlyArray<string>) => unknown
}

/**
 * A log with an event for each body, `gap` microseconds apart, the last of them at `until`. Every one must be
 * a body that the interface accepts.
 */
export const testTenant = (
  bodies: ReadonlyArray<unknown>,
  { until, gap = 40 * 60 * Micros.SECOND }: { readonly until: Micros.Micros; readonly gap?: number }
): TestTenant => {
  const random = seededRandomness(5)
  const workspaceId = `wsp_${uuid(random)}`
  const context: ChainContext = {
    workspaceId,
    sha256,
    random,
    lookup: (address) => PLACES[Number(address)] ?? PLACES[3],
    now: until
  }
  let head: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }
  const stored: Array<LogEntry> = []
  for (const [index, body] of bodies.entries()) {
    const acceptedAt = until - (bodies.length - 1 - index) * gap
    const event = {
      id: uuid(random),
      idempotencyKey: null,
      clientAddress: String(index % PLACES.length),
      content: contentParts(Result.getOrThrow(decodeEvent(body)), acceptedAt)
    }
    const appended = extendChain(context, head, [{ inboxId: index, acceptedAt, events: [event] }])
    stored.push(...appended.events)
    head = appended.head
  }

  const leaves = stored.map(({ eventHash }) => Result.getOrThrow(hashFromHex(eventHash ?? "", "leaf_data")))
  const read = memoryNodes(sha256, leaves)
  const size = stored.length
  const root = Result.getOrThrow(rootFromNodes(sha256, read, size))
  const checkpoint = Result.getOrThrow(
    signCheckpoint(sha256, signerOf(SERVICE_SEED), KEY_NAME, {
      origin: "cairn.test/log",
      size,
      root,
      extensions: []
    })
  )
  const byId = new Map(stored.map((event) => [event.id, event]))

  const prove = (event: LogEntry) => ({
    header: {
      content_hash: event.contentHash ?? "",
      created_at: Micros.format(event.createdAt),
      id: event.id,
      previous_event_hash: event.previousEventHash,
      sequence: event.sequence,
      v: 1 as const,
      workspace_id: workspaceId
    },
    content: JSON.parse(event.content ?? "null"),
    salt: event.salt,
    inclusion: Result.getOrThrow(proveInclusion(sha256, read, event.sequence - 1, size)).hashes,
    anchored: null
  })

  return {
    workspaceId,
    stored,
    eventOf: (event) => {
      const content = contentOf(event)
      if (content === undefined) throw new Error(`event ${event.id} has no readable content`)
      return toEvent(content, event)
    },
    proofsOf: (ids) => {
      const events = ids.flatMap((id) => {
        const event = byId.get(id)
        return event === undefined ? [] : [prove(event)]
      })
      return encodeProofs({ checkpoint, events })
    }
  }
}
