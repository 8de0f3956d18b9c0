/**
 * Verifies events in the reader's browser, by their proofs. It needs no WebCrypto, which browsers withhold on
 * plain `http`.
 */

import type { Event } from "@cairn/core/event"
import { type Ed25519VerifierShape, portableSha256 } from "@cairn/core/hashing"
import { parseVerifierKey } from "@cairn/core/note"
import { type EventReport, verifyEvent } from "@cairn/verifier"
import { hashes, verify } from "@noble/ed25519"
import { sha512 } from "@noble/hashes/sha2.js"
import { Result, Schema } from "effect"
import type { ProofPage } from "../LogSource.ts"

/** What is known of an event's authenticity. */
export type Mark =
  | { readonly kind: "checking" }
  | {
      readonly kind: "proven"
      readonly report: EventReport
      readonly sequence: number
      readonly signed: boolean
    }
  | { readonly kind: "broken"; readonly report: EventReport }
  | { readonly kind: "unchecked"; readonly reason: "no_hash" | "no_proof" | "unreachable" }

/** What the reader knows of the log from elsewhere. */
export interface LogKnowledge {
  /** Verifier keys; without any, signatures are not checked. */
  readonly keys: ReadonlyArray<string>
  readonly workspaceId: string | undefined
}

hashes.sha512 = sha512

/**
 * Ed25519 in five kilobytes; the verifier's own, made for more curves, has fifteen. Both are as strict as RFC
 * 8032 section 5.1.7.
 */
export const smallEd25519: Ed25519VerifierShape = {
  verify: (publicKey, message, signature) => {
    try {
      return verify(signature, message, publicKey, { zip215: false })
    } catch {
      // Invalid lengths and points.
      return false
    }
  }
}

/**
 * Caches the last result: a page's events share one checkpoint, and its signature takes as long as a page of
 * hashes.
 */
const rememberingLast = (ed25519: Ed25519VerifierShape): Ed25519VerifierShape => {
  let asked = ""
  let answer = false
  return {
    verify: (publicKey, message, signature) => {
      const question = [publicKey, message, signature].join("/")
      if (question !== asked) {
        answer = ed25519.verify(publicKey, message, signature)
        asked = question
      }
      return answer
    }
  }
}

const decodeHeader = Schema.decodeUnknownResult(
  Schema.Struct({ header: Schema.Struct({ id: Schema.String, sequence: Schema.Number }) })
)

/** A malformed key is kept as one that has signed nothing, so that it is reported. */
const UNREADABLE_KEY = {
  name: "unreadable",
  keyId: "00000000",
  type: "ed25519",
  publicKey: new Uint8Array(32)
} as const

/** How long the page may be kept from drawing at a time, in milliseconds: half of a frame at 60 a second. */
const SLICE = 8

/** Lets the page draw and the reader click. */
const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

/** Verifies events of one log. */
export class EventVerifier {
  readonly #tools = { sha256: portableSha256, ed25519: rememberingLast(smallEd25519) }
  readonly #knowledge: Parameters<typeof verifyEvent>[2]
  readonly #signed: boolean

  constructor({ keys, workspaceId }: LogKnowledge) {
    const trustedKeys = keys.map((key) =>
      Result.getOrElse(parseVerifierKey(portableSha256, key), () => UNREADABLE_KEY)
    )
    this.#signed = keys.length > 0
    this.#knowledge = { trustedKeys, ...(workspaceId === undefined ? {} : { workspaceId }) }
  }

  /**
   * The mark of one event, whose proof may be missing. Takes a millisecond, and ten more for a new
   * checkpoint.
   */
  mark(event: Event, proof: unknown, checkpoint: string): Mark {
    const header = decodeHeader(proof)
    if (Result.isFailure(header)) return { kind: "unchecked", reason: "no_proof" }
    const report = verifyEvent(this.#tools, { event, proof, checkpoint }, this.#knowledge)
    if (report.verdict !== "intact") return { kind: "broken", report }
    return { kind: "proven", report, sequence: header.success.header.sequence, signed: this.#signed }
  }

  /** The marks of events, each reported as soon as it is known. Stops when `signal` is aborted. */
  async verify(
    events: ReadonlyArray<Event>,
    { checkpoint, events: proofs }: ProofPage,
    tell: (id: string, mark: Mark) => void,
    signal: AbortSignal
  ): Promise<void> {
    const byId = new Map(
      proofs.flatMap((proof) =>
        Result.match(decodeHeader(proof), {
          onSuccess: ({ header }) => [[header.id, proof] as const],
          onFailure: () => []
        })
      )
    )
    let begun = performance.now()
    for (const event of events) {
      if (signal.aborted) return
      tell(event.id, this.mark(event, byId.get(event.id), checkpoint))
      if (performance.now() - begun > SLICE) {
        await breathe()
        begun = performance.now()
      }
    }
  }
}
