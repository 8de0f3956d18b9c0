/**
 * SHA-256 (FIPS 180-4) of many messages at once, four to an instruction: multi-buffer hashing, in WebAssembly
 * with 128-bit SIMD, which Node and browsers have.
 *
 * A tree's messages are one or two blocks long, so a native function spends most of its time on being called.
 * Here a million leaves cost a third of that, and where a processor has no instructions for SHA-256, events
 * cost two thirds (measured). The four messages of a group lie across: word `t` of all of them is one vector.
 */
import { INITIAL, K } from "../PortableSha256.ts"
import {
  add,
  and,
  type Code,
  call,
  fourTimes,
  get,
  greater,
  i32,
  i32Add,
  i32Equal,
  load,
  loadWordFourTimes,
  MEMORY,
  or,
  repeatUntil,
  repeatWhile,
  select,
  set,
  shiftLeft,
  shiftRight,
  shuffle,
  store,
  type WasmFunction,
  wasmModule,
  xor
} from "./WasmModule.ts"

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

/** Messages of a group. */
const LANES = 4
const WORD_BYTES = 4
const VECTOR_BYTES = LANES * WORD_BYTES
const HASH_BYTES = 32
const BLOCK_WORDS = 16
const BLOCK_BYTES = BLOCK_WORDS * WORD_BYTES
const ROUNDS = 64

/** Leaves or nodes that fit into the memory. */
const CAPACITY = 256
/**
 * Where the memory holds what; before the messages lies at least a byte, and behind them at least a vector.
 */
const CONSTANTS = 0
const START = CONSTANTS + ROUNDS * WORD_BYTES
const STATE = START + 8 * VECTOR_BYTES
const BLOCK = STATE + 8 * VECTOR_BYTES
/** Ones for the messages that a block belongs to. */
const TAKING_PART = BLOCK + BLOCK_WORDS * VECTOR_BYTES
/** How many blocks each of four messages has. */
const LENGTHS = TAKING_PART + VECTOR_BYTES
const MESSAGES = LENGTHS + 2 * VECTOR_BYTES
/** From one of four messages to the next, with its padding. */
const SLOT = 8192
const HASHES = MESSAGES + LANES * SLOT + VECTOR_BYTES
/** Section 5.1.1: a one bit and the length in bits, of which there are eight bytes. */
const LEAST_PADDING = 9

/**
 * Locals of `compress`: the working variables a to h, sixteen words of the schedule, and where the round's
 * constants are.
 */
const WORDS = 8
const SUM = WORDS + BLOCK_WORDS
const CONSTANT = SUM + 1

const range = (length: number): ReadonlyArray<number> => Array.from({ length }, (_, index) => index)
const each = (length: number, code: (index: number) => Code): Code => range(length).flatMap(code)

const rotated = (local: number, bits: number): Code => [
  ...get(local),
  ...i32(bits),
  ...shiftRight,
  ...get(local),
  ...i32(32 - bits),
  ...shiftLeft,
  ...or
]

/** Σ₀ and Σ₁ of section 4.1.2. */
const bigSigma = (local: number, [one, two, three]: readonly [number, number, number]): Code => [
  ...rotated(local, one),
  ...rotated(local, two),
  ...xor,
  ...rotated(local, three),
  ...xor
]

/** σ₀ and σ₁ of section 4.1.2. */
const smallSigma = (local: number, [one, two, shift]: readonly [number, number, number]): Code => [
  ...rotated(local, one),
  ...rotated(local, two),
  ...xor,
  ...get(local),
  ...i32(shift),
  ...shiftRight,
  ...xor
]

/**
 * Round `t` of sixteen, section 6.2.2 step 3: instead of passing the variables on, each has another local in
 * the next round.
 */
const round = (t: number): Code => {
  const local = (variable: number): number => (variable + 16 - t) % 8
  const [a, b, c, d, e, f, g, h] = range(8).map(local) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number
  ]
  const sum1: Code = [
    ...get(h),
    ...bigSigma(e, [6, 11, 25]),
    ...add,
    ...[...get(f), ...get(g), ...get(e), ...select],
    ...add,
    ...[...get(CONSTANT), ...loadWordFourTimes(CONSTANTS + t * WORD_BYTES)],
    ...add,
    ...get(WORDS + t),
    ...add
  ]
  // The majority of three bits is the first where the first two agree, and else the third.
  const majority: Code = [...get(c), ...get(a), ...get(a), ...get(b), ...xor, ...select]
  return [
    ...sum1,
    ...set(SUM),
    ...[...get(d), ...get(SUM), ...add, ...set(d)],
    ...[...get(SUM), ...bigSigma(a, [2, 13, 22]), ...add, ...majority, ...add, ...set(h)]
  ]
}

/** Word `t` of the next sixteen, section 6.2.2 step 1, in the place of the one sixteen before it. */
const nextWord = (t: number): Code => {
  const word = (index: number): number => WORDS + (index % BLOCK_WORDS)
  return [
    ...get(word(t)),
    ...smallSigma(word(t + 1), [7, 18, 3]),
    ...add,
    ...get(word(t + 9)),
    ...add,
    ...smallSigma(word(t + 14), [17, 19, 10]),
    ...add,
    ...set(word(t))
  ]
}

const vectorOf = (base: number, index: number): number => base + index * VECTOR_BYTES
const loadAt = (address: number): Code => [...i32(0), ...load(address)]
/** Stores what `code` leaves behind. */
const storeAt = (address: number, code: Code): Code => [...i32(0), ...code, ...store(address)]
const word = (value: number): Code => [...i32(value), ...fourTimes]

/** Section 6.2.2: folds the block into the state, for those messages that take part. */
const compress: WasmFunction = {
  parameters: 0,
  vectors: SUM + 1,
  numbers: 1,
  body: [
    ...each(8, (index) => [...loadAt(vectorOf(STATE, index)), ...set(index)]),
    ...each(BLOCK_WORDS, (t) => [...loadAt(vectorOf(BLOCK, t)), ...set(WORDS + t)]),
    ...repeatUntil(
      [
        ...each(BLOCK_WORDS, round),
        ...get(CONSTANT),
        ...i32((ROUNDS - BLOCK_WORDS) * WORD_BYTES),
        ...i32Equal
      ],
      [
        ...each(BLOCK_WORDS, nextWord),
        ...get(CONSTANT),
        ...i32(BLOCK_WORDS * WORD_BYTES),
        ...i32Add,
        ...set(CONSTANT)
      ]
    ),
    ...each(8, (index) =>
      storeAt(vectorOf(STATE, index), [
        ...loadAt(vectorOf(STATE, index)),
        ...[...get(index), ...loadAt(TAKING_PART), ...and],
        ...add
      ])
    )
  ]
}

/** The bytes of four 32-bit words of two vectors, whose own are numbered 0 to 3 and 4 to 7. */
const words = (numbers: readonly [number, number, number, number]) =>
  shuffle(numbers.flatMap((number) => range(4).map((byte) => 4 * number + byte)))
/** The same, each with its bytes turned round: SHA-256 has the highest first, WebAssembly the lowest. */
const turnedWords = (numbers: readonly [number, number, number, number]) =>
  shuffle(numbers.flatMap((number) => range(4).map((byte) => 4 * number + 3 - byte)))

const LOW_PAIRS = [0, 4, 1, 5] as const
const HIGH_PAIRS = [2, 6, 3, 7] as const
const FIRST_HALVES = [0, 1, 4, 5] as const
const SECOND_HALVES = [2, 3, 6, 7] as const

/**
 * Lays across what lies along: four words of each of four places, `parameter 1` bytes apart from
 * `parameter 0` on, as four vectors, `parameter 3` bytes apart from `parameter 2` on; or the other way, which
 * is the same.
 */
const transpose: WasmFunction = {
  parameters: 4,
  vectors: 8,
  numbers: 0,
  body: (() => {
    const [from, fromStep, to, toStep] = [0, 1, 2, 3]
    const rows = range(4).map((index) => 4 + index)
    const [low0, low1, high0, high1] = [8, 9, 10, 11]
    const step = (place: number, by: number): Code => [...get(place), ...get(by), ...i32Add, ...set(place)]
    const pair = (one: number, other: number, mixed: Code): Code => [
      ...get(rows[one] as number),
      ...get(rows[other] as number),
      ...mixed
    ]
    const column = (one: number, other: number, mixed: Code): Code => [
      ...[...get(to), ...get(one), ...get(other), ...mixed, ...store()],
      ...step(to, toStep)
    ]
    return [
      ...rows.flatMap((row) => [...get(from), ...load(), ...set(row), ...step(from, fromStep)]),
      ...[...pair(0, 1, words(LOW_PAIRS)), ...set(low0), ...pair(2, 3, words(LOW_PAIRS)), ...set(low1)],
      ...[...pair(0, 1, words(HIGH_PAIRS)), ...set(high0), ...pair(2, 3, words(HIGH_PAIRS)), ...set(high1)],
      ...column(low0, low1, turnedWords(FIRST_HALVES)),
      ...column(low0, low1, turnedWords(SECOND_HALVES)),
      ...column(high0, high1, turnedWords(FIRST_HALVES)),
      ...column(high0, high1, turnedWords(SECOND_HALVES))
    ]
  })()
}

const COMPRESS = 0
const TRANSPOSE = 1

/** The prefix of a message moves its bytes on by one. */
const PREFIX_BYTES = 1
const FIRST_BYTE = 0xff_00_00_00 | 0
const OTHER_BYTES = 0x00_ff_ffff
/** Section 5.1.1: the bit after the message, here after the first byte of a word. */
const END_BIT = 0x00_80_00_00

const start = each(8, (index) => storeAt(vectorOf(STATE, index), loadAt(vectorOf(START, index))))
const advance = (local: number, by: number): Code => [...get(local), ...i32(by), ...i32Add, ...set(local)]

/**
 * Reads four words of each message into the block's words from `t` on: from `offset` beyond a place, and so
 * many bytes apart.
 */
const read = (place: number, offset: number, apart: number, t: number): Code => [
  ...[...get(place), ...i32(offset), ...i32Add, ...i32(apart)],
  ...[...i32(vectorOf(BLOCK, t)), ...i32(VECTOR_BYTES)],
  ...call(TRANSPOSE)
]

/** Writes the four hashes to a place. */
const write = (place: number): Code =>
  each(2, (half) => [
    ...[...i32(vectorOf(STATE, 4 * half)), ...i32(VECTOR_BYTES)],
    ...[...get(place), ...i32(VECTOR_BYTES * half), ...i32Add, ...i32(HASH_BYTES)],
    ...call(TRANSPOSE)
  ])

/** Hashes groups of tree messages: a prefix, and `hashes` hashes each. Its parameter is how many groups. */
const hashGroups = (name: string, prefix: number, hashes: 1 | 2): WasmFunction => {
  const [groups, message, hash] = [0, 1, 2]
  const bytes = hashes * HASH_BYTES
  const words = (offset: number, t: number): Code => read(message, offset - PREFIX_BYTES, bytes, t)
  /** Keeps some bits of the block's word `t` and sets others. */
  const mask = (t: number, kept: number, bits: number): Code =>
    storeAt(vectorOf(BLOCK, t), [
      ...[...loadAt(vectorOf(BLOCK, t)), ...word(kept), ...and],
      ...[...word(bits), ...or]
    ])
  /** Ends the message with the first byte of word `t`, section 5.1.1. */
  const end = (t: number): Code => [
    ...mask(t, FIRST_BYTE, END_BIT),
    ...each(BLOCK_WORDS - t - 2, (index) => storeAt(vectorOf(BLOCK, t + 1 + index), word(0))),
    ...storeAt(vectorOf(BLOCK, BLOCK_WORDS - 1), word((PREFIX_BYTES + bytes) * 8))
  ]
  const firstWord = mask(0, OTHER_BYTES, prefix << 24)
  const blocks =
    hashes === 1
      ? [...words(0, 0), ...words(16, 4), ...words(32, 8), ...firstWord, ...end(8), ...call(COMPRESS)]
      : [
          ...[...words(0, 0), ...words(16, 4), ...words(32, 8), ...words(48, 12), ...firstWord],
          ...call(COMPRESS),
          ...[...words(64, 0), ...end(0), ...call(COMPRESS)]
        ]
  return {
    name,
    parameters: 1,
    vectors: 0,
    numbers: 2,
    body: [
      ...storeAt(TAKING_PART, word(-1)),
      ...[...i32(MESSAGES), ...set(message), ...i32(HASHES), ...set(hash)],
      ...repeatWhile([
        ...[...start, ...blocks, ...write(hash)],
        ...[...advance(message, LANES * bytes), ...advance(hash, LANES * HASH_BYTES)],
        ...[...advance(groups, -1), ...get(groups)]
      ])
    ]
  }
}

/** Hashes four padded messages. Its parameter is how many blocks the longest has. */
const hashFour = (name: string): WasmFunction => {
  const [blocks, place, block] = [0, 1, 2]
  return {
    name,
    parameters: 1,
    vectors: 0,
    numbers: 2,
    body: [
      ...[...start, ...i32(MESSAGES), ...set(place)],
      ...repeatWhile([
        ...storeAt(TAKING_PART, [...loadAt(LENGTHS), ...get(block), ...fourTimes, ...greater]),
        ...each(LANES, (quarter) =>
          read(place, quarter * VECTOR_BYTES, SLOT, (quarter * BLOCK_WORDS) / LANES)
        ),
        ...call(COMPRESS),
        ...[...advance(place, BLOCK_WORDS * WORD_BYTES), ...advance(block, 1)],
        ...[...advance(blocks, -1), ...get(blocks)]
      ]),
      ...[...i32(HASHES), ...set(place), ...write(place)]
    ]
  }
}

const LEAVES = "leaves"
const NODES = "nodes"
const FOUR = "four"

/** The module's code: the same for every platform. */
export const multiBufferModule = (): Uint8Array<ArrayBuffer> =>
  wasmModule([compress, transpose, hashGroups(LEAVES, 0x00, 1), hashGroups(NODES, 0x01, 2), hashFour(FOUR)])

/** WebAssembly's JavaScript interface, as far as it is used. */
interface Platform {
  readonly WebAssembly?: {
    readonly Module: new (code: Uint8Array<ArrayBuffer>) => object
    readonly Instance: new (module: object) => { readonly exports: Readonly<Record<string, unknown>> }
  }
}

const instantiate = (): Sha256Lanes | undefined => {
  const { WebAssembly } = globalThis as Platform
  if (WebAssembly === undefined) return undefined
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(multiBufferModule()))
  const { buffer } = exports[MEMORY] as { readonly buffer: ArrayBuffer }
  const memory = new Uint8Array(buffer)
  const view = new DataView(buffer)
  for (const [index, constant] of K.entries()) view.setUint32(CONSTANTS + index * WORD_BYTES, constant, true)
  for (const [index, value] of INITIAL.entries()) {
    for (let lane = 0; lane < LANES; lane++)
      view.setUint32(vectorOf(START, index) + lane * WORD_BYTES, value, true)
  }
  const hasher = (name: string, messageBytes: number) => {
    const hash = exports[name] as (groups: number) => void
    return (messages: Uint8Array): Uint8Array => {
      const count = Math.floor(messages.length / messageBytes)
      const hashes = new Uint8Array(count * HASH_BYTES)
      for (let first = 0; first < count; first += CAPACITY) {
        const some = Math.min(CAPACITY, count - first)
        memory.set(messages.subarray(first * messageBytes, (first + some) * messageBytes), MESSAGES)
        hash(Math.ceil(some / LANES))
        hashes.set(memory.subarray(HASHES, HASHES + some * HASH_BYTES), first * HASH_BYTES)
      }
      return hashes
    }
  }
  const hashFour = exports[FOUR] as (blocks: number) => void
  /** Puts a message into its lane and says how many blocks it has. */
  const put = (message: Uint8Array, lane: number): number => {
    const begin = MESSAGES + lane * SLOT
    const blocks = Math.ceil((message.length + LEAST_PADDING) / BLOCK_BYTES)
    const end = begin + blocks * BLOCK_BYTES
    memory.set(message, begin)
    memory.fill(0, begin + message.length, end)
    memory[begin + message.length] = 0x80
    view.setUint32(end - WORD_BYTES, message.length * 8)
    return blocks
  }
  const messages = (bytes: Uint8Array, ends: ReadonlyArray<number>): Uint8Array => {
    const hashes = new Uint8Array(ends.length * HASH_BYTES)
    let begin = 0
    for (let first = 0; first < ends.length; first += LANES) {
      let most = 0
      for (let lane = 0; lane < LANES; lane++) {
        const end = ends[first + lane]
        const blocks = end === undefined ? 0 : put(bytes.subarray(begin, end), lane)
        view.setUint32(LENGTHS + lane * WORD_BYTES, blocks, true)
        begin = end ?? begin
        most = Math.max(most, blocks)
      }
      hashFour(most)
      const some = Math.min(LANES, ends.length - first)
      hashes.set(memory.subarray(HASHES, HASHES + some * HASH_BYTES), first * HASH_BYTES)
    }
    return hashes
  }
  return {
    longest: SLOT - LEAST_PADDING,
    messages,
    leaves: hasher(LEAVES, HASH_BYTES),
    nodes: hasher(NODES, 2 * HASH_BYTES)
  }
}

let made: { readonly lanes: Sha256Lanes | undefined } | undefined

/**
 * The lanes, made when they are first asked for; `undefined` where the platform has no WebAssembly with SIMD
 * or a page's policy keeps it from running.
 */
export const multiBufferSha256 = (): Sha256Lanes | undefined => {
  if (made === undefined) {
    try {
      made = { lanes: instantiate() }
    } catch {
      made = { lanes: undefined }
    }
  }
  return made.lanes
}
