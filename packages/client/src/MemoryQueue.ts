import { Waits } from "./Deadline.ts"
import { ClosedError, QueueFullError } from "./Errors.ts"
import type { PendingEvents } from "./PendingEvents.ts"
import type { PreparedEvent } from "./Prepared.ts"

/** Most events that wait in memory, and most characters of their JSON, unless the caller says otherwise. */
const BOUNDS = { events: 10_000, characters: 64 * 1024 * 1024 }

/** Events that wait in memory, and are gone with the process. */
export const memoryQueue = (bounds: { readonly events?: number } = {}): PendingEvents => {
  const most = bounds.events ?? BOUNDS.events
  const waiting = new Set<PreparedEvent>()
  /** Those that are taken, by their keys. */
  const taken = new Map<string, PreparedEvent>()
  const forRoom = new Waits()
  let characters = 0
  let isClosed = false

  return {
    add: async (event) => {
      if (isClosed) throw new ClosedError("the client is closed")
      if (waiting.size >= most || characters + event.json.length > BOUNDS.characters) {
        throw new QueueFullError(`${waiting.size} events wait: there is no room`)
      }
      waiting.add(event)
      characters += event.json.length
    },
    room: async (signal) => {
      await forRoom.wait(signal)
      if (signal.aborted) throw signal.reason
    },
    take: async ({ count, bytes }) => {
      const found: Array<PreparedEvent> = []
      let size = 0
      for (const event of waiting) {
        // Of two events with one key the second waits: its fate may be another.
        if (taken.has(event.key)) continue
        size += event.json.length * 3
        if (found.length > 0 && (found.length >= count || size > bytes)) break
        found.push(event)
        taken.set(event.key, event)
      }
      return found
    },
    settle: async (outcomes) => {
      for (const { key } of outcomes) {
        const event = taken.get(key)
        if (event === undefined) continue
        taken.delete(key)
        waiting.delete(event)
        characters -= event.json.length
      }
      // As many as there is room for, in their order: each that is woken in vain costs the others.
      let free = most - waiting.size
      for (const call of forRoom) if (free-- > 0) call()
    },
    release: async (events) => {
      for (const { key } of events) taken.delete(key)
    },
    size: () => waiting.size,
    close: async () => {
      isClosed = true
    }
  }
}
