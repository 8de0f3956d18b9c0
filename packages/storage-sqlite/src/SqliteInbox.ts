/** The inbox on SQLite, with group commit. */

import { BEFORE_FIRST_EVENT } from "@cairn/core/consumer"
import { type CalendarMonth, monthOf } from "@cairn/core/encoding"
import {
  type AcceptRequest,
  acceptingBy,
  type CountedOutcome,
  EventUsage,
  Inbox,
  InboxFull,
  type PendingEvent,
  QuotaReached,
  type StorageUnavailable,
  StoreWait
} from "@cairn/core/log"
import { decodeEvents, encodeEvents, unavailable } from "@cairn/storage-sql"
import { Effect, Exit, Layer, Option } from "effect"
import { FilesChanged } from "./Append.ts"
import { beginSoon, makeGroupCommit, type Outcome } from "./GroupCommit.ts"
import { idempotencyKeys } from "./IdempotencyKeys.ts"
import { SqliteFiles } from "./SqliteFiles.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** Settings of the inbox. */
export interface SqliteInboxConfig {
  /** Most events that may wait. Beyond it, accepting fails until the sequencer has caught up. */
  readonly capacity: number
}

/** Most events of one commit, so that no turn of the event loop is long. */
const MAX_COMMIT = 500

type Accepted = Outcome<ReadonlyArray<CountedOutcome>, InboxFull>

/** A request, or a probe, which writes though nothing is new. */
type Job = AcceptRequest | "probe"

const sizeOf = (job: Job): number => (job === "probe" ? 0 : job.events.length)

/** How many new events of each workspace and month a transaction has; all are written once, at its end. */
class CountedEvents {
  readonly #counts = new Map<number, Map<CalendarMonth, number>>()

  of(workspace: number, month: CalendarMonth): number {
    return this.#counts.get(workspace)?.get(month) ?? 0
  }

  add(workspace: number, month: CalendarMonth, events: number): void {
    const counts = this.#counts.get(workspace) ?? new Map<CalendarMonth, number>()
    counts.set(month, (counts.get(month) ?? 0) + events)
    this.#counts.set(workspace, counts)
  }

  /** Gives each count, and begins anew. */
  take(each: (workspace: number, month: CalendarMonth, events: number) => void): void {
    for (const [workspace, counts] of this.#counts)
      for (const [month, events] of counts) each(workspace, month, events)
    this.clear()
  }

  clear(): void {
    this.#counts.clear()
  }
}

/** The inbox. */
export const layer = ({ capacity }: SqliteInboxConfig) =>
  Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const { inbox } = yield* SqliteFiles
      const numbers = yield* WorkspaceNumbers
      const waited = yield* StoreWait
      const { db, prepare } = inbox.database

      const keys = idempotencyKeys(inbox.database)
      const insertRow = prepare(
        "INSERT INTO inbox (workspace, accepted_at, event_count, events) VALUES (?, ?, ?, ?)"
      )
      const readUsage = prepare("SELECT events FROM event_usage WHERE workspace = ? AND month = ?")
      const addUsage = prepare(`
        INSERT INTO event_usage (workspace, month, events) VALUES (?, ?, ?)
        ON CONFLICT (workspace, month) DO UPDATE SET events = events + excluded.events`)
      const addWaiting = prepare("UPDATE state SET waiting = waiting + ?")
      const readState = prepare("SELECT waiting, EXISTS (SELECT 1 FROM repair) AS repair FROM state")
      const knowLog = prepare(
        "INSERT INTO log_seen (workspace, workspace_id, sequence, event_hash) VALUES (?, ?, ?, NULL) ON CONFLICT DO NOTHING"
      )

      const depth = (): number => Number(readState.get()?.waiting ?? 0)

      /**
       * The depth, in a transaction that accepts. Keys are not used until they were compared with the log.
       */
      const depthToAccept = (): number => {
        const state = readState.get()
        if (Number(state?.repair) !== 0) throw new FilesChanged()
        return Number(state?.waiting ?? 0)
      }

      /** The new events of the open transaction. */
      const counted = new CountedEvents()

      /** Logs that the inbox certainly has records of. */
      const known = new Set<number>()

      /** The number may belong to another workspace in an older log: the inbox stores whose it was. */
      const know = (workspace: number, workspaceId: string): void => {
        if (known.has(workspace)) return
        knowLog.run(workspace, workspaceId, BEFORE_FIRST_EVENT)
        known.add(workspace)
      }

      /** Claims the event's key; returns the id of the event that already has it, if there is one. */
      const holderOf = (
        workspace: number,
        request: AcceptRequest,
        event: PendingEvent
      ): string | undefined => {
        const { idempotencyKey: key } = event
        if (key === null) return undefined
        const { acceptedAt, keysExpireBefore } = request
        return keys.claim(workspace, key, { id: event.id, acceptedAt }, keysExpireBefore)
      }

      /**
       * How many of a request's events would be new. Only computed if the room is short, because it costs a
       * look-up for each key.
       */
      const countFresh = ({ workspaceId, events, keysExpireBefore }: AcceptRequest): number => {
        const workspace = numbers.number(workspaceId) ?? null
        return events.filter(
          ({ idempotencyKey: key }) =>
            key === null || keys.holder(workspace, key, keysExpireBefore) === undefined
        ).length
      }

      /** The event that already has this one's key; looked up before a claim if a claim may not be made. */
      const heldBy = (
        workspace: number,
        { keysExpireBefore }: AcceptRequest,
        { idempotencyKey: key }: PendingEvent
      ): string | undefined => (key === null ? undefined : keys.holder(workspace, key, keysExpireBefore))

      /** Writes one request within the open transaction. */
      const write = (request: AcceptRequest): ReadonlyArray<CountedOutcome> => {
        const workspace = numbers.number(request.workspaceId)
        if (workspace === undefined) throw new Error(`there is no workspace ${request.workspaceId}`)
        const { acceptedAt, isCounted = true } = request
        const quota = isCounted ? (request.quota ?? null) : null
        const month = monthOf(acceptedAt)
        const room =
          quota === null
            ? Number.POSITIVE_INFINITY
            : quota - Number(readUsage.get(workspace, month)?.events ?? 0) - counted.of(workspace, month)
        const fresh: Array<PendingEvent> = []
        const outcomes = request.events.map((event): CountedOutcome => {
          const full = quota !== null && fresh.length >= room
          const holder = full ? heldBy(workspace, request, event) : holderOf(workspace, request, event)
          if (holder !== undefined) return { id: holder, duplicate: true }
          if (full) return new QuotaReached({ quota, month })
          fresh.push(event)
          return { id: event.id, duplicate: false }
        })
        if (fresh.length > 0) {
          know(workspace, request.workspaceId)
          insertRow.run(workspace, acceptedAt, fresh.length, encodeEvents(fresh))
          if (isCounted) counted.add(workspace, month, fresh.length)
        }
        return outcomes
      }

      /** One commit; either all of it happened or none. */
      const commit = (jobs: ReadonlyArray<Job>): ReadonlyArray<Accepted> => {
        beginSoon(inbox.database)
        try {
          const before = depthToAccept()
          keys.begin()
          let added = 0
          const exits = jobs.map((job): Accepted => {
            if (job === "probe") return Exit.succeed([])
            const room = capacity - before - added
            if (job.events.length > room && countFresh(job) > room) {
              return Exit.fail(new InboxFull({ depth: before + added, capacity }))
            }
            const outcomes = write(job)
            for (const outcome of outcomes) if ("duplicate" in outcome && !outcome.duplicate) added++
            return Exit.succeed(outcomes)
          })
          counted.take((workspace, month, events) => addUsage.run(workspace, month, events))
          if (added > 0 || jobs.includes("probe")) addWaiting.run(added)
          db.exec("COMMIT")
          return exits
        } catch (error) {
          known.clear()
          counted.clear()
          if (db.isTransaction) db.exec("ROLLBACK")
          throw error
        }
      }

      const operation = "accept events"
      const commitSoon = makeGroupCommit({ operation, commit, sizeOf, most: MAX_COMMIT, waited })
      const probe = Effect.callback<unknown, InboxFull | StorageUnavailable>((resume) =>
        commitSoon("probe", resume)
      )

      const find = (workspaceId: string, eventId: string) =>
        inbox
          .use("find a waiting event", () => {
            const workspace = numbers.number(workspaceId)
            if (workspace === undefined) return Option.none()
            // An id is a line of its own (see InboxRows), which cannot occur within another event: JSON has
            // no line breaks.
            const row = prepare(
              "SELECT accepted_at, events FROM inbox WHERE workspace = ? AND instr(char(10) || events, ?) > 0 LIMIT 1"
            ).get(workspace, `\n${eventId}\n`)
            const events = row === undefined ? [] : decodeEvents(String(row.events))
            const offset = events.findIndex(({ id }) => id === eventId)
            const event = events[offset]
            return event === undefined
              ? Option.none()
              : Option.some({ event, acceptedAt: Number(row?.accepted_at), offset })
          })
          .pipe(unavailable("find a waiting event"))

      return Inbox.of({
        accept: acceptingBy(commitSoon),
        find,
        depth: inbox.use("read the inbox's depth", depth).pipe(unavailable("read the inbox's depth")),
        probe: probe.pipe(Effect.catchTag("InboxFull", Effect.die), Effect.asVoid)
      })
    })
  )

/** The counts. */
export const layerUsage = Layer.effect(
  EventUsage,
  Effect.gen(function* () {
    const { inbox } = yield* SqliteFiles
    const numbers = yield* WorkspaceNumbers
    const { prepare } = inbox.database
    return EventUsage.of({
      accepted: (workspaceId, month) =>
        inbox
          .use("read a month's events", () => {
            const row = prepare("SELECT events FROM event_usage WHERE workspace = ? AND month = ?").get(
              numbers.number(workspaceId) ?? null,
              month
            )
            return Number(row?.events ?? 0)
          })
          .pipe(unavailable("read a month's events"))
    })
  })
)
