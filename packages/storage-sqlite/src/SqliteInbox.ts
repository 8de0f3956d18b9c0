/** The inbox on SQLite, with group commit. */

import { type AcceptFailure, acceptingBy, EventUsage, Inbox, StoreWait } from "@cairn/core/log"
import { decodeEvents, unavailable } from "@cairn/storage-sql"
import { Effect, Layer, Option } from "effect"
import { countWaiting, type Job, makeCommit } from "./Accept.ts"
import { makeGroupCommit } from "./GroupCommit.ts"
import type { Preparing } from "./SqliteClient.ts"
import { SqliteFiles } from "./SqliteFiles.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** Settings of the inbox. */
export interface SqliteInboxConfig {
  /** Most events that may wait. Beyond it, accepting fails until the sequencer has caught up. */
  readonly capacity: number
}

/** Most events of one commit, so that no turn of the event loop is long. */
const MAX_COMMIT = 500

const sizeOf = (job: Job): number => (job === "probe" ? 0 : job.events.length)

/** A waiting event by id. */
const findWaiting = ({ prepare }: Preparing, workspace: number, eventId: string) => {
  // An id is a line of its own (see InboxRows), which cannot occur within another event: JSON has no line
  // breaks.
  const row = prepare(
    "SELECT accepted_at, events FROM inbox WHERE workspace = ? AND instr(char(10) || events, ?) > 0 LIMIT 1"
  ).get(workspace, `\n${eventId}\n`)
  const events = row === undefined ? [] : decodeEvents(String(row.events))
  const offset = events.findIndex(({ id }) => id === eventId)
  const event = events[offset]
  return event === undefined
    ? Option.none()
    : Option.some({ event, acceptedAt: Number(row?.accepted_at), offset })
}

/** When the first of the waiting rows was accepted. */
const oldestWaiting = ({ prepare }: Preparing): Option.Option<number> =>
  Option.map(
    Option.fromNullishOr(prepare("SELECT accepted_at FROM inbox ORDER BY id LIMIT 1").get()),
    ({ accepted_at }) => Number(accepted_at)
  )

/** The inbox. */
export const layer = ({ capacity }: SqliteInboxConfig) =>
  Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const { inbox, log } = yield* SqliteFiles
      const numbers = yield* WorkspaceNumbers
      const waited = yield* StoreWait

      const commitSoon = makeGroupCommit({
        operation: "accept events",
        commit: makeCommit({ inbox: inbox.database, log: log.database, numbers, capacity }),
        sizeOf,
        most: MAX_COMMIT,
        waited
      })
      const probe = Effect.callback<unknown, AcceptFailure>((resume) => commitSoon("probe", resume))

      return Inbox.of({
        accept: acceptingBy(commitSoon),
        find: (workspaceId, eventId) =>
          inbox
            .use("find a waiting event", (database) => {
              const workspace = numbers.number(workspaceId)
              return workspace === undefined ? Option.none() : findWaiting(database, workspace, eventId)
            })
            .pipe(unavailable("find a waiting event")),
        depth: inbox.use("read the inbox's depth", countWaiting).pipe(unavailable("read the inbox's depth")),
        oldest: inbox.use("read the inbox's age", oldestWaiting).pipe(unavailable("read the inbox's age")),
        probe: probe.pipe(Effect.catchTag(["InboxFull", "LogClosed"], Effect.die), Effect.asVoid)
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
