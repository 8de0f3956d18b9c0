/**
 * Accepting on PostgreSQL: the requests of one commit, in at most three statements.
 *
 * Keys are claimed in sorted order, so that two commits that share keys wait for each other and cannot
 * deadlock. A claim that meets another transaction's waits for it to end, and then finds the key taken.
 */

import { monthOf } from "@cairn/core/encoding"
import { type CountedOutcome, InboxFull, LogClosed, type PendingEvent, QuotaReached } from "@cairn/core/log"
import { eventIdBytes, eventIdOf, keyHash } from "@cairn/storage-sql"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Exit } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { insertWaiting } from "./InsertWaiting.ts"
import type { NumberedRequest } from "./NumberedRequest.ts"
import type { Places } from "./Places.ts"
import { blobs, numbers } from "./PostgresTypes.ts"
import { lockMonths, quotaOf } from "./Quota.ts"
import { sqlState } from "./SqlState.ts"

/** The outcome for one request. */
export type Accepted = Exit.Exit<ReadonlyArray<CountedOutcome>, InboxFull | LogClosed>

/** The database, and where the rows of each workspace are. */
export interface AcceptPlace {
  readonly sql: PgClient.PgClient
  readonly places: Places["Service"]
}

/** An idempotency key of one workspace. */
interface Claim {
  readonly workspace: number
  readonly hash: Uint8Array
  /** Its name among those of a commit. */
  readonly name: string
  /** Its event, if the key is free. */
  readonly eventId: string
  readonly acceptedAt: number
  /** The key is free if its event was accepted before this time. */
  readonly expireBefore: number
}

const nameOf = (workspace: number, key: string): string => `${workspace}\n${key}`

/** The keys of the requests, each once, with the first event that has it. */
const claimsOf = (requests: ReadonlyArray<NumberedRequest>): ReadonlyMap<string, Claim> => {
  const claims = new Map<string, Claim>()
  for (const { workspace, request } of requests) {
    const { acceptedAt, keysExpireBefore, events } = request
    const expireBefore = keysExpireBefore ?? Number.MIN_SAFE_INTEGER
    for (const { id, idempotencyKey: key } of events) {
      if (key === null) continue
      const name = nameOf(workspace, key)
      if (claims.has(name)) continue
      const hash = keyHash(key)
      claims.set(name, { workspace, hash, name, eventId: id, acceptedAt, expireBefore })
    }
  }
  return claims
}

const keyParameters = (claims: ReadonlyArray<Claim>) => [
  numbers(claims.map(({ workspace }) => workspace)),
  blobs(claims.map(({ hash }) => hash))
]

/** The claims whose key belongs to an event that has not expired, by name, with that event's id. */
const findHolders = (sql: PgClient.PgClient, claims: ReadonlyArray<Claim>) =>
  Effect.map(
    sql.unsafe<{ readonly place: number; readonly event_id: Uint8Array }>(
      `SELECT c.place, k.event_id
       FROM unnest($1::bigint[], $2::bytea[], $3::bigint[]) WITH ORDINALITY AS c (workspace, hash, expire_before, place)
       JOIN idempotency_key k ON k.workspace = c.workspace AND k.hash = c.hash
       WHERE k.workspace = ANY ($1::bigint[]) AND k.accepted_at >= c.expire_before`,
      [...keyParameters(claims), numbers(claims.map(({ expireBefore }) => expireBefore))]
    ),
    (rows) => new Map(rows.map(({ place, event_id }) => [claims[place - 1]?.name ?? "", eventIdOf(event_id)]))
  )

/** Claims free keys; returns, for every claim, the event that now has its key. */
const claimKeys = Effect.fnUntraced(function* (sql: PgClient.PgClient, byName: ReadonlyMap<string, Claim>) {
  const claims = Array.from(byName.values())
  if (claims.length === 0) return new Map<string, string>()
  const rows = yield* sql.unsafe<{ readonly event_id: Uint8Array }>(
    `INSERT INTO idempotency_key AS k (workspace, hash, event_id, accepted_at)
     SELECT h.workspace, c.hash, c.event_id, c.accepted_at
     FROM head h JOIN unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[])
       AS c (workspace, hash, event_id, accepted_at, expire_before) ON c.workspace = h.workspace
     WHERE h.workspace = ANY ($1::bigint[])
     ORDER BY h.workspace, c.hash
     ON CONFLICT (workspace, hash) DO UPDATE SET event_id = excluded.event_id, accepted_at = excluded.accepted_at
       WHERE k.accepted_at < (
         SELECT e.expire_before FROM unnest($1::bigint[], $2::bytea[], $5::bigint[]) AS e (workspace, hash, expire_before)
         WHERE e.workspace = excluded.workspace AND e.hash = excluded.hash)
     RETURNING event_id`,
    [
      ...keyParameters(claims),
      blobs(claims.map(({ eventId }) => eventIdBytes(eventId))),
      numbers(claims.map(({ acceptedAt }) => acceptedAt)),
      numbers(claims.map(({ expireBefore }) => expireBefore))
    ]
  )
  const claimed = new Set(rows.map(({ event_id }) => eventIdOf(event_id)))
  const taken = claims.filter(({ eventId }) => !claimed.has(eventId))
  const holders = taken.length > 0 ? yield* findHolders(sql, taken) : new Map<string, string>()
  for (const { name, eventId } of claims) if (claimed.has(eventId)) holders.set(name, eventId)
  return holders
})

/** Which events are new, now that the owners of all keys are known. */
const isFresh = (workspace: number, holders: ReadonlyMap<string, string>) => {
  return ({ id, idempotencyKey: key }: PendingEvent): boolean =>
    key === null || holders.get(nameOf(workspace, key)) === id
}

/**
 * Writes the requests within the open transaction, as far as their quotas allow. Locks are always taken in
 * the same order: months that have a quota, then keys, then the slots of months without one.
 */
const write = Effect.fnUntraced(function* (
  { sql, places }: AcceptPlace,
  requests: ReadonlyArray<NumberedRequest>,
  timeline: number
) {
  const refused = yield* findRefused(sql, requests)
  if (refused.size === 0) return yield* writeAll({ sql, places }, requests, timeline)
  const taken = requests.map(({ workspace, request }) => ({
    workspace,
    request: { ...request, events: request.events.filter((event) => !refused.has(event)) }
  }))
  const written = yield* writeAll({ sql, places }, taken, timeline)
  return requests.map(({ request }, index) => {
    const outcomes = written[index]?.values()
    return request.events.map(
      (event): CountedOutcome =>
        refused.get(event) ?? outcomes?.next().value ?? { id: event.id, duplicate: false }
    )
  })
})

/** The events for which their month's quota has no room, and why. */
const findRefused = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  requests: ReadonlyArray<NumberedRequest>
) {
  const refused = new Map<PendingEvent, QuotaReached>()
  const used = yield* lockMonths(sql, requests)
  if (used.isEmpty) return refused
  const claims = Array.from(claimsOf(requests).values())
  const held = new Set(claims.length === 0 ? [] : (yield* findHolders(sql, claims)).keys())
  for (const numbered of requests) {
    const { workspace, request } = numbered
    const quota = quotaOf(numbered)
    const room = used.room(numbered)
    let fresh = 0
    for (const event of request.events) {
      const name = event.idempotencyKey === null ? null : nameOf(workspace, event.idempotencyKey)
      if (name !== null && held.has(name)) continue
      if (quota !== null && fresh >= room) {
        refused.set(event, new QuotaReached({ quota, month: monthOf(request.acceptedAt) }))
        continue
      }
      fresh++
      if (name !== null) held.add(name)
    }
    used.use(numbered, fresh)
  }
  return refused
})

/** Writes the requests within the open transaction. */
const writeAll = Effect.fnUntraced(function* (
  { sql, places }: AcceptPlace,
  requests: ReadonlyArray<NumberedRequest>,
  timeline: number
) {
  const holders = yield* claimKeys(sql, claimsOf(requests))
  const rows = requests.flatMap(({ workspace, request }) => {
    const events = request.events.filter(isFresh(workspace, holders))
    return events.length === 0 ? [] : [{ workspace, request: { ...request, events } }]
  })
  if (rows.length > 0) yield* insertWaiting(sql, places.spread, rows, timeline)
  return requests.map(({ workspace, request }) => {
    const fresh = isFresh(workspace, holders)
    return request.events.map((event): CountedOutcome => {
      if (fresh(event)) return { id: event.id, duplicate: false }
      return { id: holders.get(nameOf(workspace, event.idempotencyKey ?? "")) ?? event.id, duplicate: true }
    })
  })
})

/** "inbox" as a key of an advisory lock: held by a commit that counts, plus the number of its machine. */
const COUNTING = 0x696e626f78

/** The number of waiting events that can be reached. Costs reading each waiting row. */
export const countWaiting = ({ sql, places }: AcceptPlace) =>
  Effect.suspend(() =>
    Effect.map(
      sql<{ readonly depth: number }>`
        SELECT coalesce(sum(event_count), 0)::bigint AS depth FROM inbox WHERE ${places.within("workspace")}`,
      ([row]) => row?.depth ?? 0
    )
  )

/** How requests are committed. */
interface CommitOptions {
  readonly capacity: number
  /** Where all of the requests go. */
  readonly machine: number
  readonly exactly: boolean
  readonly timeline: number
}

/**
 * For each request, in turn, nothing or why there is no room for it. Blocks every other commit to the same
 * machine that counts until this one ends. Those to other machines go on, since a machine may confirm nothing
 * for as long as its standby is away: together they may exceed the capacity by one commit for each machine.
 */
const findRoom = Effect.fnUntraced(function* (
  { sql, places }: AcceptPlace,
  requests: ReadonlyArray<NumberedRequest>,
  { capacity, machine }: CommitOptions
) {
  yield* sql`SELECT pg_advisory_xact_lock(${COUNTING + machine})`
  let depth = yield* countWaiting({ sql, places })
  const claims = Array.from(claimsOf(requests).values())
  const held = new Set(claims.length === 0 ? [] : (yield* findHolders(sql, claims)).keys())
  return requests.map(({ workspace, request }) => {
    const names = request.events.map(({ idempotencyKey: key }) =>
      key === null ? null : nameOf(workspace, key)
    )
    const fresh = names.filter((name) => name === null || !held.has(name))
    if (fresh.length > 0 && depth + fresh.length > capacity) return new InboxFull({ depth, capacity })
    depth += fresh.length
    for (const name of fresh) if (name !== null) held.add(name)
    return undefined
  })
})

/** One commit of requests for logs that are open; it fails if one of them is not. */
const commitOpen = (
  { sql, places }: AcceptPlace,
  requests: ReadonlyArray<NumberedRequest>,
  options: CommitOptions
): Effect.Effect<ReadonlyArray<Accepted>, SqlError> => {
  const { exactly, timeline } = options
  const transaction = Effect.gen(function* () {
    if (!exactly)
      return (yield* write({ sql, places }, requests, timeline)).map(
        (outcomes): Accepted => Exit.succeed(outcomes)
      )
    const full = yield* findRoom({ sql, places }, requests, options)
    const outcomes = yield* write(
      { sql, places },
      requests.filter((_, index) => full[index] === undefined),
      timeline
    )
    let next = 0
    return full.map(
      (refused): Accepted =>
        refused === undefined ? Exit.succeed(outcomes[next++] ?? []) : Exit.fail(refused)
    )
  })
  // Without keys, quotas and counting there is one statement, which is a transaction by itself.
  const single =
    !exactly &&
    !places.spread &&
    requests.every(
      (numbered) =>
        quotaOf(numbered) === null &&
        numbered.request.events.every(({ idempotencyKey }) => idempotencyKey === null)
    )
  return single ? transaction : sql.withTransaction(transaction)
}

/** Of `cairn_not_closed`. */
const CLOSED = "CN002"

/** For each request, in turn, nothing or that its log was closed. */
const findClosed = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  requests: ReadonlyArray<NumberedRequest>
) {
  const rows = yield* sql.unsafe<{ readonly number: number; readonly closed_at: number }>(
    "SELECT number, closed_at FROM workspace WHERE closed_at IS NOT NULL AND number = ANY ($1::bigint[])",
    [numbers(requests.map(({ workspace }) => workspace))]
  )
  const closed = new Map(rows.map(({ number, closed_at }) => [number, closed_at]))
  return requests.map(({ workspace, request }) => {
    const closedAt = request.intoClosed === true ? undefined : closed.get(workspace)
    return closedAt === undefined ? undefined : new LogClosed({ closedAt })
  })
})

/**
 * One commit: either all of it happened or none. If `exactly`, it counts the waiting events, so that there
 * are never more than `capacity`. It accepts nothing if the database lacks what was seen in it, or is on an
 * older timeline than `timeline`, the newest that this process has seen. Requests for logs that were closed
 * are refused, and the others are committed without them.
 */
export const commit = (
  { sql, places }: AcceptPlace,
  requests: ReadonlyArray<NumberedRequest>,
  options: CommitOptions
): Effect.Effect<ReadonlyArray<Accepted>, SqlError> =>
  Effect.catch(
    commitOpen({ sql, places }, requests, options),
    Effect.fnUntraced(function* (error): Effect.fn.Return<ReadonlyArray<Accepted>, SqlError> {
      const refused = sqlState(error) === CLOSED ? yield* findClosed(sql, requests) : []
      const open = requests.filter((_, index) => refused[index] === undefined)
      if (open.length === requests.length) return yield* Effect.fail(error)
      const exits = open.length === 0 ? [] : yield* commit({ sql, places }, open, options)
      let next = 0
      return refused.map(
        (closed): Accepted => (closed === undefined ? (exits[next++] ?? Exit.succeed([])) : Exit.fail(closed))
      )
    })
  )
