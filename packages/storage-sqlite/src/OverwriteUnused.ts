/**
 * Zeros over whatever a file of SQLite holds beside its rows.
 *
 * `secure_delete` overwrites a row where it is when it is deleted. But when a B-tree splits or joins pages, a
 * row that moves leaves a copy in the unused space of the page that it was on, where nobody overwrites it.
 * `VACUUM` would make a file without them, at the price of writing all of it twice under one lock, and of
 * room for as much; this reads the file once, some MiB at a time.
 *
 * The file is written past SQLite, only where the format gives bytes no meaning
 * (https://www.sqlite.org/fileformat2.html), and only while the write lock is held and the write-ahead log is
 * empty: then nobody else writes to the file, and what it says is what is so.
 *
 * No Effect and none of Cairn's packages here: it is loaded by a process of its own, see `Scrub`.
 */
import { fstatSync, fsyncSync, openSync, readSync, statSync, writeSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"

/** Bytes that are read, and may be overwritten, while the lock is held once: some 10 ms. */
const CHUNK_BYTES = 16 * 1024 * 1024

/** Free pages that are overwritten while the lock is held once. */
const FREE_PAGES = 2_000

/**
 * How long a lock is waited for, with others waiting behind: what somebody reads or writes for longer is
 * tried again after a pause.
 */
const LOCK_MILLIS = 50
const PAUSE_MILLIS = 100
/** How long it is tried: a backup reads a file of many gigabytes in one transaction. */
const PATIENCE_MILLIS = 15 * 60_000

/**
 * From this many pages on, the first byte of an overflow page, of the number of the next one, may look like
 * the type of a B-tree page.
 */
const MAX_PAGES = 0x02_00_00_00

/**
 * Bytes of the header in front of the cell pointers, by the type of a B-tree page: interior and leaf, of
 * indexes and of tables.
 */
const HEADER_BYTES = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8]
])

/** Bytes of the file's header, at the start of the first page. */
const FILE_HEADER_BYTES = 100

/** What the file's header says, https://www.sqlite.org/fileformat2.html#the_database_header */
interface Layout {
  readonly pageSize: number
  /** Bytes of a page that are SQLite's. */
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
  // 65,536 does not fit, and is written as 1.
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const { size } = fstatSync(fd)
  if (size / pageSize >= MAX_PAGES) throw new Error(`A file of ${size} bytes is too large to be overwritten`)
  return { pageSize, usable: pageSize - header.readUInt8(20), firstTrunk: header.readUInt32BE(32) }
}

/** The space between the cell pointers and the cells of a B-tree page; nothing for pages of other kinds. */
const unusedWithin = (page: Buffer, isFirst: boolean, usable: number): Range | undefined => {
  const at = isFirst ? FILE_HEADER_BYTES : 0
  const headerBytes = HEADER_BYTES.get(page.readUInt8(at))
  if (headerBytes === undefined) return undefined
  const start = at + headerBytes + 2 * page.readUInt16BE(at + 3)
  // 65,536 does not fit, and is written as 0.
  const end = page.readUInt16BE(at + 5) || 65_536
  return start < end && end <= usable ? { start, end } : undefined
}

/** As many zeros as a page can have. */
const ZEROS = Buffer.alloc(65_536)

const isZero = (bytes: Buffer): boolean => bytes.equals(ZEROS.subarray(0, bytes.length))

/** The ranges of a chunk of whole pages that mean nothing and are not zero. */
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

/** A page of the list of free pages, and those that it lists. */
interface Trunk {
  readonly unused: Range
  readonly leaves: ReadonlyArray<number>
}

/** The list of free pages: a read for each thousand. To be walked while nobody writes. */
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

/** A database file under work. */
class UnusedBytes {
  readonly #filename: string
  readonly #db: DatabaseSync
  /**
   * Closed by the end of the process only: that gives up all locks that it has on the file, those of `#db`
   * included.
   */
  readonly #fd: number

  constructor(filename: string) {
    this.#filename = filename
    this.#db = new DatabaseSync(filename, { timeout: LOCK_MILLIS })
    this.#fd = openSync(filename, "r+")
  }

  /** Overwrites the free pages that are not zero, and then what is left over on all others. */
  async overwriteAll(): Promise<void> {
    // Once this was done, the file itself, without its log, has all that rows which are gone may have left
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
      // Without the lock first: a page that is just being written may be misread, and is read again if it
      // seems to need anything.
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
      const helping = filled.slice(at, at + FREE_PAGES)
      await this.#whileStill(() => {
        const free = new Set(freeList(this.#fd, readLayout(this.#fd)).flatMap(({ leaves }) => leaves))
        this.#overwrite(helping.filter((page) => free.has(page)).map(range))
      })
    }
  }

  #isZero({ start, end }: Range): boolean {
    return isZero(readRange(this.#fd, start, end - start))
  }

  #overwrite(ranges: ReadonlyArray<Range>): void {
    for (const { start, end } of ranges) writeSync(this.#fd, ZEROS, 0, end - start, start)
  }

  /** Runs it while nobody can write and the log is empty; waits until that can be. */
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
      // A change, so that whoever has read pages since the log was emptied, with what is overwritten now,
      // reads them again before writing.
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
 * Overwrites what rows that are gone have left behind in a file, and empties its write-ahead log. Others may
 * read and write meanwhile; they wait for some tens of milliseconds at a time. Costs reading the file once:
 * about half a second a GB that is in memory. Rejects when the file is in use by somebody for a quarter of an
 * hour without a pause. May be interrupted at any moment.
 *
 * For a process that has the file open in no other way, and that ends afterwards.
 */
export const overwriteUnused = (filename: string): Promise<void> => new UnusedBytes(filename).overwriteAll()
