/**
 * The segments of an owner: it appends to the newest, removes those whose events are all settled, and adopts
 * those of owners that are gone. Its methods run one at a time.
 *
 * Killed between any two steps, each event that was confirmed is in exactly one file, which its owner or an
 * adopter sends; what had been sent already is sent again, and the service knows it by its key.
 */
import { CairnError } from "../Errors.ts"
import type { Take } from "../PendingEvents.ts"
import type { PreparedEvent } from "../Prepared.ts"
import { type DeadLetters, damagedLetter } from "./DeadLetters.ts"
import { isDead, lockPlaces, type OwnerLock } from "./OwnerLock.ts"
import { type Entry, linesOf, Segment } from "./Segment.ts"
import { codeOf, type SpoolFiles, unlessMissing } from "./SpoolFiles.ts"
import { locksAmong, segmentPath, segmentsAmong } from "./SpoolNames.ts"

/** Most bytes of a segment before the next is begun, where the spool is large enough. */
const SEGMENT_BYTES = 4 * 1024 * 1024
/** How old a socket is before one that refuses is removed: it does between bind and listen, too. */
const STALE_MILLIS = 60_000

/** What segments are made with. */
export interface SegmentListOptions {
  readonly files: SpoolFiles
  /** A real path. */
  readonly folder: string
  readonly owner: string
  readonly lock: OwnerLock
  readonly letters: DeadLetters
  readonly maxBytes: number
  readonly now: () => number
}

export class SegmentList {
  readonly #options: SegmentListOptions
  readonly #segmentBytes: number
  /** Oldest first, the one that is written last. */
  #all: ReadonlyArray<Segment> = []
  /** Those whose file somebody has removed, and whose events are to be written again. */
  #lost: ReadonlyArray<Segment> = []
  #number = 0
  #adopted = 0
  #damaged = 0
  #hasLeftSome = false
  #left = 0

  constructor(options: SegmentListOptions) {
    this.#options = options
    this.#segmentBytes = Math.min(SEGMENT_BYTES, options.maxBytes / 16)
  }

  /** Bytes on the disk. */
  get bytes(): number {
    return this.#all.reduce((sum, { length }) => sum + length, 0)
  }

  /** Events that are not settled. */
  get unsettled(): number {
    return this.#all.reduce((sum, { unsettled }) => sum + unsettled, 0)
  }

  /** Segments that were adopted. */
  get adopted(): number {
    return this.#adopted
  }

  /** Segments of owners that are gone which this process may not have, such as those of another user. */
  get left(): number {
    return this.#left
  }

  /** Records that could not be read. */
  get damaged(): number {
    return this.#damaged
  }

  /** Whether an owner that is gone has left more than there was room for. */
  get hasLeftSome(): boolean {
    return this.#hasLeftSome
  }

  /** Appends events, and resolves once they are on the disk, under a name that is this owner's. */
  async append(events: ReadonlyArray<PreparedEvent>): Promise<void> {
    const lines = linesOf(events)
    for (let tries = 0; tries < 3; tries++) {
      const segment = await this.#newest()
      const homeless = this.#lost.flatMap((lost) => lost.left())
      await segment.append(linesOf(homeless.map(({ event }) => event)) + lines)
      // A process that adopts it after this finds the events in it.
      if (await segment.isInPlace()) {
        segment.takeOver(homeless)
        this.#forget(this.#lost)
        this.#lost = []
        segment.enter(events)
        return
      }
      await segment.abandon()
      this.#lost = [...this.#lost, segment]
      await this.#options.lock.keep()
    }
    throw new CairnError("files of the spool are removed again and again")
  }

  /** The oldest events that wait, one of each key that is not taken. Fails where none can be read. */
  async take({ count, bytes }: Take, isTaken: (key: string) => boolean): Promise<ReadonlyArray<Entry>> {
    const taken: Array<Entry> = []
    const keys = new Set<string>()
    let size = 0
    let failure: unknown
    for (const segment of this.#all) {
      if (segment.isSettled) continue
      try {
        if (!(await this.#load(segment))) continue
      } catch (error) {
        failure = error
        continue
      }
      for (const entry of segment.waiting()) {
        const { key } = entry.event
        if (keys.has(key) || isTaken(key)) continue
        if (taken.length > 0 && (taken.length >= count || size + entry.bytes > bytes)) return taken
        size += entry.bytes
        taken.push(entry)
        keys.add(key)
      }
    }
    if (taken.length === 0 && failure !== undefined) throw failure
    return taken
  }

  /** Says that entries are settled: the service has them, or they are in the dead letters. */
  async settle(entries: ReadonlyArray<Entry>): Promise<void> {
    const keys = new Map<Segment, Array<string>>()
    for (const entry of entries) {
      entry.segment.settle(entry)
      const of = keys.get(entry.segment)
      if (of === undefined) keys.set(entry.segment, [entry.event.key])
      else of.push(entry.event.key)
    }
    for (const [segment, settled] of keys) if (!this.#isRemovable(segment)) await segment.mark(settled)
    await this.clean()
  }

  /** Removes segments whose events are all settled. What cannot be removed is tried again next time. */
  async clean(): Promise<void> {
    const removed: Array<Segment> = []
    for (const segment of this.#all.filter((each) => this.#isRemovable(each))) {
      try {
        const { letters, now } = this.#options
        await letters.append(segment.damaged.map((line) => damagedLetter(line, now())))
        await unlessMissing(segment.remove())
        removed.push(segment)
      } catch {
        // Its events would be sent again, which is harmless; its damaged lines must not get lost.
      }
    }
    if (removed.length === 0) return
    this.#forget(removed)
    await this.#options.files.syncFolder(this.#options.folder).catch(() => {})
  }

  /** Takes over the segments of owners that are gone, as long as less than half of the room is used. */
  async adopt(): Promise<ReadonlyArray<Segment>> {
    const { files, folder, owner, now } = this.#options
    const names = await files.list(folder)
    const found = segmentsAmong(folder, names)
    const others = new Set(found.map((segment) => segment.owner))
    others.delete(owner)
    const adopted: Array<Segment> = []
    this.#hasLeftSome = false
    this.#left = 0
    for (const other of others) {
      if (!(await isDead(folder, other))) continue
      let isLeft = false
      for (const { path } of found.filter((segment) => segment.owner === other)) {
        const segment = await this.#adoptOne(path)
        if (segment === "no room") isLeft = true
        else if (segment === "no right") this.#left++
        else if (segment !== undefined) adopted.push(segment)
      }
      this.#hasLeftSome ||= isLeft
      if (!isLeft) for (const place of lockPlaces(folder, other)) await files.unlink(place).catch(() => {})
    }
    for (const lock of locksAmong(folder, names)) {
      if (lock.owner === owner || others.has(lock.owner)) continue
      const state = await files.stat(lock.path).catch(() => undefined)
      if (state === undefined || now() - state.modified < STALE_MILLIS) continue
      if (await isDead(folder, lock.owner)) await files.unlink(lock.path).catch(() => {})
    }
    if (adopted.length > 0) await files.syncFolder(folder).catch(() => {})
    return adopted
  }

  /** Counts the events of a segment that was adopted. */
  async count(segment: Segment): Promise<void> {
    await this.#load(segment)
    segment.unload()
  }

  /** Ends: what is settled is removed, what is not stays for an adopter. */
  async close(): Promise<void> {
    for (const segment of this.#all) await segment.seal().catch(() => {})
    await this.clean()
  }

  async #newest(): Promise<Segment> {
    const { files, folder, owner } = this.#options
    const last = this.#all.at(-1)
    if (last?.isWritable) {
      if (last.length < this.#segmentBytes) return last
      await last.seal()
    }
    await this.clean()
    const path = segmentPath(folder, owner, ++this.#number)
    const segment = await Segment.create(files, folder, path)
    this.#all = [...this.#all, segment]
    return segment
  }

  async #adoptOne(path: string): Promise<Segment | "no room" | "no right" | undefined> {
    const { files, folder, owner, maxBytes } = this.#options
    const state = await unlessMissing(files.stat(path))
    if (state === undefined) return undefined
    const { bytes } = this
    if (bytes > 0 && bytes + state.size > maxBytes / 2) return "no room"
    const to = segmentPath(folder, owner, ++this.#number)
    try {
      // What cannot be read keeps its name, for a process that can.
      await (await files.open(path)).close()
      // Of several who try, one succeeds.
      await files.rename(path, to)
    } catch (error) {
      return codeOf(error) === "ENOENT" ? undefined : "no right"
    }
    const segment = Segment.existing(files, to, state.size)
    const at = this.#all.at(-1)?.isWritable ? this.#all.length - 1 : this.#all.length
    this.#all = this.#all.toSpliced(at, 0, segment)
    this.#adopted++
    return segment
  }

  /** Whether the segment is in memory; `false` where somebody else has it. */
  async #load(segment: Segment): Promise<boolean> {
    const before = segment.damaged.length
    if ((await unlessMissing(segment.load().then(() => true))) === undefined) {
      this.#forget([segment])
      return false
    }
    this.#damaged += segment.damaged.length - before
    return true
  }

  #isRemovable(segment: Segment): boolean {
    return segment.isSettled && (!segment.isWritable || segment.length >= this.#segmentBytes / 16)
  }

  #forget(segments: ReadonlyArray<Segment>): void {
    this.#all = this.#all.filter((segment) => !segments.includes(segment))
    this.#lost = this.#lost.filter((segment) => !segments.includes(segment))
  }
}
