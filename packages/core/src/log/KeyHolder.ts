/**
 * Whose event holds the idempotency key of an event of the service's own. Clients cannot use such keys, but
 * before they were rejected (`422`) a client could, and a database keeps what it has: the record that such a
 * key would stand for is in no log.
 */
import { Effect, Option } from "effect"
import { contentText } from "../event/ContentWriter.ts"
import { parseContent } from "../event/EventContent.ts"
import { nowhere } from "../event/GeoIp.ts"
import type { ValidEvent } from "../event/ValidEvent.ts"
import type { EventLog } from "./EventLog.ts"
import type { Inbox } from "./Inbox.ts"

/** Where an accepted event is: it waits, or is in the log. */
export interface Places {
  readonly inbox: Inbox["Service"]
  readonly log: EventLog["Service"]
}

/** The content of an accepted event; null if it is nowhere, or was removed. */
const contentOf = Effect.fnUntraced(function* ({ inbox, log }: Places, workspaceId: string, eventId: string) {
  const stored = yield* log.get(workspaceId, eventId)
  if (Option.isSome(stored)) return stored.value.content
  const waiting = yield* inbox.find(workspaceId, eventId)
  if (Option.isSome(waiting)) return contentText(waiting.value.event.content, nowhere)
  // It may have been sequenced between the two look-ups.
  return Option.match(yield* log.get(workspaceId, eventId), {
    onNone: () => null,
    onSome: ({ content }) => content
  })
})

/**
 * Whether the event with an id records what an event of the service's own is to record: the same action by
 * the same actor. Costs one look into the log, and while that event waits one into the inbox.
 */
export const holdsTheSame = (places: Places, workspaceId: string, eventId: string, { input }: ValidEvent) =>
  Effect.map(contentOf(places, workspaceId, eventId), (content) => {
    const held = content === null ? undefined : parseContent(content)
    return (
      held !== undefined &&
      held.action === input.action &&
      held.actor.id === input.actor_id &&
      held.actor.type === (input.actor_type ?? null)
    )
  })
