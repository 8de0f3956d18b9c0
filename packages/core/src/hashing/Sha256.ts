/**
 * SHA-256 (FIPS 180-4) as a service, because the fast implementation differs by platform: Node's native one
 * on a server, a portable one in a browser, whose own WebCrypto is asynchronous and absent on plain `http`.
 *
 * Resolve it once, outside a loop: a hash of a typical event costs under a microsecond.
 */
import { Context, Layer } from "effect"
import { sha256 } from "./PortableSha256.ts"
import { multiBufferSha256, type Sha256Lanes } from "./simd/MultiBufferSha256.ts"

/** Bytes of a SHA-256 digest. */
export const HASH_BYTES = 32

/** A synchronous SHA-256. Strings are hashed as their UTF-8 bytes. */
export interface Sha256Shape {
  /** The digest as 64 lower-case hexadecimal characters. */
  readonly hex: (data: string | Uint8Array) => string
  /** The digest as 32 bytes. */
  readonly bytes: (data: string | Uint8Array) => Uint8Array
  /** Hashes many messages in parallel; absent where nothing is faster than one by one. */
  readonly lanes?: Sha256Lanes | undefined
}

const utf8 = new TextEncoder()
const asBytes = (data: string | Uint8Array): Uint8Array =>
  typeof data === "string" ? utf8.encode(data) : data

/** The portable implementation: plain TypeScript, about a hundredth of the native speed. */
export const portableSha256: Sha256Shape = {
  hex: (data) => {
    let text = ""
    for (const byte of sha256(asBytes(data))) text += byte.toString(16).padStart(2, "0")
    return text
  },
  bytes: (data) => sha256(asBytes(data))
}

interface NativeCrypto {
  hash(algorithm: "sha256", data: string | Uint8Array, encoding: "hex"): string
  hash(algorithm: "sha256", data: string | Uint8Array, encoding: "latin1"): string
}

/**
 * The runtime's native one-shot hash, if it has one (Node ≥ 22). It is looked up without importing a Node
 * module, so that a bundler for browsers finds no such import. The look-up is pure, so that a bundler drops
 * it from a page that uses the portable implementation.
 */
export const nativeSha256: Sha256Shape | undefined = /* @__PURE__ */ (() => {
  const runtime = (globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }).process
  const crypto = runtime?.getBuiltinModule?.("node:crypto") as NativeCrypto | undefined
  if (typeof crypto?.hash !== "function") return undefined
  return {
    hex: (data) => crypto.hash("sha256", data, "hex"),
    // Node returns a string of one character a byte in half the time of a buffer.
    bytes: (data) => {
      const text = crypto.hash("sha256", data, "latin1")
      const digest = new Uint8Array(32)
      for (let index = 0; index < 32; index++) digest[index] = text.charCodeAt(index)
      return digest
    },
    get lanes() {
      return multiBufferSha256()
    }
  }
})()

/**
 * The fastest implementation on this platform: the native one, else the portable one with SIMD where
 * available.
 */
export const platformSha256: Sha256Shape = /* @__PURE__ */ (() =>
  nativeSha256 ?? {
    ...portableSha256,
    get lanes() {
      return multiBufferSha256()
    }
  })()

/** The SHA-256 provider. */
export class Sha256 extends Context.Service<Sha256, Sha256Shape>()("@cairn/core/Sha256") {
  /** The fastest implementation on this platform. */
  static readonly layer = Layer.succeed(Sha256, platformSha256)
  /** The portable implementation, whatever the runtime offers. */
  static readonly layerPortable = Layer.succeed(Sha256, portableSha256)
}
