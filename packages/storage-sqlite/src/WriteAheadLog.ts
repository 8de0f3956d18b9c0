/**
 * Whether the write-ahead log of a file is damaged. SQLite uses it up to the first frame whose checksum is
 * wrong and ignores the rest, because a crash in the middle of a commit looks like that. But frames are
 * written in order. So if a later frame ends a commit of the same log, all frames before it were intact when
 * it was written.
 *
 * https://www.sqlite.org/fileformat2.html#walformat
 */
import { closeSync, existsSync, openSync, readSync } from "node:fs"

const HEADER_BYTES = 32
const FRAME_BYTES = 24
/** The last bit is the byte order for checksums. */
const MAGIC = 0x377f0682

/** Where a log is damaged. */
export interface WalDamage {
  /** The first bad frame, from 1; 0 for the header of the log. */
  readonly frame: number
  /** Commits after it, which are lost. */
  readonly commitsBehind: number
}

/** The running checksum after more bytes. */
const checksum = (
  [before0, before1]: readonly [number, number],
  bytes: DataView,
  isLittle: boolean
): readonly [number, number] => {
  let [sum0, sum1] = [before0, before1]
  for (let at = 0; at < bytes.byteLength; at += 8) {
    sum0 = (sum0 + bytes.getUint32(at, isLittle) + sum1) >>> 0
    sum1 = (sum1 + bytes.getUint32(at + 4, isLittle) + sum0) >>> 0
  }
  return [sum0, sum1]
}

const read = (file: number, position: number, length: number): DataView | undefined => {
  const bytes = new Uint8Array(length)
  return readSync(file, bytes, 0, length, position) === length ? new DataView(bytes.buffer) : undefined
}

const part = (view: DataView, from: number, length: number): DataView =>
  new DataView(view.buffer, from, length)

const lookAt = (file: number): WalDamage | undefined => {
  const header = read(file, 0, HEADER_BYTES)
  if (header === undefined) return undefined
  // Created, and never written: a power cut came before the first commit.
  if (new Uint8Array(header.buffer).every((byte) => byte === 0)) return undefined
  const isLittle = (header.getUint32(0) & 1) === 0
  const pageBytes = header.getUint32(8)
  const isPageSize = pageBytes >= 512 && pageBytes <= 65_536 && (pageBytes & (pageBytes - 1)) === 0
  if ((header.getUint32(0) & ~1) !== MAGIC || !isPageSize) return { frame: 0, commitsBehind: 0 }
  const salts = [header.getUint32(16), header.getUint32(20)]
  let sums = checksum([0, 0], part(header, 0, 24), isLittle)
  let broken = sums[0] === header.getUint32(24) && sums[1] === header.getUint32(28) ? undefined : 0
  let commitsBehind = 0
  const length = FRAME_BYTES + pageBytes
  for (let number = 1; ; number++) {
    const frame = read(file, HEADER_BYTES + (number - 1) * length, length)
    if (frame === undefined) break
    const isOfLog = frame.getUint32(8) === salts[0] && frame.getUint32(12) === salts[1]
    if (broken !== undefined) {
      // The size of the database, in pages, is only set in a frame that ends a commit.
      if (isOfLog && frame.getUint32(4) !== 0) commitsBehind++
      continue
    }
    if (isOfLog) {
      sums = checksum(sums, part(frame, 0, 8), isLittle)
      sums = checksum(sums, part(frame, FRAME_BYTES, pageBytes), isLittle)
    }
    const isWhole = isOfLog && sums[0] === frame.getUint32(16) && sums[1] === frame.getUint32(20)
    if (!isWhole) broken = number
  }
  return broken !== undefined && (broken === 0 || commitsBehind > 0)
    ? { frame: broken, commitsBehind }
    : undefined
}

/**
 * Checks the write-ahead log of a database file; none if it is intact, or ends as a crash leaves it. Costs
 * reading all of it.
 */
export const walDamage = (filename: string): WalDamage | undefined => {
  const name = `${filename}-wal`
  if (!existsSync(name)) return undefined
  const file = openSync(name, "r")
  try {
    return lookAt(file)
  } finally {
    closeSync(file)
  }
}
