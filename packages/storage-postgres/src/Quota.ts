/**
 * Events a month on PostgreSQL, counted in the commit that accepts them.
 *
 * If there is a quota, a commit locks the workspace's month before it claims any key, so it knows how much
 * room there is and nobody else uses it. Such workspaces send at most their plan's requests a minute. Without
 * a quota, the count is spread over slots, and nobody waits.
 */
import { monthOf } from "@cairn/core/encoding"
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { NumberedRequest } from "./NumberedRequest.ts"
import { numbers, texts } from "./PostgresTypes.ts"

/** Slots of a month without a quota: more than the commits that a few processes have in progress at once. */
const SLOTS = 16

/** New events of one workspace in one month. */
export interface UsageCount {
  readonly workspace: number
  readonly month: string
  readonly slot: number
  readonly events: number
}

const nameOf = (workspace: number, month: string): string => `${workspace} ${month}`

/** The most events of a request's month; null is unlimited, and so is what is not counted. */
export const quotaOf = ({ request: { quota = null, isCounted = true } }: NumberedRequest): number | null =>
  isCounted ? quota : null

/** What the requests add to each month, as far as they are new and counted. */
export const usageOf = (requests: ReadonlyArray<NumberedRequest>): ReadonlyArray<UsageCount> => {
  const counts = new Map<string, UsageCount>()
  const slot = 1 + Math.floor(Math.random() * SLOTS)
  for (const numbered of requests) {
    const { workspace, request } = numbered
    if (request.isCounted === false) continue
    const month = monthOf(request.acceptedAt)
    const limited = quotaOf(numbered) !== null
    const name = `${nameOf(workspace, month)} ${limited}`
    const events = (counts.get(name)?.events ?? 0) + request.events.length
    counts.set(name, { workspace, month, slot: limited ? 0 : slot, events })
  }
  return Array.from(counts.values())
}

/** Adds counts, one a row. The parameters are those of {@link usageParameters}, from the given number on. */
export const addUsage = (first: number): string =>
  `INSERT INTO event_usage AS u (workspace, month, slot, events)
   SELECT h.workspace, c.month, c.slot, c.events
   FROM head h
   JOIN unnest($${first}::bigint[], $${first + 1}::text[], $${first + 2}::bigint[], $${first + 3}::bigint[])
     AS c (workspace, month, slot, events) ON c.workspace = h.workspace
   WHERE h.workspace = ANY ($${first}::bigint[])
   ORDER BY h.workspace, c.month COLLATE "C", c.slot
   ON CONFLICT (workspace, month, slot) DO UPDATE SET events = u.events + excluded.events`

/** See {@link addUsage}. */
export const usageParameters = (counts: ReadonlyArray<UsageCount>) => [
  numbers(counts.map(({ workspace }) => workspace)),
  texts(counts.map(({ month }) => month)),
  numbers(counts.map(({ slot }) => slot)),
  numbers(counts.map(({ events }) => events))
]

/** How many events of the months with a quota are used, as requests take their part. */
class MonthsUsed {
  readonly #used = new Map<string, number>()

  /** Whether no month has a quota, or none was ever used. */
  get isEmpty(): boolean {
    return this.#used.size === 0
  }

  /** Takes over the count of a workspace's month. */
  count(workspace: number, month: string, events: number): void {
    this.#used.set(nameOf(workspace, month), events)
  }

  /** How many more events a request's month has room for. */
  room(numbered: NumberedRequest): number {
    const quota = quotaOf(numbered)
    const { workspace, request } = numbered
    return quota === null
      ? Number.POSITIVE_INFINITY
      : quota - (this.#used.get(nameOf(workspace, monthOf(request.acceptedAt))) ?? 0)
  }

  /** Uses `events` of a request; one that is not counted uses none. */
  use({ workspace, request }: NumberedRequest, events: number): void {
    if (request.isCounted === false) return
    const name = nameOf(workspace, monthOf(request.acceptedAt))
    this.#used.set(name, (this.#used.get(name) ?? 0) + events)
  }
}

/**
 * Locks every month that has a quota until the commit, and reads its count. For months without a quota it
 * finds nothing.
 */
export const lockMonths = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  requests: ReadonlyArray<NumberedRequest>
) {
  const limited = requests.filter((numbered) => quotaOf(numbered) !== null)
  const used = new MonthsUsed()
  if (limited.length === 0) return used
  const months = usageOf(limited).map((count) => ({ ...count, events: 0 }))
  // An existing row is updated to its own value: that locks it.
  yield* sql.unsafe(addUsage(1), usageParameters(months))
  const rows = yield* sql.unsafe<{
    readonly workspace: number
    readonly month: string
    readonly events: number
  }>(
    `SELECT u.workspace, u.month, sum(u.events)::bigint AS events
     FROM unnest($1::bigint[], $2::text[]) AS m (workspace, month)
     JOIN event_usage u ON u.workspace = m.workspace AND u.month = m.month COLLATE "C"
     WHERE u.workspace = ANY ($1::bigint[])
     GROUP BY u.workspace, u.month`,
    usageParameters(months).slice(0, 2)
  )
  for (const { workspace, month, events } of rows) used.count(workspace, month, events)
  return used
})
