/** Counts the cost of a verification in bytes, for tests that no file makes it cost more than its length. */
import type { Sha256Shape } from "@cairn/core/hashing"
import type { VerifierTools } from "./VerifierTools.ts"

type Sha256Lanes = NonNullable<Sha256Shape["lanes"]>

/** Bytes that were worked on. */
export interface Work {
  /** Hashed with SHA-256, and with SHA-512 for signatures. */
  hashed: number
  /**
   * Read as lines, as contents, and as transactions and blocks of a chain, each of which is hashed with
   * Keccak-256 at most three times.
   */
  parsed: number
}

/** Bytes of two points: what is hashed beside a message that is verified (RFC 8032 section 5.1.7). */
const ED25519_POINTS = 64

const utf8 = new TextEncoder()
const lengthOf = (data: string | Uint8Array): number =>
  typeof data === "string" ? utf8.encode(data).length : data.length

const countLanes = (lanes: Sha256Lanes, work: Work): Sha256Lanes => ({
  longest: lanes.longest,
  messages: (bytes, ends) => {
    work.hashed += ends.at(-1) ?? 0
    return lanes.messages(bytes, ends)
  },
  leaves: (data) => {
    work.hashed += data.length + data.length / 32
    return lanes.leaves(data)
  },
  nodes: (children) => {
    work.hashed += children.length + children.length / 64
    return lanes.nodes(children)
  }
})

const countSha256 = (sha256: Sha256Shape, work: Work): Sha256Shape => {
  const { lanes } = sha256
  return {
    hex: (data) => {
      work.hashed += lengthOf(data)
      return sha256.hex(data)
    },
    bytes: (data) => {
      work.hashed += lengthOf(data)
      return sha256.bytes(data)
    },
    lanes: lanes === undefined ? undefined : countLanes(lanes, work)
  }
}

/**
 * Tools that do the same as others and count it. `work` grows as they are used; one verification's share is
 * the difference.
 */
export const countWork = (tools: VerifierTools): { readonly tools: VerifierTools; readonly work: Work } => {
  const work: Work = { hashed: 0, parsed: 0 }
  return {
    tools: {
      sha256: countSha256(tools.sha256, work),
      ed25519: {
        verify: (publicKey, message, signature) => {
          // The point that the signature begins with, the key and the message.
          work.hashed += ED25519_POINTS + message.length
          return tools.ed25519.verify(publicKey, message, signature)
        }
      },
      parsed: (bytes) => {
        work.parsed += bytes
        tools.parsed?.(bytes)
      }
    },
    work
  }
}
