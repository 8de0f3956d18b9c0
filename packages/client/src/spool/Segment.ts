/**
 * One file of a spool, as its owner sees it. Events are appended to the owner's newest segment alone; marks,
 * which say what is settled, to any. Nothing else changes in a segment until it is unlinked.
 */
import type { PreparedEvent } from "../Prepared.ts"
import { eventLine, markLine, readSegment } from "./SegmentLines.ts"
import type { SpoolFile, SpoolFiles } from "./SpoolFiles.ts"

/** An event in a spool. */
export interface Entry {
  readonly event: PreparedEvent
  /** Bytes of its JSON. */
  readonly bytes: number
  /** The segment that it is in. */
  segment: Segment
  state: "waiting" | "taken" | "settled"
}

/** Makes the entries of events. */
const entryOf = (event: PreparedEvent, segment: Segment): Entry => ({
  event,
  bytes: Buffer.byteLength(event.json),
  segment,
  state: "waiting"
})

export class Segment {
  readonly path: string
  readonly #files: SpoolFiles
  #file: SpoolFile | undefined
  /** Bytes that are confirmed, or were there when it was adopted. */
  #length: number
  /** Its events; `undefined` where only the disk has them. */
  #entries: Array<Entry> | undefined
  /** How many of them with each key are not settled. */
  readonly #left = new Map<string, number>()
  /** How many of its events are not settled; `undefined` where nobody has looked yet. */
  #unsettled: number | undefined
  /** Where the entries begin that may not be settled. */
  #first = 0
  /** Whether something that was never confirmed follows. */
  #hasTornEnd = false
  #isWritable: boolean
  #damaged: ReadonlyArray<string> = []

  private constructor(files: SpoolFiles, path: string, length: number, file: SpoolFile | undefined) {
    this.#files = files
    this.path = path
    this.#length = length
    this.#file = file
    this.#isWritable = file !== undefined
    if (file !== undefined) {
      this.#entries = []
      this.#unsettled = 0
    }
  }

  /** A new segment, whose name is on the disk when this resolves. */
  static async create(files: SpoolFiles, folder: string, path: string): Promise<Segment> {
    const file = await files.create(path)
    try {
      await files.syncFolder(folder)
    } catch (error) {
      await file.close()
      await files.unlink(path).catch(() => {})
      throw error
    }
    return new Segment(files, path, 0, file)
  }

  /** A segment that is there already. */
  static existing(files: SpoolFiles, path: string, length: number): Segment {
    return new Segment(files, path, length, undefined)
  }

  get length(): number {
    return this.#length
  }

  /** How many of its events are not settled; 1 where it could not be read, so that somebody tries again. */
  get unsettled(): number {
    return this.#unsettled ?? 1
  }

  /** Whether all of its events are settled. */
  get isSettled(): boolean {
    return this.#unsettled === 0
  }

  /** Whether it may get further events. */
  get isWritable(): boolean {
    return this.#isWritable
  }

  /** Lines that cannot be read, as far as it was read. */
  get damaged(): ReadonlyArray<string> {
    return this.#damaged
  }

  /** Its events that wait, oldest first, as far as they are in memory. */
  *waiting(): Iterable<Entry> {
    const entries = this.#entries ?? []
    while (entries[this.#first]?.state === "settled") this.#first++
    for (let at = this.#first; at < entries.length; at++) {
      const entry = entries[at]
      if (entry?.state === "waiting") yield entry
    }
  }

  /** Its events that are not settled, as far as they are in memory. */
  left(): ReadonlyArray<Entry> {
    return (this.#entries ?? []).filter(({ state }) => state !== "settled")
  }

  /**
   * Appends events, and resolves once they are on the disk. What fails leaves the segment as it was, or,
   * where the disk does not even allow that, as one that gets no further events.
   */
  async append(lines: string): Promise<void> {
    const file = await this.#open()
    const bytes = Buffer.from(lines)
    try {
      await file.write(bytes)
    } catch (error) {
      await this.#undo(file)
      throw error
    }
    try {
      await file.datasync()
    } catch (error) {
      // The system may have given up pages that it could not write: a later success would mean nothing.
      this.#isWritable = false
      await this.#undo(file)
      throw error
    }
    this.#length += bytes.length
  }

  /** Takes events in, after {@link append} has written them. */
  enter(events: ReadonlyArray<PreparedEvent>): void {
    this.takeOver(events.map((event) => entryOf(event, this)))
  }

  /** Takes in entries of a segment that is gone, after {@link append} has written them. */
  takeOver(entries: ReadonlyArray<Entry>): void {
    for (const entry of entries) {
      entry.segment = this
      this.#entries?.push(entry)
      this.#count(entry, 1)
    }
    this.#unsettled = this.unsettled + entries.length
  }

  /** Whether its path still leads to it: nobody has adopted or removed it. */
  async isInPlace(): Promise<boolean> {
    const file = await this.#open()
    const [own, found] = await Promise.all([file.stat(), this.#files.stat(this.path).catch(() => undefined)])
    return own.identity === found?.identity
  }

  /** Gets no further events. Its events leave memory, unless some are on their way. */
  async seal(): Promise<void> {
    this.#isWritable = false
    this.unload()
    await this.close()
  }

  /** Gets no further events, and keeps its events in memory: somebody has taken its file away. */
  async abandon(): Promise<void> {
    this.#isWritable = false
    await this.close()
  }

  /** Reads its events, unless they are in memory. Fails with `ENOENT` where somebody else has it. */
  async load(): Promise<void> {
    if (this.#entries !== undefined) return
    const bytes = await this.#files.read(this.path)
    const { waiting, damaged, wholeLength } = readSegment(bytes)
    this.#length = wholeLength
    this.#entries = waiting.map((event) => entryOf(event, this))
    for (const entry of this.#entries) this.#count(entry, 1)
    this.#first = 0
    this.#unsettled = waiting.length
    this.#damaged = damaged
    this.#hasTornEnd = wholeLength < bytes.length
  }

  /** Leaves its events to the disk, where none is on its way. */
  unload(): void {
    if (!this.#entries?.every(({ state }) => state === "waiting")) return
    this.#entries = undefined
    this.#left.clear()
  }

  /** Says that an entry is settled. */
  settle(entry: Entry): void {
    if (entry.state === "settled") return
    entry.state = "settled"
    this.#unsettled = this.unsettled - 1
    this.#count(entry, -1)
  }

  /**
   * Writes which events are settled, but for a key that others here have which are not: a mark settles them
   * all. A mark that is lost makes events be sent again, which is harmless.
   */
  async mark(settled: ReadonlyArray<string>): Promise<void> {
    const keys = settled.filter((key) => !this.#left.has(key))
    if (keys.length === 0) return
    try {
      const file = await this.#open()
      // If the process that wrote that end lives, it notices that the segment was adopted.
      if (this.#hasTornEnd) await this.#undo(file)
      if (this.#hasTornEnd) return
      const bytes = Buffer.from(markLine(keys))
      try {
        await file.write(bytes)
        this.#length += bytes.length
      } catch {
        await this.#undo(file)
      }
    } catch {
      // It is somebody else's, or cannot be opened.
    }
  }

  /** Removes it; a process that has adopted it keeps it. */
  async remove(): Promise<void> {
    await this.close()
    await this.#files.unlink(this.path)
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  #count({ event: { key } }: Entry, change: number): void {
    const left = (this.#left.get(key) ?? 0) + change
    if (left > 0) this.#left.set(key, left)
    else this.#left.delete(key)
  }

  async #open(): Promise<SpoolFile> {
    this.#file ??= await this.#files.open(this.path)
    return this.#file
  }

  /** Cuts off what a failed write has left. */
  async #undo(file: SpoolFile): Promise<void> {
    try {
      await file.truncate(this.#length)
      this.#hasTornEnd = false
    } catch {
      this.#isWritable = false
      this.#hasTornEnd = true
    }
  }
}

/** The lines of events, as {@link Segment.append} takes them. */
export const linesOf = (events: ReadonlyArray<PreparedEvent>): string => events.map(eventLine).join("")
