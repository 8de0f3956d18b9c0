/** The kinds of change to the file around the lines: its gzip stream, and the text in it. */
import { gunzipSync, gzipSync } from "node:zlib"
import type { SeededRandom } from "../generators/SeededRandom.ts"
import type { Change } from "./MemberChanges.ts"

/** Which part of a file is changed: the stream, or the text before it is compressed. */
export const FILE_PARTS = ["gzip", "text"] as const
export type FilePart = (typeof FILE_PARTS)[number]

/** A file. */
export interface BundleFile {
  readonly bytes: Uint8Array
  /** Whether it is one gzip stream of exactly the text of the lines. */
  readonly isPlain: boolean
}

/** Texts of other bundles. */
export interface TextDonors {
  readonly bundle: string
  readonly log: string
}

/** The file as the writer makes it. */
export const packed = (text: string): BundleFile => ({ bytes: gzipSync(text), isPlain: true })

/** Bytes of a stream's header, after which a file's name may follow. */
const GZIP_HEADER = 10
const NAME = Buffer.from("a\0")

const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => Buffer.concat(parts)

const changeStream = (text: string, change: Change, donors: TextDonors, random: SeededRandom): Uint8Array => {
  const whole = gzipSync(text)
  const cut = random.below(text.length)
  const halves = () => [gzipSync(text.slice(0, cut)), gzipSync(text.slice(cut))]
  switch (change) {
    case "removed":
      return random.chance(0.5) ? Buffer.from(text) : whole.subarray(0, random.below(whole.length))
    case "doubled":
      return random.chance(0.5) ? joined(whole, whole) : joined(...halves())
    case "emptied":
      return random.pick([
        new Uint8Array(),
        gzipSync(""),
        joined(whole, gzipSync("")),
        joined(gzipSync(""), whole)
      ])
    case "swapped":
      return joined(...halves().toReversed())
    case "of another bundle":
      return random.chance(0.5)
        ? joined(whole, gzipSync(donors.bundle))
        : joined(gzipSync(donors.bundle), whole)
    case "of another log":
      return random.chance(0.5) ? joined(whole, gzipSync(donors.log)) : joined(gzipSync(donors.log), whole)
    case "moved":
      return joined(whole.subarray(1), whole.subarray(0, 1))
    case "off by one": {
      const at = random.below(whole.length)
      const flipped = whole.with(at, (whole[at] ?? 0) ^ 1)
      const trailing = joined(whole, Uint8Array.of(random.pick([0, 0, 10, 31])))
      return random.pick([flipped, trailing, whole.subarray(0, -1), joined(Uint8Array.of(0), whole)])
    }
    case "spelled otherwise": {
      const named = joined(
        whole.subarray(0, 3),
        Uint8Array.of(8),
        whole.subarray(4, 10),
        NAME,
        whole.subarray(10)
      )
      return random.pick([named, joined(whole, new Uint8Array(512))])
    }
  }
}

const changeText = (text: string, change: Change, donors: TextDonors, random: SeededRandom): string => {
  const at = random.below(text.length)
  const lines = text.split("\n")
  const line = random.below(lines.length - 1)
  const edited = (edit: (one: string) => string) =>
    lines.map((one, index) => (index === line ? edit(one) : one)).join("\n")
  switch (change) {
    case "removed":
      return random.pick([text.slice(0, -1), text.slice(0, at), text.slice(0, at) + text.slice(at + 1)])
    case "doubled":
      return random.chance(0.5) ? text + text : edited((one) => `${one}\n`)
    case "emptied":
      return edited(() => "")
    case "swapped":
      return (
        text.slice(0, at) +
        text
          .slice(at, at + 2)
          .split("")
          .reverse()
          .join("") +
        text.slice(at + 2)
      )
    case "of another bundle":
      return random.chance(0.5) ? text + donors.bundle : donors.bundle + text
    case "of another log":
      return random.chance(0.5) ? text + donors.log : donors.log + text
    case "moved":
      return [...lines.slice(line, -1), ...lines.slice(0, line), ""].join("\n")
    case "off by one":
      return text.slice(0, at) + String.fromCharCode((text.charCodeAt(at) ^ 1) & 0x7f) + text.slice(at + 1)
    case "spelled otherwise":
      return random.pick([
        `\ufeff${text}`,
        text.replaceAll("\n", "\r\n"),
        edited((one) => ` ${one}`),
        edited((one) => one.replace(/:(\d)/, ":0$1")),
        `${text}\n`,
        `${text} `
      ])
  }
}

/**
 * Whether a file is one gzip member with the same text. What precedes the compressed text, such as a file's
 * name, does not matter.
 */
const holdsSame = (bytes: Uint8Array, text: string): boolean => {
  const packedText = gzipSync(text).subarray(GZIP_HEADER)
  const header = bytes.length - packedText.length
  if (header < GZIP_HEADER || header > GZIP_HEADER + NAME.length) return false
  if (Buffer.compare(bytes.subarray(header), packedText) !== 0) return false
  try {
    return gunzipSync(bytes).toString() === text
  } catch {
    return false
  }
}

/** Makes a change to a part of the file whose lines make `text`. */
export const changeFile = (
  text: string,
  part: FilePart,
  change: Change,
  donors: TextDonors,
  random: SeededRandom
): BundleFile => {
  if (part === "text") {
    const changed = changeText(text, change, donors, random)
    return { bytes: gzipSync(changed), isPlain: changed === text }
  }
  const bytes = changeStream(text, change, donors, random)
  return { bytes, isPlain: holdsSame(bytes, text) }
}
