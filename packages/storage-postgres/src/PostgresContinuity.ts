/** Whether the database still holds what was seen in it, and which losses the operator has accepted. */
import { randomUUID } from "node:crypto"
import type { Micros } from "@cairn/core/encoding"
import { Continuity } from "@cairn/core/log"
import { unavailable } from "@cairn/storage-sql"
import { Effect, Layer, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { acceptLosses, lossesRecorded, lostUpTo, openLosses, unrecordedLosses } from "./LossRows.ts"
import { Places } from "./Places.ts"
import { SeenHeads } from "./SeenHeads.ts"

/** How often an idle process checks. */
const WATCH = "2 seconds"

/**
 * Logs at the start, for the operator, which logs were written on another timeline, with both heads: the
 * present one and the signed one. Where the log is spread, there is not one timeline.
 */
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
       (SELECT k.size FROM checkpoint k WHERE k.workspace = h.workspace) AS signed
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

/** The port. With a configuration it checks by itself, again and again. */
export const layer = Layer.effect(
  Continuity,
  Effect.gen(function* () {
    const { sql, look, floor, config } = yield* SeenHeads
    const { spread } = yield* Places
    if (config?.tells === true && !spread) yield* Effect.ignore(tellAtStart)
    const check = look.pipe(
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
      losses: openLosses(sql).pipe(unavailable("read what is lost")),
      lostUpTo: (workspaceId) =>
        lostUpTo(sql, workspaceId).pipe(
          Effect.map((there) => Math.max(there, floor(workspaceId))),
          unavailable("read up to where a log is lost")
        ),
      accept: (at: Micros.Micros) =>
        Effect.suspend(() => acceptLosses(sql, randomUUID(), at)).pipe(unavailable("accept a loss")),
      unrecorded: unrecordedLosses(sql).pipe(unavailable("read what was accepted to be lost")),
      recorded: (acceptance, at) =>
        lossesRecorded(sql, acceptance, at).pipe(Effect.asVoid, unavailable("note that a loss is recorded"))
    })
  })
)
