/** A queue on disk, which a crash does not empty. */
import { realpath } from "node:fs/promises"
import { dirname } from "node:path"
import { CairnError, ClosedError, QueueFullError } from "../Errors.ts"
import type { PendingEvents, Take } from "../PendingEvents.ts"
import type { Outcome, PreparedEvent } from "../Prepared.ts"
import { type DeadLetter, DeadLetters } from "./DeadLetters.ts"
import { Exclusive } from "./Exclusive.ts"
import { type OwnerLock, takeLock } from "./OwnerLock.ts"
import { requeueDeadLetters } from "./Requeue.ts"
import type { Entry } from "./Segment.ts"
import { SegmentList } from "./SegmentList.ts"
import { nodeFiles, type SpoolFiles } from "./SpoolFiles.ts"
import { newOwner } from "./SpoolNames.ts"

const MIB = 1024 * 1024
/** Most bytes of one group commit, unless one event has more. */
const GROUP_BYTES = MIB

/** What a spool is opened with. */
export interface SpoolOptions {
  /** Its folder, on a local file system; made where it is missing. Several processes may share it. */
  readonly folder: string
  /** Most bytes on disk that this process adds to: 256 MiB; at least 1 MiB. */
  readonly maxBytes?: number | undefined
  /** Most bytes of the file of dead letters: 16 MiB. Beyond it the oldest stay and new ones are counted. */
  readonly maxDeadLetterBytes?: number | undefined
  /** How often files of processes that are gone are looked for, in milliseconds: 30,000. */
  readonly adoptEveryMillis?: number | undefined
  /** The file operations; those of the machine unless given. */
  readonly files?: SpoolFiles | undefined
  /** Milliseconds since 1970; the machine's unless given. */
  readonly now?: (() => number) | undefined
}

/** What a spool has seen since it was opened. */
export interface SpoolCounters {
  /** Files that were taken over from processes that are gone. */
  readonly adopted: number
  /** Files of processes that are gone which this one may not read or rename, and leaves where they are. */
  readonly left: number
  /** Records that could not be read; what is left of them goes to the dead letters. */
  readonly damaged: number
  /** Events in the dead letters. */
  readonly deadLetters: number
  /** Refused events for which the dead letters had no room. */
  readonly deadLettersDropped: number
}

/** An open spool: the queue of a `Cairn`. */
export interface Spool extends PendingEvents {
  readonly counters: SpoolCounters
  readonly watch: (listener: () => void) => void
  /**
   * Puts the dead letters back into the queue, to be sent. `left` counts the lines that stay in the file:
   * those that the queue has no room for, damaged records, and what cannot be read.
   */
  readonly requeue: () => Promise<{ readonly requeued: number; readonly left: number }>
}

/** An event that waits for its commit. */
interface Add {
  readonly event: PreparedEvent
  readonly bytes: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

class OpenSpool implements Spool {
  readonly #options: SpoolOptions & { readonly folder: string; readonly maxBytes: number }
  readonly #owner: string
  readonly #files: SpoolFiles
  readonly #lock: OwnerLock
  readonly #letters: DeadLetters
  readonly #segments: SegmentList
  readonly #disk = new Exclusive()
  readonly #requeues = new Exclusive()
  readonly #adds: Array<Add> = []
  /** What is taken, by its key: of two events with one key the second waits, its fate may be another. */
  readonly #taken = new Map<string, Entry>()
  readonly #rooms = new Set<{ readonly free: () => void; readonly fail: (error: unknown) => void }>()
  readonly #listeners: Array<() => void> = []
  /** Bytes of the events in `#adds` and in the commit that runs. */
  #reserved = 0
  #committing: Promise<void> | undefined
  #isFull = false
  #isClosed = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    options: SpoolOptions & { readonly folder: string; readonly maxBytes: number },
    owner: string,
    lock: OwnerLock
  ) {
    const { files = nodeFiles, folder, maxBytes, maxDeadLetterBytes = 16 * MIB, now = Date.now } = options
    this.#options = options
    this.#owner = owner
    this.#files = files
    this.#lock = lock
    this.#letters = new DeadLetters(files, folder, maxDeadLetterBytes)
    this.#segments = new SegmentList({ files, folder, owner, lock, letters: this.#letters, maxBytes, now })
  }

  get counters(): SpoolCounters {
    const { adopted, left, damaged } = this.#segments
    return {
      adopted,
      left,
      damaged,
      deadLetters: this.#letters.kept,
      deadLettersDropped: this.#letters.dropped
    }
  }

  async add(event: PreparedEvent): Promise<void> {
    if (this.#isClosed) throw new ClosedError("the spool is closed")
    const { maxBytes } = this.#options
    const bytes = Buffer.byteLength(event.json) + 10
    if (this.#segments.bytes + this.#reserved + bytes > maxBytes) {
      this.#isFull = true
      throw new QueueFullError(`the spool has ${maxBytes} bytes and no room for another event`)
    }
    this.#reserved += bytes
    return new Promise((resolve, reject) => {
      this.#adds.push({ event, bytes, resolve, reject })
      this.#committing ??= this.#commitAll()
    })
  }

  room(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      if (this.#isClosed) return reject(new ClosedError("the spool is closed"))
      if (!this.#isFull) return resolve()
      const end = () => {
        this.#rooms.delete(wait)
        signal.removeEventListener("abort", abort)
      }
      const wait = {
        free: () => {
          end()
          resolve()
        },
        fail: (error: unknown) => {
          end()
          reject(error)
        }
      }
      const abort = () => wait.fail(signal.reason)
      this.#rooms.add(wait)
      signal.addEventListener("abort", abort)
    })
  }

  take(limit: Take): Promise<ReadonlyArray<PreparedEvent>> {
    return this.#disk.run(async () => {
      const entries = await this.#segments.take(limit, (key) => this.#taken.has(key))
      for (const entry of entries) {
        entry.state = "taken"
        this.#taken.set(entry.event.key, entry)
      }
      return entries.map(({ event }) => event)
    })
  }

  settle(outcomes: ReadonlyArray<Outcome>): Promise<void> {
    return this.#disk.run(async () => {
      const before = this.#segments.bytes
      const isRefused = ({ status }: Outcome) => status === "refused"
      const done = outcomes.filter((outcome) => !isRefused(outcome))
      await this.#segments.settle(done.flatMap(({ key }) => this.#untake(key)))
      const refused = outcomes.filter(isRefused)
      if (refused.length > 0) await this.#bury(refused)
      if (this.#segments.bytes < before) this.#free()
    })
  }

  async release(events: ReadonlyArray<PreparedEvent>): Promise<void> {
    for (const { key } of events) for (const entry of this.#untake(key)) entry.state = "waiting"
  }

  size(): number {
    return this.#segments.unsettled
  }

  watch(listener: () => void): void {
    this.#listeners.push(listener)
  }

  requeue(): Promise<{ readonly requeued: number; readonly left: number }> {
    const { folder } = this.#options
    const parts = { files: this.#files, folder, owner: this.#owner, disk: this.#disk, letters: this.#letters }
    return this.#requeues.run(async () => {
      try {
        return await requeueDeadLetters({ ...parts, add: (event) => this.add(event) })
      } finally {
        this.#tell()
      }
    })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const { fail } of [...this.#rooms]) fail(new ClosedError("the spool is closed"))
    await this.#committing
    await this.#requeues.run(async () => {})
    await this.#disk.run(() => this.#segments.close())
    await this.#lock.release()
  }

  /** Adopts what owners that are gone have left, now and every so often. */
  async start(): Promise<void> {
    await this.#adopt()
    this.#later()
  }

  #later(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      const work = this.#disk.run(() => this.#lock.keep()).then(() => this.#adopt())
      // `add` and `take` report a disk that fails.
      void work.catch(() => {}).then(() => this.#later())
    }, this.#options.adoptEveryMillis ?? 30_000)
    this.#timer.unref()
  }

  async #adopt(): Promise<void> {
    const adopted = await this.#disk.run(async () => (this.#isClosed ? [] : this.#segments.adopt()))
    for (const segment of adopted) {
      // What cannot be read now is read when it is taken.
      await this.#disk.run(() => this.#segments.count(segment)).catch(() => {})
    }
    if (adopted.length === 0) return
    await this.#disk.run(() => this.#segments.clean())
    this.#tell()
  }

  /** Says that events came that the caller did not add. */
  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  async #commitAll(): Promise<void> {
    // All that is added in one turn shares a commit.
    await undefined
    while (this.#adds.length > 0) await this.#disk.run(() => this.#commit())
    this.#committing = undefined
  }

  /** One write and one fdatasync for all that wait. */
  async #commit(): Promise<void> {
    let bytes = 0
    let count = 0
    for (const add of this.#adds) {
      if (count > 0 && bytes + add.bytes > GROUP_BYTES) break
      bytes += add.bytes
      count++
    }
    const group = this.#adds.splice(0, count)
    try {
      await this.#segments.append(group.map(({ event }) => event))
      this.#reserved -= bytes
      for (const { resolve } of group) resolve()
    } catch (cause) {
      this.#reserved -= bytes
      const why = cause instanceof Error ? cause.message : String(cause)
      for (const { reject } of group) {
        reject(new CairnError(`the spool could not keep the event: ${why}`, { cause }))
      }
    }
  }

  /** Writes refused events to the dead letters, then settles them. Where that fails, they wait again. */
  async #bury(refused: ReadonlyArray<Outcome>): Promise<void> {
    const time = new Date((this.#options.now ?? Date.now)()).toISOString()
    const entries = refused.flatMap((outcome) =>
      this.#untake(outcome.key).map((entry) => ({ entry, outcome }))
    )
    const letters = entries.flatMap(({ entry: { event }, outcome }): ReadonlyArray<DeadLetter> => {
      if (outcome.status !== "refused") return []
      const request = outcome.requestId === undefined ? {} : { request_id: outcome.requestId }
      const body: DeadLetter["event"] = JSON.parse(event.json)
      return [{ time, key: event.key, ...request, refusal: outcome.refusal, ...(body && { event: body }) }]
    })
    try {
      await this.#letters.append(letters)
    } catch (error) {
      for (const { entry } of entries) entry.state = "waiting"
      throw error
    }
    await this.#segments.settle(entries.map(({ entry }) => entry))
  }

  #untake(key: string): ReadonlyArray<Entry> {
    const entry = this.#taken.get(key)
    this.#taken.delete(key)
    return entry === undefined ? [] : [entry]
  }

  #free(): void {
    this.#isFull = false
    for (const { free } of [...this.#rooms]) free()
    const { maxBytes } = this.#options
    if (this.#segments.hasLeftSome && this.#segments.bytes < maxBytes / 4) void this.#adopt().catch(() => {})
  }
}

/**
 * Opens a spool: a queue in files, for `new Cairn({ queue })`. An event that was added is on the disk before
 * `enqueue` resolves, and is sent after a crash by the next process that opens the folder. Rejects where the
 * folder cannot be used.
 *
 * @example
 * const queue = await openSpool({ folder: "/var/lib/shop/audit" })
 * const cairn = new Cairn({ url: "https://audit.example.com", apiKey, queue })
 */
export const openSpool = async (options: SpoolOptions): Promise<Spool> => {
  const { files = nodeFiles, maxBytes = 256 * MIB } = options
  if (!(maxBytes >= MIB)) throw new RangeError("maxBytes must be at least 1 MiB")
  await files.makeFolder(options.folder)
  const folder = await realpath(options.folder)
  await files.syncFolder(dirname(folder)).catch(() => {})
  const owner = newOwner()
  const lock = await takeLock(files, folder, owner)
  const spool = new OpenSpool({ ...options, folder, maxBytes }, owner, lock)
  try {
    await spool.start()
    return spool
  } catch (error) {
    await spool.close()
    throw error
  }
}
