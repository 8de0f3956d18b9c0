/**
 * WebAssembly, as far as {@link MultiBufferSha256} is made of it: instructions as bytes, and functions put
 * together to a module (WebAssembly Core Specification 2.0, chapter 5).
 */

/** Instructions, encoded one after the other. */
export type Code = ReadonlyArray<number>

/** Section 5.2.2: an unsigned integer, seven bits a byte, the lowest first. */
const unsigned = (value: number): Code =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]

/** The same of a signed one. */
const signed = (value: number): Code =>
  value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]

const vector = (items: ReadonlyArray<Code>): Code => [...unsigned(items.length), ...items.flat()]

const I32 = 0x7f
const V128 = 0x7b
const NO_RESULT = 0x40

export const get = (local: number): Code => [0x20, local]
export const set = (local: number): Code => [0x21, local]
export const i32 = (value: number): Code => [0x41, ...signed(value)]
export const i32Add: Code = [0x6a]
export const call = (fn: number): Code => [0x10, fn]

/** Runs `body` until it leaves zero behind. */
export const repeatWhile = (body: Code): Code => [0x03, NO_RESULT, ...body, 0x0d, 0, 0x0b]

/** Runs `before` and `after` in turn, for as long as `before` leaves zero behind. */
export const repeatUntil = (before: Code, after: Code): Code => [
  0x02,
  NO_RESULT,
  0x03,
  NO_RESULT,
  ...before,
  0x0d,
  1,
  ...after,
  0x0c,
  0,
  0x0b,
  0x0b
]

export const i32Equal: Code = [0x46]

const simd = (instruction: number): Code => [0xfd, ...unsigned(instruction)]
/** Addresses may lie anywhere: the alignment is a hint. */
const at = (offset: number): Code => [0, ...unsigned(offset)]

/** From the address on the stack and `offset` beyond it. */
export const load = (offset = 0): Code => [...simd(0x00), ...at(offset)]
/** One 32-bit word of there, four times. */
export const loadWordFourTimes = (offset = 0): Code => [...simd(0x09), ...at(offset)]
export const store = (offset = 0): Code => [...simd(0x0b), ...at(offset)]
/** A 32-bit word of the stack, four times. */
export const fourTimes: Code = simd(0x11)
export const and: Code = simd(0x4e)
export const or: Code = simd(0x50)
export const xor: Code = simd(0x51)
/** Of three vectors: the bits of the first where the third has ones, and of the second where it has zeros. */
export const select: Code = simd(0x52)
/** Of four words each, by a number of bits on the stack. */
export const shiftLeft: Code = simd(0xab)
export const shiftRight: Code = simd(0xad)
export const add: Code = simd(0xae)
/** Ones for each of four signed words that is greater than the other, and else zeros. */
export const greater: Code = simd(0x3b)
/** Sixteen bytes of two vectors, whose own are numbered 0 to 15 and 16 to 31. */
export const shuffle = (bytes: ReadonlyArray<number>): Code => [...simd(0x0d), ...bytes]

/** A function without result. */
export interface WasmFunction {
  /** Numbers it takes: its first locals. */
  readonly parameters: number
  /** Locals beyond them: first vectors, then numbers. */
  readonly vectors: number
  readonly numbers: number
  readonly body: Code
  /** Name by which it can be called from outside. */
  readonly name?: string
}

const name = (text: string): Code => vector(Array.from(text, (character) => [character.charCodeAt(0)]))
const section = (id: number, items: ReadonlyArray<Code>): Code => {
  const content = vector(items)
  return [id, ...unsigned(content.length), ...content]
}

/** Name of the memory that a module gives away. */
export const MEMORY = "memory"

/** A module of these functions and 64 KiB of memory. */
export const wasmModule = (functions: ReadonlyArray<WasmFunction>): Uint8Array<ArrayBuffer> => {
  const types = functions.map(({ parameters }) => [
    0x60,
    ...vector(Array.from({ length: parameters }, () => [I32])),
    0
  ])
  const exports = functions.flatMap(({ name: outside }, index) =>
    outside === undefined ? [] : [[...name(outside), 0x00, index]]
  )
  const bodies = functions.map(({ vectors, numbers, body }) => {
    const locals = vector([
      [...unsigned(vectors), V128],
      [...unsigned(numbers), I32]
    ])
    return [...unsigned(locals.length + body.length + 1), ...locals, ...body, 0x0b]
  })
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, types),
    ...section(
      3,
      Array.from(functions.keys(), (index) => [index])
    ),
    ...section(5, [[0x00, 0x01]]),
    ...section(7, [[...name(MEMORY), 0x02, 0x00], ...exports]),
    ...section(10, bodies)
  ])
}
