/**
 * SHA-256 (FIPS 180-4) of many messages at once, four to an instruction: multi-buffer hashing, in WebAssembly
 * with 128-bit SIMD, which Node and browsers have. `MultiBufferSha256.wat` is the source of the module.
 *
 * A tree's messages are one or two blocks long, so a native function spends most of its time on being called.
 * Here a million leaves cost a third of that, and where a processor has no instructions for SHA-256, events
 * cost two thirds (measured).
 */
import { decodeBase64 } from "../../encoding/StrictBase64.ts"
import { INITIAL, K } from "../PortableSha256.ts"
import { MULTI_BUFFER_SHA256 } from "./MultiBufferSha256Module.ts"

/** Hashes messages side by side. */
export interface Sha256Lanes {
  /** Most bytes of a message of {@link Sha256Lanes.messages}. */
  readonly longest: number
  /**
   * The hashes of messages that lie one after the other and end at `ends`. Each four take as long as four of
   * the longest of them.
   */
  readonly messages: (bytes: Uint8Array, ends: ReadonlyArray<number>) => Uint8Array
  /** The hashes of leaves: `SHA-256(0x00 ‖ d)` (RFC 9162 section 2.1.1) for each 32 bytes of `data`. */
  readonly leaves: (data: Uint8Array) => Uint8Array
  /** The hashes of inner nodes: `SHA-256(0x01 ‖ left ‖ right)` for each 64 bytes of `children`. */
  readonly nodes: (children: Uint8Array) => Uint8Array
}

/** Messages that are hashed at once. */
const LANES = 4
const WORD_BYTES = 4
const VECTOR_BYTES = LANES * WORD_BYTES
const HASH_BYTES = 32
const BLOCK_BYTES = 64
/** Leaves or nodes that fit into the memory. */
const CAPACITY = 256
/** Section 5.1.1: a one bit and the length in bits, which takes eight bytes. */
const LEAST_PADDING = 9

/** What the module exports; the source says what each is. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly constants: { readonly value: number }
  readonly initial: { readonly value: number }
  readonly lengths: { readonly value: number }
  readonly input: { readonly value: number }
  readonly slot: { readonly value: number }
  readonly output: { readonly value: number }
  readonly leaves: (groups: number) => void
  readonly nodes: (groups: number) => void
  readonly messages: (blocks: number) => void
}

/** WebAssembly's JavaScript interface, as far as it is used. */
interface Platform {
  readonly WebAssembly?: {
    readonly Module: new (code: Uint8Array) => object
    readonly Instance: new (module: object) => { readonly exports: unknown }
  }
}

/** An instance of the module, with the memory that it shares with its caller. */
class MultiBufferSha256 implements Sha256Lanes {
  readonly longest: number
  readonly #module: Exports
  readonly #memory: Uint8Array
  readonly #view: DataView

  constructor(module: Exports) {
    this.#module = module
    this.#memory = new Uint8Array(module.memory.buffer)
    this.#view = new DataView(module.memory.buffer)
    this.longest = module.slot.value - LEAST_PADDING
    for (const [t, constant] of K.entries()) {
      this.#view.setUint32(module.constants.value + t * WORD_BYTES, constant, true)
    }
    for (const [index, word] of INITIAL.entries()) {
      const vector = module.initial.value + index * VECTOR_BYTES
      for (let lane = 0; lane < LANES; lane++) this.#view.setUint32(vector + lane * WORD_BYTES, word, true)
    }
  }

  leaves(data: Uint8Array): Uint8Array {
    return this.#hashGroups(this.#module.leaves, data, HASH_BYTES)
  }

  nodes(children: Uint8Array): Uint8Array {
    return this.#hashGroups(this.#module.nodes, children, 2 * HASH_BYTES)
  }

  messages(bytes: Uint8Array, ends: ReadonlyArray<number>): Uint8Array {
    const hashes = new Uint8Array(ends.length * HASH_BYTES)
    let begin = 0
    for (let first = 0; first < ends.length; first += LANES) {
      let most = 0
      for (let lane = 0; lane < LANES; lane++) {
        const end = ends[first + lane]
        const blocks = end === undefined ? 0 : this.#put(bytes.subarray(begin, end), lane)
        this.#view.setUint32(this.#module.lengths.value + lane * WORD_BYTES, blocks, true)
        begin = end ?? begin
        most = Math.max(most, blocks)
      }
      this.#module.messages(most)
      hashes.set(this.#hashes(Math.min(LANES, ends.length - first)), first * HASH_BYTES)
    }
    return hashes
  }

  /** Hashes messages of the same length, as many at a time as fit into the memory. */
  #hashGroups(hash: (groups: number) => void, messages: Uint8Array, messageBytes: number): Uint8Array {
    const count = Math.floor(messages.length / messageBytes)
    const hashes = new Uint8Array(count * HASH_BYTES)
    for (let first = 0; first < count; first += CAPACITY) {
      const some = Math.min(CAPACITY, count - first)
      const input = messages.subarray(first * messageBytes, (first + some) * messageBytes)
      this.#memory.set(input, this.#module.input.value)
      hash(Math.ceil(some / LANES))
      hashes.set(this.#hashes(some), first * HASH_BYTES)
    }
    return hashes
  }

  /** Puts a message with its padding (section 5.1.1) into its lane and returns how many blocks it has. */
  #put(message: Uint8Array, lane: number): number {
    const begin = this.#module.input.value + lane * this.#module.slot.value
    const blocks = Math.ceil((message.length + LEAST_PADDING) / BLOCK_BYTES)
    const end = begin + blocks * BLOCK_BYTES
    this.#memory.set(message, begin)
    this.#memory.fill(0, begin + message.length, end)
    this.#memory[begin + message.length] = 0x80
    this.#view.setUint32(end - WORD_BYTES, message.length * 8)
    return blocks
  }

  /** The first hashes of the output, until the next call. */
  #hashes(count: number): Uint8Array {
    const begin = this.#module.output.value
    return this.#memory.subarray(begin, begin + count * HASH_BYTES)
  }
}

/** `undefined` where the platform has no WebAssembly with SIMD, or a page's policy keeps it from running. */
const instantiate = (): Sha256Lanes | undefined => {
  const { WebAssembly } = globalThis as Platform
  const code = decodeBase64(MULTI_BUFFER_SHA256)
  if (WebAssembly === undefined || code === undefined) return undefined
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code))
    return new MultiBufferSha256(exports as Exports)
  } catch {
    return undefined
  }
}

/** A function that makes a value when it is first called, and returns the same from then on. */
const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * The lanes, made when they are first asked for; `undefined` where the platform has no WebAssembly with SIMD
 * or a page's policy keeps it from running.
 */
export const multiBufferSha256: () => Sha256Lanes | undefined = /* @__PURE__ */ once(instantiate)
