import { QueueFullError } from "./Errors.ts"
import type { PendingEvents } from "./PendingEvents.ts"
import type { PreparedEvent } from "./Prepared.ts"

/** Most events that wait in memory, and most characters of their JSON, unless the caller says otherwise. */
const BOUNDS = { events: 10_000, characters: 64 * 1024 * 1024 }

/** Events that wait in memory, and are gone with the process. */
export const memoryQueue = (bounds: { readonly events?: number } = {}): PendingEvents => {
  const most = bounds.events ?? BOUNDS.events
  const waiting = new Map<string, PreparedEvent>()
  const forRoom = new Set<() => void>()
  let characters = 0

  const add = async (event: PreparedEvent): Promise<void> => {
    // Twice the same key is one event, as it is to the service.
    if (waiting.has(event.key)) return
    if (waiting.size >= most || characters + event.json.length > BOUNDS.characters) {
      throw new QueueFullError(`${waiting.size} events wait already: there is no room for another`)
    }
    waiting.set(event.key, event)
    characters += event.json.length
  }

  const room = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const end = () => {
        forRoom.delete(free)
        signal.removeEventListener("abort", abort)
      }
      const free = () => {
        end()
        resolve()
      }
      const abort = () => {
        end()
        reject(signal.reason)
      }
      forRoom.add(free)
      signal.addEventListener("abort", abort)
    })

  return {
    add,
    room,
    take: async ({ count, bytes }) => {
      const taken: Array<PreparedEvent> = []
      let size = 0
      for (const event of waiting.values()) {
        size += event.json.length * 3
        if (taken.length > 0 && (taken.length >= count || size > bytes)) break
        taken.push(event)
      }
      return taken
    },
    settle: async (outcomes) => {
      for (const { key } of outcomes) {
        characters -= waiting.get(key)?.json.length ?? 0
        waiting.delete(key)
      }
      for (const free of [...forRoom]) free()
    },
    release: async () => {},
    size: () => waiting.size,
    close: async () => {}
  }
}
