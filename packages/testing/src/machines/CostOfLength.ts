/**
 * The cost of every input must be linear in its length. This measures how long a reader of outside text takes
 * for a hostile text, and for one of the same kind that is eight times as long.
 *
 * It measures the processor time of this thread, so that neither a busy machine nor V8's compiler and
 * collector threads matter, and takes the least of several runs, so that garbage collection does not matter
 * either.
 */

/** Makes an input of about this length. */
export type HostileInput<A> = (length: number) => A

/** One reader of text from outside. */
export interface OutsideReader<A> {
  readonly name: string
  /** Reads or rejects an input. Anything that it throws counts as a rejection. */
  readonly read: (input: A) => unknown
  readonly inputs: Readonly<Record<string, HostileInput<A>>>
  /**
   * The longest input that can reach it, if something else limits that: the longer of the two inputs is no
   * longer.
   */
  readonly longest?: number
}

/** The result of a measurement. */
export interface Growth {
  /** For the shorter input. */
  readonly length: number
  /** How many times as long the longer one is. */
  readonly factor: number
  /**
   * How many times as much work it took: the same factor if the reader is linear, its square if it is
   * quadratic.
   */
  readonly ratio: number
}

/** How much longer the longer input is, if nothing limits it. */
const FACTOR = 8

/** Work allowed for the longer input, for each multiple of the length: a constant part must not matter. */
const SLACK = 3

/** Milliseconds that the shorter input must take for the measurement to count. */
const LEAST_MILLIS = 5

const RUNS = 5
const MISSES = 3
const FIRST_LENGTH = 1024
/** An input that takes no time at this length takes no time that matters at any possible length. */
const LAST_LENGTH = 2 ** 18

const processorMillis = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const cost = <A>(read: (input: A) => unknown, input: A): number => {
  const before = processorMillis()
  try {
    read(input)
  } catch {
    // A rejection.
  }
  return processorMillis() - before
}

/** The least of some runs; it stops early once a run takes no more than `enough`. */
const leastCost = <A>(read: (input: A) => unknown, input: A, enough: number): number => {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS && least > enough; run++) least = Math.min(least, cost(read, input))
  return least
}

/** The input as it comes from outside: as one flat string, like text that was decoded from bytes. */
const fromOutside = <A>(input: A): A =>
  typeof input === "string" ? (Buffer.from(input, "utf16le").toString("utf16le") as A & string) : input

/** Measures one kind of input; `undefined` if no possible length takes time that can be measured. */
const growthOf = <A>(
  { read, longest = Number.POSITIVE_INFINITY }: OutsideReader<A>,
  make: HostileInput<A>
): Growth | undefined => {
  for (let length = FIRST_LENGTH; length <= Math.min(LAST_LENGTH, longest); length *= 2) {
    const short = fromOutside(make(length))
    // A first measurement, because most inputs take no time at all.
    if (cost(read, short) < LEAST_MILLIS) continue
    const least = leastCost(read, short, 0)
    if (least < LEAST_MILLIS) continue
    const factor = Math.min(FACTOR, longest / length)
    const long = fromOutside(make(Math.floor(length * factor)))
    return { length, factor, ratio: leastCost(read, long, least * SLACK * factor) / least }
  }
  return undefined
}

const isMiss = (growth: Growth | undefined): growth is Growth =>
  growth !== undefined && growth.ratio >= SLACK * growth.factor

/**
 * The readers whose time grows faster than the length, one line each: those that failed three times in a row.
 */
export const superlinear = <A>(reader: OutsideReader<A>): ReadonlyArray<string> =>
  Object.entries(reader.inputs).flatMap(([kind, make]) => {
    let growth = growthOf(reader, make)
    for (let miss = 1; miss < MISSES && isMiss(growth); miss++) growth = growthOf(reader, make)
    return isMiss(growth)
      ? [
          `${reader.name}: ${kind}: ${growth.factor} times the length of ${growth.length} took ${growth.ratio.toFixed(0)} times the work`
        ]
      : []
  })

/** Parts of texts that are difficult for readers. */
const UNITS = [
  "a",
  "0",
  " ",
  "\n",
  ",",
  ".",
  "a.",
  ":",
  "/",
  "%41",
  "%ff",
  "a&",
  "=",
  "+",
  "*",
  "'",
  '"',
  "\\",
  '\\"',
  "[",
  '{"a":',
  "<a>",
  "\u2014 ",
  "\u{1F600}",
  "\ud800",
  "\0",
  // What normalization sorts, joins or splits.
  "\u0301",
  "\u0344",
  "\uff9e",
  "\u1100\u1161\u11a8",
  "\u{113c2}",
  "\u{1611e}",
  "\u{16d67}"
]

/** Combining marks in descending classes: to sort them, each must pass all before it. */
const marks = (length: number): string => {
  const share = Math.ceil(length / 4)
  return `a${["\u0345", "\u0301", "\u0316", "\u05b0"].map((mark) => mark.repeat(share)).join("")}`
}

const times = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length))

/** Positions of a text where something is inserted: all positions of a short text. */
const placesOf = (text: string): ReadonlyArray<number> => {
  const step = Math.max(1, Math.floor(text.length / 6))
  return Array.from({ length: Math.ceil(text.length / step) }, (_, index) => index * step)
}

/**
 * Hostile texts for any reader: a repeated part, alone, before and after a text that it accepts, and such a
 * text with a character repeated within it, so that it is almost accepted.
 */
export const hostileTexts = (...samples: ReadonlyArray<string>): Record<string, HostileInput<string>> => {
  const inputs: Record<string, HostileInput<string>> = {}
  for (const unit of UNITS) inputs[`${JSON.stringify(unit)} repeated`] = (length) => times(unit, length)
  inputs["marks in descending classes"] = marks
  inputs["marks in descending classes, again and again"] = (length) => times(marks(256), length)
  for (const sample of samples) {
    const shown = JSON.stringify(sample.slice(0, 40))
    inputs[`${shown} repeated`] = (length) => times(sample, length)
    for (const unit of [" ", "0", ","]) {
      inputs[`${shown} after ${JSON.stringify(unit)}`] = (length) => times(unit, length) + sample
      inputs[`${shown} before ${JSON.stringify(unit)}`] = (length) => `${sample}${times(unit, length)}!`
    }
    for (const place of placesOf(sample)) {
      const unit = sample.charAt(place)
      inputs[`${shown} with its ${place}th repeated`] = (length) =>
        `${sample.slice(0, place)}${times(unit, length)}${sample.slice(place)}`
      inputs[`${shown} with its ${place}th repeated, and no end`] = (length) =>
        `${sample.slice(0, place)}${times(unit, length)}\0`
    }
  }
  return inputs
}

/** The same as bytes. */
export const hostileBytes = (
  inputs: Readonly<Record<string, HostileInput<string>>>
): Record<string, HostileInput<Uint8Array>> => {
  const utf8 = new TextEncoder()
  return Object.fromEntries(
    Object.entries(inputs).map(([name, make]) => [name, (length: number) => utf8.encode(make(length))])
  )
}

/**
 * Hostile JSON: nesting, repetition, escapes, and numbers, alone and inserted as a value, by `around`, into
 * text that a reader accepts.
 */
export const hostileJson = (
  around: (value: string) => string = (value) => value
): Record<string, HostileInput<string>> => {
  const values: Record<string, HostileInput<string>> = {
    "zeros after a point": (length) => `1.${times("0", length)}1`,
    "zeros before a point": (length) => `1${times("0", length)}.0`,
    "digits of an integer": (length) => times("9", length),
    "an exponent": (length) => `1e${times("9", length)}`,
    "an exponent of zeros": (length) => `1e${times("0", length)}400`,
    "zeros within an integer": (length) => `9007199254740993${times("0", length)}1`,
    "inexact numbers": (length) => `[${times("9007199254740993,", length)}1]`,
    "inexact numbers of many digits": (length) => `[${times(`1${"0".repeat(400)}1,`, length)}1]`,
    "inexact numbers far within": (length) =>
      `${times("[", length / 3)}${times("9007199254740993,", length / 3)}1${times("]", length / 3)}`,
    "inexact numbers at each level": (length) =>
      `${times("[9007199254740993,", length)}1${"]".repeat(Math.ceil(length / 18))}`,
    "one inexact number beside deep arrays": (length) =>
      `[1e400,${times("[", length / 2)}${times("]", length / 2)}]`,
    "one inexact number beside deep objects": (length) =>
      `[1e400,${times('{"a":', length)}1${"}".repeat(Math.ceil(length / 5))}]`,
    "deep arrays": (length) => times("[", length / 2) + times("]", length / 2),
    "deep objects": (length) => `${times('{"a":', length)}1${"}".repeat(Math.ceil(length / 5))}`,
    "deep objects with an escaped key": (length) =>
      `{"\\n":${times('{"a":', length)}1${"}".repeat(Math.ceil(length / 5))}}`,
    "an escaped key and a marker": (length) => `{"\\n":"${times("key ", length)}"}`,
    "escaped keys": (length) => `{${times('"\\n":1,', length)}"a":1}`,
    "escaped keys, each another": (length) =>
      `{${Array.from({ length: Math.ceil(length / 12) }, (_, index) => `"\\n${index}":1`).join(",")}}`,
    "one long escaped key": (length) => `{"${times("\\u0061", length)}":1}`,
    "one long key": (length) => `{"${times("a", length)}":1}`,
    "strings of backslashes": (length) => `["${times("\\\\", length)}"]`,
    "strings of quotes": (length) => `["${times('\\"', length)}"]`,
    "many short strings": (length) => `[${times('"a",', length)}"a"]`,
    "many strings that hold quotes": (length) => `[${times('"\\"",', length)}"a"]`,
    "one key, repeated": (length) => `{${times('"a":1,', length)}"a":1}`,
    "keys, each another": (length) =>
      `{${Array.from({ length: Math.ceil(length / 10) }, (_, index) => `"k${index}":1`).join(",")}}`,
    "keys that are numbers": (length) =>
      `{${Array.from({ length: Math.ceil(length / 12) }, (_, index) => `"${index * 1024}":1`).join(",")}}`,
    "the prototype, repeated": (length) => `{${times('"__proto__":{},', length)}"\\n":1}`,
    "white space": (length) => `[${times(" ", length)}1]`,
    "lone surrogates": (length) => `["${times("\\ud800", length)}"]`,
    "surrogates backwards": (length) => `["${times("\\udc00\\ud800", length)}"]`,
    "empty objects": (length) => `[${times("{},", length)}1]`
  }
  return {
    ...Object.fromEntries(
      Object.entries(values).map(([name, make]) => [name, (length: number) => around(make(length))])
    ),
    "text that does not end": (length) => `["${times("a", length)}`,
    "arrays that do not end": (length) => times("[", length),
    "objects that do not end": (length) => times('{"a":', length),
    "an escape that does not end": (length) => `${around('"a"')}${times("\\", length)}`
  }
}
