/** Exports over any SQL client. */

import {
  type ClaimedExport,
  type ExportLimits,
  type ExportQuota,
  ExportQuotaReached,
  Exports,
  type NewExport,
  type SentExport,
  type StoredExport,
  TooManyExports
} from "@cairn/core/export"
import { CLOCK_SLACK } from "@cairn/core/log"
import { ExportFilters, ExportFormat, ExportStatus } from "@cairn/core/outbound"
import { Effect, Layer, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { readableRows } from "./ReadableRows.ts"
import { unavailable } from "./StorageFailure.ts"
import { holdsJsonText } from "./TextPattern.ts"

/** The status of a row that only counts; it has no filters. Readers of exports pass it over. */
const COUNTED = "sent"

/** A row of `export`; the filters are JSON text, `has_files` is 0 or 1. */
const ExportRow = Schema.Struct({
  id: Schema.String,
  workspace_id: Schema.String,
  format: ExportFormat,
  filters: Schema.fromJsonString(ExportFilters),
  status: ExportStatus,
  progress: Schema.Number,
  attempts: Schema.Number,
  total_rows: Schema.NullOr(Schema.Number),
  file_size: Schema.NullOr(Schema.Number),
  created_at: Schema.Number,
  expires_at: Schema.Number,
  has_files: Schema.Number
})
const decodeRow = Schema.decodeUnknownEffect(ExportRow)
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(ExportRow))
const decodeCount = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ count: Schema.Number })))

const COLUMNS =
  "id, workspace_id, format, filters, status, progress, attempts, total_rows, file_size, created_at, expires_at, has_files"

const toExport = ({ has_files, ...row }: typeof ExportRow.Type): StoredExport => ({
  ...row,
  has_files: has_files !== 0
})

/** The exports, in the table `export` of the database that holds `workspace`. */
export const layer = Layer.effect(
  Exports,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)
    const shown = sql`status <> ${COUNTED}`
    const exportsOf = (rows: ReadonlyArray<unknown>) =>
      Effect.map(decodeRows(rows), (decoded) => decoded.map(toExport))
    const readable = readableRows("export", (row) => Effect.map(decodeRow(row), toExport))
    const firstOf = (rows: ReadonlyArray<unknown>) =>
      Effect.map(exportsOf(rows), ([found]) => Option.fromNullishOr(found))

    const count = (rows: ReadonlyArray<unknown>) => Effect.map(decodeCount(rows), ([row]) => row?.count ?? 0)

    // Served by export_workspace.
    const createdSince = (workspaceId: string, since: number) =>
      Effect.flatMap(
        sql`SELECT count(*) AS count FROM export WHERE workspace_id = ${workspaceId} AND created_at >= ${since}`,
        count
      )

    /** Whether the workspace's quota has room for another one. Its row is locked. */
    const withinQuota = Effect.fnUntraced(function* (workspaceId: string, { quota, since }: ExportQuota) {
      return quota !== null && (yield* createdSince(workspaceId, since)) >= quota
        ? Result.fail(new ExportQuotaReached({ quota }))
        : Result.void
    })

    /** Whether the workspace may have another one. Its row is locked. */
    const admit = Effect.fnUntraced(function* (workspaceId: string, limits: ExportLimits) {
      const { concurrent } = limits
      // Served by export_unsettled.
      const active = yield* Effect.flatMap(
        sql`SELECT count(*) AS count FROM export
            WHERE workspace_id = ${workspaceId} AND status IN ('pending', 'processing')`,
        count
      )
      return active >= concurrent
        ? Result.fail(new TooManyExports({ concurrent }))
        : yield* withinQuota(workspaceId, limits)
    })

    const lock = (workspaceId: string) =>
      sql`UPDATE workspace SET updated_at = updated_at WHERE id = ${workspaceId}`

    const insert = Effect.fnUntraced(
      function* (request: NewExport, limits: ExportLimits) {
        const { id, workspace_id, format, filters, created_at, expires_at } = request
        yield* lock(workspace_id)
        const admitted: Result.Result<void, TooManyExports | ExportQuotaReached> = yield* admit(
          workspace_id,
          limits
        )
        if (Result.isFailure(admitted)) return Result.fail(admitted.failure)
        const [created] = yield* Effect.flatMap(
          sql`
            INSERT INTO export (id, workspace_id, format, filters, status, progress, attempts, created_at, expires_at, has_files)
            VALUES (${id}, ${workspace_id}, ${format}, ${JSON.stringify(filters)}, 'pending', 0, 0, ${created_at},
              ${expires_at}, 0)
            RETURNING ${columns}`,
          exportsOf
        )
        return created === undefined
          ? yield* Effect.die(new Error(`export ${id} was not stored`))
          : Result.succeed(created)
      },
      (effect) => sql.withTransaction(effect),
      unavailable("create an export")
    )

    const insertSent = Effect.fnUntraced(
      function* ({ id, workspace_id, format, created_at }: SentExport, quota: ExportQuota) {
        yield* lock(workspace_id)
        const admitted: Result.Result<void, ExportQuotaReached> = yield* withinQuota(workspace_id, quota)
        if (Result.isFailure(admitted)) return admitted
        yield* sql`
          INSERT INTO export (id, workspace_id, format, filters, status, progress, attempts, created_at, expires_at, has_files)
          VALUES (${id}, ${workspace_id}, ${format}, '{}', ${COUNTED}, 0, 0, ${created_at}, ${created_at}, 0)`
        return Result.void
      },
      (effect) => sql.withTransaction(effect),
      unavailable("count an export")
    )

    /**
     * The condition under which a claim is still valid. A claim that stays on a settled export means that
     * nobody was notified of it yet.
     */
    const held = ({ id, claim }: ClaimedExport) =>
      sql`id = ${id} AND claim = ${claim} AND status = 'processing'`
    const wasHeld = Effect.map((rows: ReadonlyArray<unknown>) => rows.length > 0)

    return Exports.of({
      create: (request, limits) => Effect.flatMap(insert(request, limits), Effect.fromResult),

      count: (sent, quota) => Effect.flatMap(insertSent(sent, quota), Effect.fromResult),

      get: (workspaceId, id) =>
        sql`SELECT ${columns} FROM export WHERE id = ${id} AND workspace_id = ${workspaceId} AND ${shown}`.pipe(
          Effect.flatMap(firstOf),
          unavailable("read an export")
        ),

      page: (workspaceId, { before, limit }) => {
        const older = before === null ? sql`` : sql`AND created_at < ${before}`
        // Served by export_workspace.
        return sql`
          SELECT ${columns} FROM export WHERE workspace_id = ${workspaceId} AND ${shown} ${older}
          ORDER BY created_at DESC LIMIT ${limit}`.pipe(Effect.flatMap(readable), unavailable("list exports"))
      },

      find: (id) =>
        sql`SELECT ${columns} FROM export WHERE id = ${id} AND ${shown}`.pipe(
          Effect.flatMap(firstOf),
          unavailable("read an export")
        ),

      claim: Effect.fnUntraced(function* ({ claim, at, until }) {
        const free = sql`held_until <= ${at} OR held_until > ${until + CLOCK_SLACK}`
        // Served by export_unsettled. An export that another process claimed since the inner select has a
        // different held_until by now.
        const taken = yield* Effect.flatMap(
          sql`
            UPDATE export SET status = 'processing', claim = ${claim}, held_until = ${until}, attempts = attempts + 1,
              progress = 0, has_files = 1
            WHERE id = (
              SELECT id FROM export WHERE status IN ('pending', 'processing') AND (${free})
              ORDER BY created_at, id LIMIT 1
            ) AND (${free}) AND status IN ('pending', 'processing')
            RETURNING ${columns}`,
          firstOf
        )
        return Option.map(taken, (stored): ClaimedExport => ({ ...stored, claim }))
      }, unavailable("claim an export")),

      keep: (claimed, { until, progress }) =>
        sql`UPDATE export SET held_until = ${until}, progress = ${progress} WHERE ${held(claimed)} RETURNING id`.pipe(
          wasHeld,
          unavailable("keep an export")
        ),

      settle: (claimed, outcome) => {
        const totalRows = outcome.status === "completed" ? outcome.totalRows : null
        const fileSize = outcome.status === "completed" ? outcome.fileSize : null
        const progress = outcome.status === "completed" ? 100 : claimed.progress
        return sql`
          UPDATE export SET status = ${outcome.status}, total_rows = ${totalRows}, file_size = ${fileSize},
            progress = ${progress}
          WHERE ${held(claimed)} RETURNING id`.pipe(wasHeld, unavailable("settle an export"))
      },

      untold: (limit) =>
        // Reads every row: there are only those of some weeks, and this is called rarely.
        sql`
          SELECT ${columns} FROM export
          WHERE claim IS NOT NULL AND status IN ('completed', 'failed') ORDER BY created_at, id LIMIT ${limit}`.pipe(
          Effect.flatMap(readable),
          unavailable("find exports that nobody was notified of")
        ),

      told: (id) =>
        sql`UPDATE export SET claim = NULL WHERE id = ${id} AND status IN ('completed', 'failed')`.pipe(
          Effect.asVoid,
          unavailable("note that an export was announced")
        ),

      createdSince: (workspaceId, since) =>
        createdSince(workspaceId, since).pipe(unavailable("count exports")),

      total: (workspaceId) =>
        sql`SELECT count(*) AS count FROM export WHERE workspace_id = ${workspaceId} AND ${shown}`.pipe(
          Effect.flatMap(count),
          unavailable("count exports")
        ),

      expired: (at, limit) =>
        // Served by export_files.
        sql`
          SELECT ${columns} FROM export
          WHERE has_files = 1 AND expires_at <= ${at} AND status NOT IN ('pending', 'processing')
          ORDER BY expires_at LIMIT ${limit}`.pipe(
          Effect.flatMap(readable),
          unavailable("find expired exports")
        ),

      forget: (id) =>
        sql`UPDATE export SET has_files = 0 WHERE id = ${id}`.pipe(
          Effect.asVoid,
          unavailable("forget an export's files")
        ),

      withdraw: Effect.fnUntraced(
        function* (workspaceId, at, naming) {
          const own = sql`workspace_id = ${workspaceId}`
          if (naming !== null) {
            yield* sql`
              UPDATE export SET status = 'failed', claim = NULL
              WHERE ${own} AND status IN ('pending', 'processing') AND ${holdsJsonText(sql, "filters", naming)}`
          }
          const made = yield* sql`
            UPDATE export SET expires_at = ${at}
            WHERE ${own} AND status IN ('completed', 'failed') AND expires_at > ${at} RETURNING id`
          yield* sql`
            UPDATE export SET filters = '{}'
            WHERE ${own} AND status IN ('completed', 'failed') AND filters <> '{}'`
          const making = yield* sql`
            UPDATE export SET status = 'pending', claim = NULL, held_until = 0, progress = 0
            WHERE ${own} AND status = 'processing' RETURNING id`
          return made.length + making.length
        },
        (effect) => sql.withTransaction(effect),
        unavailable("withdraw exports")
      ),

      prune: (before) =>
        sql`
          DELETE FROM export
          WHERE has_files = 0 AND created_at < ${before} AND status NOT IN ('pending', 'processing') RETURNING id`.pipe(
          Effect.map((rows) => rows.length),
          unavailable("remove old exports")
        )
    })
  })
)
