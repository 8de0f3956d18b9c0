/**
 * What this process has seen of the database: the newest timeline, and where each log ended. It is held against what is there in the statement
 * that locks a head, so it costs an index look-up and no round trip.
 *
 * PostgreSQL begins a new timeline with every promotion and every recovery to a moment. A database on an older one is a primary that was
 * replaced; one that lacks an event which was seen is a copy that is behind, or a primary that was promoted without its end.
 */
import { Continuity, describeLoss, type Head, type Loss, type Micros, StoreBehind } from "@cairn/core"
import { unavailable } from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { numbers, texts } from "./PostgresTypes.ts"

/** The first eight digits of a WAL file's name are its timeline, hexadecimal. Not to be asked of a standby. */
const CURRENT = "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint"

/** SQLSTATEs of a service that has no such functions or does not let one call them: 0A000, 42501, 42883. */
const NOT_GIVEN = new Set(["0A000", "42501", "42883"])

/** Most logs that are looked at by themselves: those that were seen last. */
const MOST_CHECKED = 100

/** How often a process that only waits looks. */
const WATCH = "2 seconds"

/** How the processes' threads share what they have seen. */
export interface SeenConfig {
  /** Eight bytes, the newest timeline that any of them has seen; 0 before the first. */
  readonly timeline: SharedArrayBuffer
  /** Whether this one tells the operator of a timeline that is new. */
  readonly tells: boolean
}

interface Seen {
  readonly workspaceId: string
  readonly sequence: number
  readonly eventHash: string | null
}

/** What the statement that locks a head reads besides. */
export interface LockedRow {
  /** The timeline that the head was written on; null before the first append that notes it. */
  readonly written_on: number | null
  /** The one that the database is on now; null where that cannot be asked. */
  readonly timeline: number | null
  /** The hash of the event that was seen last, as it is now; null when there is none. */
  readonly seen_hash: string | null
  /** Losses that are open. */
  readonly open: number
  /** The number of the last loss that was accepted. */
  readonly accepted: number
}

const STANDING = `(SELECT count(*) FROM log_loss WHERE accepted_at IS NULL) AS open,
  (SELECT coalesce(max(number), 0) FROM log_loss WHERE accepted_at IS NOT NULL) AS accepted`

interface LossRow {
  readonly workspace_id: string | null
  readonly seen_timeline: number | null
  readonly seen_sequence: number | null
  readonly seen_event_hash: string | null
  readonly found_timeline: number | null
  readonly found_sequence: number | null
  readonly found_event_hash: string | null
}

const LOSS_COLUMNS =
  "workspace_id, seen_timeline, seen_sequence, seen_event_hash, found_timeline, found_sequence, found_event_hash"

const toLoss = (row: LossRow): Loss => ({
  workspace_id: row.workspace_id,
  seen: { timeline: row.seen_timeline, sequence: row.seen_sequence, event_hash: row.seen_event_hash },
  found: { timeline: row.found_timeline, sequence: row.found_sequence, event_hash: row.found_event_hash }
})

const lossValues = ({ workspace_id, seen, found }: Loss) => [
  workspace_id,
  seen.timeline,
  seen.sequence,
  seen.event_hash,
  found.timeline,
  found.sequence,
  found.event_hash
]

/** Whether the database tells its timeline: some services that speak like PostgreSQL do not. */
const timelineColumn = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const column = `CASE WHEN pg_is_in_recovery() THEN NULL ELSE ${CURRENT} END`
  const given = yield* sql.unsafe(`SELECT ${column} AS timeline`).pipe(
    Effect.as(true),
    Effect.catch((error) => {
      const { cause } = error.reason
      const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
      return NOT_GIVEN.has(code) ? Effect.succeed(false) : Effect.fail(error)
    })
  )
  if (given) return column
  yield* Effect.logWarning(
    "The database does not tell its timeline: a primary that was replaced is known by where its logs end only"
  )
  return "NULL::bigint"
})

const make = Effect.fnUntraced(function* (config: SeenConfig | undefined) {
  const sql = yield* PgClient.PgClient
  const column = yield* timelineColumn(sql)
  const shared = new BigInt64Array(config?.timeline ?? new SharedArrayBuffer(8))
  const heads = new Map<number, Seen>()
  const told = new Set<string>()
  let recovered = 0

  const newest = (): number => Number(Atomics.load(shared, 0))

  /** What was seen before the operator accepted a loss counts no more. */
  const forgetBefore = (accepted: number): void => {
    if (accepted <= recovered) return
    recovered = accepted
    heads.clear()
    told.clear()
    Atomics.store(shared, 0, 0n)
  }

  const seeTimeline = (timeline: number | null): void => {
    if (timeline !== null && timeline > newest()) Atomics.store(shared, 0, BigInt(timeline))
  }

  /** Remembers where a log ends: the furthest that this process appended, or else the first that it read. */
  const see = (workspace: number, workspaceId: string, { sequence, eventHash }: Head): void => {
    heads.delete(workspace)
    heads.set(workspace, { workspaceId, sequence, eventHash })
  }

  const seeFirst = (workspace: number, workspaceId: string, head: Head): void => {
    if (!heads.has(workspace)) see(workspace, workspaceId, head)
  }

  /** What the database lacks, by a locked head. */
  const lossOf = (
    workspaceId: string,
    seen: Seen | undefined,
    head: Head,
    row: LockedRow
  ): Loss | undefined => {
    const found = { timeline: row.timeline, sequence: head.sequence, event_hash: head.eventHash }
    if (seen !== undefined && seen.sequence > 0 && row.seen_hash !== seen.eventHash) {
      return {
        workspace_id: workspaceId,
        seen: { timeline: newest() || null, sequence: seen.sequence, event_hash: seen.eventHash },
        found
      }
    }
    if (row.timeline !== null && row.timeline < newest()) return olderTimeline(row.timeline)
    return undefined
  }

  const olderTimeline = (timeline: number): Loss => ({
    workspace_id: null,
    seen: { timeline: newest(), sequence: null, event_hash: null },
    found: { timeline, sequence: null, event_hash: null }
  })

  /** The columns for the statement that locks the head of a workspace, and their parameter. */
  const locking = (workspace: number) => {
    const seen = heads.get(workspace)
    const { sequence } = seen ?? { sequence: 0 }
    const columns = `timeline AS written_on, ${column} AS timeline, ${STANDING},
      (SELECT e.event_hash FROM event e WHERE e.workspace = ${workspace} AND e.sequence = ${sequence}) AS seen_hash`
    return { columns, seen }
  }

  const firstOpen = Effect.map(
    sql.unsafe<LossRow>(
      `SELECT ${LOSS_COLUMNS} FROM log_loss WHERE accepted_at IS NULL ORDER BY number LIMIT 1`
    ),
    ([row]) => Option.map(Option.fromNullishOr(row), toLoss)
  )

  /** Fails when the head that was locked is not what this process may append to. */
  const admit = Effect.fnUntraced(function* (
    workspaceId: string,
    seen: Seen | undefined,
    head: Head,
    row: LockedRow
  ): Effect.fn.Return<void, StoreBehind | SqlError> {
    const before = recovered
    forgetBefore(row.accepted)
    if (row.open > 0) {
      const open = yield* firstOpen
      if (Option.isSome(open)) return yield* new StoreBehind({ loss: open.value })
    }
    const loss = lossOf(workspaceId, recovered === before ? seen : undefined, head, row)
    if (loss !== undefined) return yield* new StoreBehind({ loss })
    seeTimeline(row.timeline)
    const { written_on, timeline } = row
    const name = `${workspaceId} ${timeline}`
    if (written_on === null || timeline === null || written_on === timeline || told.has(name)) return
    told.add(name)
    yield* Effect.logWarning("A log goes on on another timeline of the database").pipe(
      Effect.annotateLogs({
        workspaceId,
        written: `event ${head.sequence} on timeline ${written_on}`,
        seen: seen === undefined ? "nothing" : `event ${seen.sequence} (${seen.eventHash})`,
        found: `event ${head.sequence} (${head.eventHash}) on timeline ${timeline}`
      })
    )
  })

  /** Notes a loss in the database, once. It is noted outside of the transaction that found it, which has come to nothing. */
  const note = Effect.fnUntraced(function* (loss: Loss) {
    const reason = describeLoss(loss)
    if (!told.has(reason)) {
      told.add(reason)
      yield* Effect.logError("The database is behind what was seen of it: nothing is written").pipe(
        Effect.annotateLogs({ reason })
      )
    }
    const values = lossValues(loss)
    yield* sql.unsafe(
      `INSERT INTO log_loss (${LOSS_COLUMNS}, noticed_at)
       SELECT $1::text, $2::bigint, $3::bigint, $4::text, $5::bigint, $6::bigint, $7::text,
         (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
       WHERE NOT EXISTS (SELECT FROM log_loss WHERE accepted_at IS NULL AND workspace_id IS NOT DISTINCT FROM $1::text
         AND seen_sequence IS NOT DISTINCT FROM $3::bigint AND seen_event_hash IS NOT DISTINCT FROM $4::text)`,
      values
    )
  })

  const noted = <A, E, R>(effect: Effect.Effect<A, E | StoreBehind, R>) =>
    Effect.tapError(effect, (error) =>
      error instanceof StoreBehind ? Effect.ignore(note(error.loss)) : Effect.void
    )

  /** The first of the logs that were seen last which lacks its event. */
  const missing = Effect.fnUntraced(function* (timeline: number | null) {
    const recent = Array.from(heads)
      .slice(-MOST_CHECKED)
      .filter(([, { sequence }]) => sequence > 0)
    if (recent.length === 0) return undefined
    const [row] = yield* sql.unsafe<{
      readonly workspace: number
      readonly sequence: number | null
      readonly event_hash: string | null
    }>(
      `SELECT s.workspace, h.sequence, h.event_hash
       FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS s (workspace, sequence, event_hash)
       LEFT JOIN event e ON e.workspace = s.workspace AND e.sequence = s.sequence
       LEFT JOIN head h ON h.workspace = s.workspace
       WHERE e.event_hash IS DISTINCT FROM s.event_hash LIMIT 1`,
      [
        numbers(recent.map(([workspace]) => workspace)),
        numbers(recent.map(([, { sequence }]) => sequence)),
        texts(recent.map(([, { eventHash }]) => eventHash))
      ]
    )
    const seen = row === undefined ? undefined : heads.get(row.workspace)
    if (row === undefined || seen === undefined) return undefined
    return {
      workspace_id: seen.workspaceId,
      seen: { timeline: newest() || null, sequence: seen.sequence, event_hash: seen.eventHash },
      found: { timeline, sequence: row.sequence ?? 0, event_hash: row.event_hash }
    } satisfies Loss
  })

  const look = Effect.gen(function* (): Effect.fn.Return<void, StoreBehind | SqlError> {
    const [row] = yield* sql.unsafe<Pick<LockedRow, "timeline" | "open" | "accepted">>(
      `SELECT ${column} AS timeline, ${STANDING}`
    )
    if (row === undefined) return
    forgetBefore(row.accepted)
    if (row.open > 0) {
      const open = yield* firstOpen
      if (Option.isSome(open)) return yield* new StoreBehind({ loss: open.value })
    }
    const { timeline } = row
    const loss =
      (yield* missing(timeline)) ??
      (timeline !== null && timeline < newest() ? olderTimeline(timeline) : undefined)
    if (loss !== undefined) return yield* new StoreBehind({ loss })
    seeTimeline(timeline)
  })

  return { newest: () => newest(), heads, column, locking, admit, noted, see, seeFirst, look, config, sql }
})

/** The memory. */
export class SeenHeads extends Context.Service<SeenHeads, Effect.Success<ReturnType<typeof make>>>()(
  "@cairn/storage-postgres/SeenHeads"
) {
  static readonly layer = (config: SeenConfig | undefined) => Layer.effect(SeenHeads, make(config))
}

/** Tells the operator at a start of the logs that were written on another timeline, with both heads: there as written, and as signed for. */
const tellAtStart = Effect.gen(function* () {
  const { sql, column } = yield* SeenHeads
  const rows = yield* sql.unsafe<{
    readonly id: string
    readonly sequence: number
    readonly event_hash: string | null
    readonly timeline: number
    readonly current: number
    readonly signed: number | null
  }>(
    `SELECT w.id, h.sequence, h.event_hash, h.timeline, c.current,
       (SELECT k.size FROM checkpoint k WHERE k.workspace_id = w.id) AS signed
     FROM (SELECT ${column} AS current) c, head h JOIN workspace w ON w.number = h.workspace
     WHERE h.timeline <> c.current ORDER BY h.created_at DESC LIMIT 20`
  )
  for (const { id, sequence, event_hash, timeline, current, signed } of rows) {
    yield* Effect.logWarning(
      "The database is on another timeline than the one that a log was written on"
    ).pipe(
      Effect.annotateLogs({
        workspaceId: id,
        written: `event ${sequence} on timeline ${timeline}`,
        found: `event ${sequence} (${event_hash}) on timeline ${current}`,
        signed: signed === null ? "nothing" : `event ${signed}`
      })
    )
  }
})

/** The port. With a configuration it looks by itself, again and again. */
export const layer = Layer.effect(
  Continuity,
  Effect.gen(function* () {
    const { sql, look, noted, config } = yield* SeenHeads
    if (config?.tells === true) yield* Effect.ignore(tellAtStart)
    const check = noted(look).pipe(
      Effect.catchIf(
        (error): error is SqlError => error._tag !== "StoreBehind",
        (error) => Effect.fail(error).pipe(unavailable("look whether the database is behind"))
      )
    )
    if (config !== undefined) {
      yield* Effect.forkScoped(Effect.repeat(Effect.ignore(check), Schedule.spaced(WATCH)))
    }
    return Continuity.of({
      check,
      losses: sql
        .unsafe<LossRow>(`SELECT ${LOSS_COLUMNS} FROM log_loss WHERE accepted_at IS NULL ORDER BY number`)
        .pipe(
          Effect.map((rows) => rows.map(toLoss)),
          unavailable("read what is lost")
        ),
      accept: (at: Micros.Micros) =>
        sql
          .unsafe<LossRow>(
            `UPDATE log_loss SET accepted_at = $1::bigint WHERE accepted_at IS NULL RETURNING ${LOSS_COLUMNS}`,
            [at]
          )
          .pipe(
            Effect.map((rows) => rows.map(toLoss)),
            unavailable("accept a loss")
          )
    })
  })
)
