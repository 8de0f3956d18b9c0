/** Which event of those that have arrived is the first one of a new key. */
import type { Schemas } from "../../data/Schemas.ts"

/** What has arrived. */
export interface Arrived {
  readonly event: Schemas["Event"]
  /** Whether it is the snippet's; otherwise anybody may have sent it. */
  readonly isOurs: boolean
}

/** Milliseconds for which the page looks for the event. */
export const WATCHED = 10 * 60_000

/** The id of the resource in the snippet's event. */
export const markOf = ({ id }: Pick<Schemas["ApiKey"], "id">): string => `first-${id.slice(4, 12)}`

/**
 * The first event since the key was made, of a list that begins with the newest: the snippet's, by its mark,
 * or else the oldest that the service has not written itself.
 */
export const firstOf = (events: ReadonlyArray<Schemas["Event"]>, mark: string): Arrived | undefined => {
  const ours = events.findLast(({ resource }) => resource.id === mark)
  if (ours !== undefined) return { event: ours, isOurs: true }
  const other = events.findLast(({ action }) => !action.startsWith("cairn."))
  return other === undefined ? undefined : { event: other, isOurs: false }
}
