/** Who asked for exports: the log records it, where the interface's list of exports does not say it. */
import type { SessionCalls } from "@cairn/client/session"
import type { Filter } from "@cairn/ui/place"
import type { Schemas } from "../../data/Schemas.ts"
import type { Export } from "./Export.ts"

/** What was done with exports of the log: asked for, evidence among them, and downloaded, by whom. */
export const EXPORTS_IN_LOG: Filter = { resource: ["export"], search: ["cairn."] }

/** Who asked for an export. */
export type Asker = Schemas["Actor"]

/** Askers by the ids of their exports; one of whom the log says nothing, or nothing yet, is missing. */
export type Askers = Readonly<Record<string, Asker>>

/** Milliseconds before the oldest of some exports, and after the newest, within which the log names them. */
const BEFORE = 60_000
const AFTER = 3_600_000

/** Events that are looked through at most. */
const MOST = 500

/** Events that are read at once. */
const AT_ONCE = 100

/** Who asked for these exports. */
export const askersOf = async (
  { events }: Pick<SessionCalls, "events">,
  exports: ReadonlyArray<Pick<Export, "id" | "created_at">>,
  signal: AbortSignal
): Promise<Askers> => {
  const times = exports.map(({ created_at }) => Date.parse(created_at))
  if (times.length === 0) return {}
  const wanted = new Set(exports.map(({ id }) => id))
  const askers: Record<string, Asker> = {}
  let looked = 0
  const recorded = events.list(
    {
      action: "cairn.export.created",
      from: new Date(Math.min(...times) - BEFORE).toISOString(),
      to: new Date(Math.max(...times) + AFTER).toISOString(),
      limit: AT_ONCE,
      total: "none"
    },
    { signal }
  )
  for await (const { resource, actor } of recorded) {
    if (resource.id !== null && wanted.delete(resource.id)) askers[resource.id] = actor
    if (wanted.size === 0 || ++looked === MOST) break
  }
  return askers
}

/** Milliseconds for which a new export's event may be on its way into the log. */
const ARRIVES_WITHIN = 30_000

/** How often the log is looked at again. */
const LOOK_EVERY = 2_000

/** How often to look again: as long as the event of a new export may be on its way. */
export const askersEvery = (
  exports: ReadonlyArray<Pick<Export, "id" | "created_at">>,
  askers: Askers | undefined,
  now: number
): number | undefined =>
  askers !== undefined &&
  exports.some(
    ({ id, created_at }) => askers[id] === undefined && now - Date.parse(created_at) < ARRIVES_WITHIN
  )
    ? LOOK_EVERY
    : undefined
