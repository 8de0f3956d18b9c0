/**
 * What one process has seen of the database: the newest timeline, which its threads share, where each log
 * ended, and which losses were accepted.
 */
import type { Head, Loss } from "@cairn/core/log"
import type { AcceptedLoss, NotedLoss, Seen } from "./LossRows.ts"

/** The memory of one thread. */
export class SeenMemory {
  readonly #timeline: BigInt64Array
  /** Those that were seen last come last. */
  readonly #heads = new Map<string, Seen>()
  readonly #floors = new Map<string, number>()
  readonly #acceptances = new Set<string>()
  readonly #told = new Set<string>()

  /** Eight bytes for the newest timeline that any thread has seen; 0 before the first. */
  constructor(timeline: SharedArrayBuffer) {
    this.#timeline = new BigInt64Array(timeline)
  }

  /** The newest timeline that was seen; 0 before the first, and after a loss that names it was accepted. */
  get newest(): number {
    return Number(Atomics.load(this.#timeline, 0))
  }

  seeTimeline(timeline: number | null): void {
    if (timeline !== null && timeline > this.newest) Atomics.store(this.#timeline, 0, BigInt(timeline))
  }

  /** Where each log ended; those that were seen last come last. */
  get heads(): ReadonlyArray<Seen> {
    return Array.from(this.#heads.values())
  }

  /** Where a log ended; undefined if it was not seen. */
  head(workspaceId: string): Seen | undefined {
    return this.#heads.get(workspaceId)
  }

  /** Records where a log ended. What was seen is forgotten only if its loss is accepted. */
  see(workspaceId: string, { sequence, eventHash }: Head, timeline: number | null): void {
    const before = this.#heads.get(workspaceId)
    if (before !== undefined && before.sequence >= sequence) return
    this.#heads.delete(workspaceId)
    this.#heads.set(workspaceId, { workspaceId, timeline, sequence, eventHash })
  }

  /** The former size of each log with an accepted loss. */
  get floors(): ReadonlyMap<string, number> {
    return this.#floors
  }

  /** The acceptances that this process has applied. */
  get acceptances(): ReadonlySet<string> {
    return this.#acceptances
  }

  /** Whether this is an acceptance that was not applied yet. */
  isNews(acceptance: string | null): boolean {
    return acceptance !== null && !this.#acceptances.has(acceptance)
  }

  /**
   * Applies accepted losses: of what is missing in the database, what they cover no longer counts as seen.
   */
  accept(accepted: ReadonlyArray<AcceptedLoss>, missing: ReadonlyArray<Seen>): void {
    const covered = new Map<string, number>()
    let timeline = 0
    for (const { workspace_id, seen_timeline, seen_sequence, furthest, acceptance } of accepted) {
      this.#acceptances.add(acceptance)
      timeline = Math.max(timeline, seen_timeline ?? 0)
      if (workspace_id === null) continue
      covered.set(workspace_id, Math.max(covered.get(workspace_id) ?? 0, seen_sequence ?? 0))
      this.#floors.set(workspace_id, Math.max(this.#floors.get(workspace_id) ?? 0, furthest ?? 0))
    }
    for (const seen of missing) {
      const isCovered = (covered.get(seen.workspaceId) ?? 0) >= seen.sequence
      if (isCovered && this.#heads.get(seen.workspaceId) === seen) this.#heads.delete(seen.workspaceId)
    }
    if (accepted.length > 0 && timeline >= this.newest) Atomics.store(this.#timeline, 0, 0n)
    this.#told.clear()
  }

  /**
   * Whether this was not reported yet, as it is from now on. After losses are accepted it may be reported
   * again.
   */
  tellOnce(report: string): boolean {
    if (this.#told.has(report)) return false
    this.#told.add(report)
    return true
  }

  /** That what was seen is missing, and what was found instead. */
  lossOf(seen: Seen, found: Loss["found"]): NotedLoss {
    return {
      workspace_id: seen.workspaceId,
      seen: { timeline: seen.timeline, sequence: seen.sequence, event_hash: seen.eventHash },
      found,
      furthest: Math.max(seen.sequence, this.#floors.get(seen.workspaceId) ?? 0)
    }
  }

  /** That the database is on this timeline, which is older than the newest that was seen. */
  olderTimeline(timeline: number): NotedLoss {
    return {
      workspace_id: null,
      seen: { timeline: this.newest, sequence: null, event_hash: null },
      found: { timeline, sequence: null, event_hash: null },
      furthest: null
    }
  }
}
