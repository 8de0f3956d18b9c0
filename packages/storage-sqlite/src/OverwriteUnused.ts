/**
 * Zeros over whatever a file of SQLite holds beside its rows.
 *
 * `secure_delete` overwrites a row where it is when it is deleted. But when a B-tree splits or joins pages, a row that moves leaves a copy
 * in the unused space of the page that it was on, where nobody overwrites it. `VACUUM` would make a file without them, at the price of
 * writing all of it twice under one lock, and of room for as much; this reads the file once, some MiB at a time.
 *
 * The file is written past SQLite, only where the format gives bytes no meaning (https://www.sqlite.org/fileformat2.html), and only
 * while the write lock is held and the write-ahead log is empty: then nobody else writes to the file, and what it says is what is so.
 */
import { fstatSync, fsyncSync, openSync, readSync, statSync, writeSync } from "node:fs"
import { Effect } from "effect"
import { transaction } from "./Append.ts"
import { open, type SqliteDatabase } from "./SqliteClient.ts"

/** Bytes that are read, and may be overwritten, while the lock is held once: some 10 ms. */
const CHUNK_BYTES = 16 * 1024 * 1024

/** How often the write-ahead log may be found filled anew. */
const ATTEMPTS = 200
const PAUSE = "20 millis"

/** From this many pages on, the first byte of an overflow page, of the number of the next one, may look like the type of a B-tree page. */
const MAX_PAGES = 0x02_00_00_00

/** Bytes of the header in front of the cell pointers, by the type of a B-tree page: interior and leaf, of indexes and of tables. */
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

const descriptors = new Map<string, number>()

/**
 * A descriptor of SQLite's file that is never closed: closing any gives up all locks that this process has on the file, those of SQLite's
 * own included (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
 */
const descriptorOf = (filename: string): number => {
  const { dev, ino } = statSync(filename, { bigint: true })
  const key = `${dev}:${ino}`
  const known = descriptors.get(key)
  if (known !== undefined) return known
  const fd = openSync(filename, "r+")
  descriptors.set(key, fd)
  return fd
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

/** Free pages that are not zero, and the ends of the trunk pages that list them. */
const freePages = (fd: number, { pageSize, usable, firstTrunk }: Layout): ReadonlyArray<Range> => {
  const ranges: Array<Range> = []
  const keep = (start: number, end: number) => {
    if (!isZero(readRange(fd, start, end - start))) ranges.push({ start, end })
  }
  for (let trunk = firstTrunk; trunk !== 0; ) {
    const at = (trunk - 1) * pageSize
    const page = readRange(fd, at, pageSize)
    const count = page.readUInt32BE(4)
    keep(at + 8 + 4 * count, at + usable)
    for (let index = 0; index < count; index++) {
      const leaf = (page.readUInt32BE(8 + 4 * index) - 1) * pageSize
      keep(leaf, leaf + usable)
    }
    trunk = page.readUInt32BE(0)
  }
  return ranges
}

const overwrite = (fd: number, ranges: ReadonlyArray<Range>): void => {
  for (const { start, end } of ranges) writeSync(fd, ZEROS, 0, end - start, start)
}

const emptyLog = ({ prepare }: SqliteDatabase): void => {
  prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()
}

/** Overwrites what `find` finds while nobody else can write; false when somebody just has. */
const overwriteLocked = (
  database: SqliteDatabase,
  filename: string,
  fd: number,
  find: () => ReadonlyArray<Range>
): boolean => {
  emptyLog(database)
  return transaction(database, () => {
    if ((statSync(`${filename}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return false
    // A change, so that whoever has read pages since the log was emptied, with what is overwritten now, reads them again before writing them.
    const version = database.prepare("PRAGMA user_version").get()?.user_version
    database.db.exec(`PRAGMA user_version = ${version}`)
    overwrite(fd, find())
    return true
  })
}

/** A failure of the database or of the file, as it is. */
const attempt = <A>(f: () => A) => Effect.try({ try: f, catch: (cause) => cause })

const overwriteWhenQuiet = Effect.fnUntraced(function* (
  database: SqliteDatabase,
  filename: string,
  fd: number,
  find: () => ReadonlyArray<Range>
) {
  for (let count = 0; count < ATTEMPTS; count++) {
    if (yield* attempt(() => overwriteLocked(database, filename, fd, find))) return
    yield* Effect.sleep(PAUSE)
  }
  return yield* Effect.fail(new Error(`${filename} was written to all the time`))
})

/**
 * Overwrites what rows that are gone have left behind in a file, and empties its write-ahead log. Others may read and write meanwhile;
 * they wait for some milliseconds at a time. Costs reading the file once: about half a second a GB that is in memory.
 */
export const overwriteUnused = (filename: string) =>
  Effect.gen(function* () {
    // A connection of its own, which keeps no pages: what is overwritten in the file is not in its memory either.
    const database = yield* Effect.acquireRelease(
      attempt(() => open({ filename })),
      ({ db }) => Effect.sync(() => db.close())
    )
    const fd = yield* attempt(() => descriptorOf(filename))
    const overwriteAll = (find: () => ReadonlyArray<Range>) =>
      overwriteWhenQuiet(database, filename, fd, find)
    // After this the file itself, without its log, has all that rows which are gone may have left anywhere.
    yield* overwriteAll(() => freePages(fd, readLayout(fd)))
    const { size } = fstatSync(fd)
    for (let at = 0; at < size; at += CHUNK_BYTES) {
      const find = () => leftovers(readRange(fd, at, CHUNK_BYTES), at, readLayout(fd))
      // Without the lock first: a page that is just being written may be misread, and is read again if it seems to need anything.
      if ((yield* attempt(find)).length > 0) yield* overwriteAll(find)
      yield* Effect.yieldNow
    }
    yield* attempt(() => {
      emptyLog(database)
      fsyncSync(fd)
    })
  }).pipe(Effect.scoped)
