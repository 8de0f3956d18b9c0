import { monthOf } from "@cairn/core/encoding"
import {
  type AcceptExit,
  type AcceptRequest,
  acceptingBy,
  type CountedOutcome,
  EventUsage,
  Inbox,
  InboxFull,
  type InboxRow,
  LogClosed,
  type PendingEvent,
  QuotaReached
} from "@cairn/core/log"
import { Effect, Exit, Layer, Option } from "effect"
import { MemoryTables } from "./MemoryTables.ts"

/** Runs something in a later turn, as a disk does: without a timer's millisecond, but in browsers. */
const inLaterTurn = (run: () => void): void => {
  if (typeof setImmediate === "undefined") setTimeout(run, 0)
  else setImmediate(run)
}

const eventsIn = (rows: ReadonlyArray<InboxRow>): number =>
  rows.reduce((sum, row) => sum + row.events.length, 0)

/** The inbox, with room for this many events. */
export const layerInbox = (capacity: number) =>
  Layer.effect(
    Inbox,
    Effect.map(MemoryTables, ({ inbox, inboxes, workspaces }) => {
      let lastInboxId = 0

      const waitingEvents = (): number => {
        let depth = 0
        for (const { rows } of inboxes.values()) depth += eventsIn(rows)
        return depth
      }

      const accept = (request: AcceptRequest): AcceptExit => {
        const { workspaceId, acceptedAt, keysExpireBefore, isCounted = true, intoClosed = false } = request
        const closedAt = workspaces.get(workspaceId)?.closed_at ?? null
        if (closedAt !== null && !intoClosed) return Exit.fail(new LogClosed({ closedAt }))
        const quota = isCounted ? (request.quota ?? null) : null
        const table = inbox(workspaceId)
        const month = monthOf(acceptedAt)
        const used = table.usage.get(month) ?? 0
        const fresh: Array<PendingEvent> = []
        const outcomes = request.events.map((event): CountedOutcome => {
          const holder = event.idempotencyKey === null ? undefined : table.keys.get(event.idempotencyKey)
          if (holder !== undefined && !(keysExpireBefore !== null && holder.acceptedAt < keysExpireBefore)) {
            return { id: holder.eventId, duplicate: true }
          }
          if (quota !== null && used + fresh.length >= quota) return new QuotaReached({ quota, month })
          fresh.push(event)
          return { id: event.id, duplicate: false }
        })
        const depth = Number.isFinite(capacity) ? waitingEvents() : 0
        if (fresh.length === 0) return Exit.succeed(outcomes)
        if (depth + fresh.length > capacity) return Exit.fail(new InboxFull({ depth, capacity }))
        for (const { id, idempotencyKey } of fresh) {
          if (idempotencyKey !== null) table.keys.set(idempotencyKey, { eventId: id, acceptedAt })
        }
        if (isCounted) table.usage.set(month, used + fresh.length)
        table.rows.push({ inboxId: ++lastInboxId, acceptedAt, events: fresh })
        return Exit.succeed(outcomes)
      }

      const find = (workspaceId: string, eventId: string) =>
        Effect.sync(() => {
          for (const { acceptedAt, events } of inbox(workspaceId).rows) {
            const offset = events.findIndex(({ id }) => id === eventId)
            const event = events[offset]
            if (event !== undefined) return Option.some({ event, acceptedAt, offset })
          }
          return Option.none()
        })

      return Inbox.of({
        accept: acceptingBy((request, done) => {
          inLaterTurn(() => done(accept(request)))
        }),
        find,
        depth: Effect.sync(waitingEvents),
        oldest: Effect.sync(() => {
          const times = [...inboxes.values()].flatMap(({ rows }) => rows.map(({ acceptedAt }) => acceptedAt))
          return times.length === 0 ? Option.none() : Option.some(Math.min(...times))
        }),
        probe: Effect.void
      })
    })
  )

/** The usage of each month. */
export const layerEventUsage = Layer.effect(
  EventUsage,
  Effect.map(MemoryTables, ({ inbox }) =>
    EventUsage.of({
      accepted: (workspaceId, month) => Effect.sync(() => inbox(workspaceId).usage.get(month) ?? 0)
    })
  )
)
