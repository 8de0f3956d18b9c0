/**
 * Writes zeros over everything that a SQLite file contains besides its rows.
 *
 * `secure_delete` overwrites a deleted row in place. But when a B-tree splits or joins pages, a row that
 * moves leaves a copy in the unused space of its old page, which nothing overwrites. `VACUUM` would make a
 * file without such copies, but it writes everything twice under one lock and needs as much free space; this
 * reads the file once, some MiB at a time.
 *
 * The file is written directly, not through SQLite, only where the format gives bytes no meaning
 * (https://www.sqlite.org/fileformat2.html), and only while the write lock is held and the write-ahead log is
 * empty: then nobody else writes to the file, and its contents are current.
 *
 * This module uses neither Effect nor Cairn's packages: it is loaded by a separate process, see `Scrub`.
 */
import { fstatSync, fsyncSync, openSync, readSync, statSync, writeSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"

/** Bytes that are read, and may be overwritten, while the lock is held once: about 10 ms. */
const CHUNK_BYTES = 16 * 1024 * 1024

/** Free pages that are overwritten while the lock is held once. */
const FREE_PAGES = 2_000

/**
 * How long to wait for a lock, while others wait behind: if somebody reads or writes for longer, it is tried
 * again after a pause.
 */
const LOCK_MILLIS = 50
const PAUSE_MILLIS = 100
/** How long it is tried: a backup reads a file of many gigabytes in one transaction. */
const PATIENCE_MILLIS = 15 * 60_000

/**
 * From this many pages on, the first byte of an overflow page, which belongs to the number of the next one,
 * may look like the type of a B-tree page.
 */
const MAX_PAGES = 0x02_00_00_00

/**
 * Bytes of the header before the cell pointers, by the type of a B-tree page: interior and leaf, of indexes
 * and of tables.
 */
const HEADER_BYTES = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8]
])

/** Bytes of the file's header, at the start of the first page. */
const FILE_HEADER_BYTES = 100

/** The fields of the file's header, https://www.sqlite.org/fileformat2.html#the_database_header */
interface Layout {
  readonly pageSize: number
  /** Bytes of a page that SQLite uses. */
  readonly usable: number
  readonly firstTrunk: number
}

/** Some bytes of the file. */
interface Range {
  readonly start: number
  readonly end: number
}

const readRange = (fd: number, start: number, length: number): Buffer => {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, readSync(fd, buffer, 0, length, start))
}

const readLayout = (fd: number): Layout => {
  const header = readRange(fd, 0, FILE_HEADER_BYTES)
  // 65,536 does not fit and is written as 1.
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const { size } = fstatSync(fd)
  if (size / pageSize >= MAX_PAGES) throw new Error(`A file of ${size} bytes is too large to be overwritten`)
  return { pageSize, usable: pageSize - header.readUInt8(20), firstTrunk: header.readUInt32BE(32) }
}

/** The space between the cell pointers and the cells of a B-tree page; none for other pages. */
const unusedWithin = (page: Buffer, isFirst: boolean, usable: number): Range | undefined => {
  const at = isFirst ? FILE_HEADER_BYTES : 0
  const headerBytes = HEADER_BYTES.get(page.readUInt8(at))
  if (headerBytes === undefined) return undefined
  const start = at + headerBytes + 2 * page.readUInt16BE(at + 3)
  // 65,536 does not fit and is written as 0.
  const end = page.readUInt16BE(at + 5) || 65_536
  return start < end && end <= usable ? { start, end } : undefined
}

/** As many zeros as the largest page has. */
const ZEROS = Buffer.alloc(65_536)

const isZero = (bytes: Buffer): boolean => bytes.equals(ZEROS.subarray(0, bytes.length))

/** The ranges of a chunk of whole pages that have no meaning and are not zero. */
const leftovers = (chunk: Buffer, at: number, { pageSize, usable }: Layout): ReadonlyArray<Range> => {
  const ranges: Array<Range> = []
  for (let offset = 0; offset + pageSize <= chunk.length; offset += pageSize) {
    const page = chunk.subarray(offset, offset + pageSize)
    const unused = unusedWithin(page, at + offset === 0, usable)
    if (unused !== undefined && !isZero(page.subarray(unused.start, unused.end)))
      ranges.push({ start: at + offset + unused.start, end: at + offset + unused.end })
  }
  return ranges
}

/** A page of the list of free pages, and the pages that it lists. */
interface Trunk {
  readonly unused: Range
  readonly leaves: ReadonlyArray<number>
}

/** The list of free pages: one read for each thousand. To be walked while nobody writes. */
const freeList = (fd: number, { pageSize, usable, firstTrunk }: Layout): ReadonlyArray<Trunk> => {
  const trunks: Array<Trunk> = []
  for (let number = firstTrunk; number !== 0; ) {
    const at = (number - 1) * pageSize
    const page = readRange(fd, at, pageSize)
    const count = page.readUInt32BE(4)
    const leaves = Array.from({ length: count }, (_, index) => page.readUInt32BE(8 + 4 * index))
    trunks.push({ unused: { start: at + 8 + 4 * count, end: at + usable }, leaves })
    number = page.readUInt32BE(0)
  }
  return trunks
}

/** A database file that is being cleaned. */
class UnusedBytes {
  readonly #filename: string
  readonly #db: DatabaseSync
  /**
   * Closed only when the process ends: closing releases all locks that the process has on the file, including
   * those of `#db`.
   */
  readonly #fd: number

  constructor(filename: string) {
    this.#filename = filename
    this.#db = new DatabaseSync(filename, { timeout: LOCK_MILLIS })
    this.#fd = openSync(filename, "r+")
  }

  /** Overwrites the free pages that are not zero, and then the unused space on all others. */
  async overwriteAll(): Promise<void> {
    // After this, the file without its write-ahead log contains everything that deleted rows may have left
    // anywhere.
    let listed: ReadonlyArray<number> = []
    await this.#whileStill(() => {
      const trunks = freeList(this.#fd, readLayout(this.#fd))
      this.#overwrite(trunks.map(({ unused }) => unused))
      listed = trunks.flatMap(({ leaves }) => leaves)
    })
    await this.#overwriteFree(listed)
    const { size } = fstatSync(this.#fd)
    for (let at = 0; at < size; at += CHUNK_BYTES) {
      const find = () => leftovers(readRange(this.#fd, at, CHUNK_BYTES), at, readLayout(this.#fd))
      // First without the lock: a page that is being written may be misread, and is read again if it seems to
      // need a change.
      if (find().length > 0) await this.#whileStill(() => this.#overwrite(find()))
    }
    await this.#whileStill(() => fsyncSync(this.#fd))
    this.#tryLocked(() => {})
    this.#db.close()
  }

  async #overwriteFree(listed: ReadonlyArray<number>): Promise<void> {
    const { pageSize, usable } = readLayout(this.#fd)
    const range = (page: number): Range => ({
      start: (page - 1) * pageSize,
      end: (page - 1) * pageSize + usable
    })
    const filled = listed.filter((page) => !this.#isZero(range(page)))
    for (let at = 0; at < filled.length; at += FREE_PAGES) {
      const chunk = filled.slice(at, at + FREE_PAGES)
      await this.#whileStill(() => {
        const free = new Set(freeList(this.#fd, readLayout(this.#fd)).flatMap(({ leaves }) => leaves))
        this.#overwrite(chunk.filter((page) => free.has(page)).map(range))
      })
    }
  }

  #isZero({ start, end }: Range): boolean {
    return isZero(readRange(this.#fd, start, end - start))
  }

  #overwrite(ranges: ReadonlyArray<Range>): void {
    for (const { start, end } of ranges) writeSync(this.#fd, ZEROS, 0, end - start, start)
  }

  /** Runs a function while nobody can write and the log is empty; waits until that is possible. */
  async #whileStill(body: () => void): Promise<void> {
    const until = performance.now() + PATIENCE_MILLIS
    while (!this.#tryLocked(body)) {
      if (performance.now() > until) throw new Error(`${this.#filename} was in use all the time`)
      await sleep(PAUSE_MILLIS)
    }
  }

  /** Whether it could be run. */
  #tryLocked(body: () => void): boolean {
    const db = this.#db
    try {
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
      db.exec("BEGIN IMMEDIATE")
      if ((statSync(`${this.#filename}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return false
      // A change, so that a process that has cached pages since the log was emptied, including what is
      // overwritten now, reads them again before writing.
      const version = db.prepare("PRAGMA user_version").get()?.user_version
      db.exec(`PRAGMA user_version = ${version}`)
      body()
      db.exec("COMMIT")
      return true
    } catch (error) {
      if (isBusy(error)) return false
      throw error
    } finally {
      if (db.isTransaction) db.exec("ROLLBACK")
    }
  }
}

const SQLITE_BUSY = 5

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY

/**
 * Overwrites what deleted rows have left in a file, and empties its write-ahead log. Others may read and
 * write in the meantime; they wait for some tens of milliseconds at a time. Costs reading the file once:
 * about half a second a GB that is in memory. Rejects if the file is in use without a pause for a quarter of
 * an hour. May be interrupted at any time.
 *
 * For a process that has not opened the file in any other way, and that ends afterwards.
 */
export const overwriteUnused = (filename: string): Promise<void> => new UnusedBytes(filename).overwriteAll()
