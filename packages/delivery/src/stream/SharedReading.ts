/**
 * Reads a log for several streams: what one of them, or the alerts, have just read, the others find in
 * memory.
 */

import { type Reading, RecentEvents } from "@cairn/core/consumer"
import { EventLog, mayGoOn, type StorageUnavailable } from "@cairn/core/log"
import { Effect, Semaphore } from "effect"

/** Most rows read at once. */
const READ = 500

/** Reads on after a sequence of a workspace's log. */
export type ReadOn = (workspaceId: string, after: number) => Effect.Effect<Reading, StorageUnavailable>

/** Makes the reader that all streams of a process share. */
export const makeSharedReading = Effect.gen(function* () {
  const log = yield* EventLog
  const recent = yield* RecentEvents
  /** By workspace: only one stream reads at a time. */
  const turns = new Map<string, Semaphore.Semaphore>()

  const read = Effect.fnUntraced(function* (workspaceId: string, after: number) {
    const known = yield* recent.after(workspaceId, after)
    if (known !== undefined) return known
    const entries = yield* log.entries(workspaceId, after + 1, READ)
    return yield* recent.note(workspaceId, { after, entries, atEnd: !mayGoOn(entries, READ) })
  })

  const readOn: ReadOn = (workspaceId, after) =>
    Effect.suspend(() => {
      const turn = turns.get(workspaceId) ?? Semaphore.makeUnsafe(1)
      turns.set(workspaceId, turn)
      return turn.withPermit(read(workspaceId, after))
    })
  return readOn
})
