/** Workspaces over any SQL client. */
import { AnchorSchedule } from "@cairn/core/anchor"
import type { Micros } from "@cairn/core/encoding"
import type { StorageUnavailable } from "@cairn/core/log"
import {
  AS_PLANNED,
  layerWorkspaces,
  type ManagedWorkspace,
  type ManagedWorkspaceChange,
  ManagedWorkspaces,
  PlanName,
  type PlanOverrides,
  RetentionSettings,
  StoredPlanOverrides,
  soundOverrides,
  UnknownFields,
  ViewerSettings,
  WorkspaceNotFound
} from "@cairn/core/workspace"
import { Effect, Layer, Option, Result, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { readableRows } from "./ReadableRows.ts"
import { unavailable } from "./StorageFailure.ts"

/** A row of `workspace`; lists and objects are JSON text, and what is true or not is 1 or 0. */
const WorkspaceRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  plan: PlanName,
  overrides: Schema.fromJsonString(StoredPlanOverrides),
  retention: Schema.NullOr(Schema.fromJsonString(RetentionSettings)),
  ip_allowlist: Schema.fromJsonString(Schema.Array(Schema.String)),
  viewer_frame_ancestors: Schema.NullOr(Schema.fromJsonString(Schema.Array(Schema.String))),
  anchor_schedule: Schema.NullOr(Schema.fromJsonString(AnchorSchedule)),
  unknown_fields: UnknownFields,
  key_access_events: Schema.Number,
  viewer: Schema.NullOr(Schema.fromJsonString(ViewerSettings)),
  log_origin: Schema.NullOr(Schema.String),
  closed_at: Schema.NullOr(Schema.Number),
  created_at: Schema.Number
})
const decode = Schema.decodeUnknownEffect(WorkspaceRow)
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))
const decodeNumbers = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ number: Schema.Number })))
const decodeVersions = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.String, updated_at: Schema.Number }))
)

/** Workspaces whose versions are read by one statement. */
const VERSIONS_AT_ONCE = 500

const decodeRow = (row: unknown) =>
  Effect.map(
    decode(row),
    (decoded): ManagedWorkspace => ({
      ...decoded,
      overrides: soundOverrides(decoded.overrides),
      key_access_events: decoded.key_access_events !== 0,
      retention: decoded.retention ?? AS_PLANNED
    })
  )

/** Rows that were selected by id. */
const decodeRows = (rows: ReadonlyArray<unknown>) => Effect.forEach(rows, decodeRow)

const overridesText = (overrides: PlanOverrides): string => JSON.stringify(soundOverrides(overrides))

const COLUMNS =
  "id, name, plan, overrides, retention, ip_allowlist, viewer_frame_ancestors, anchor_schedule, unknown_fields, key_access_events, viewer, log_origin, closed_at, created_at"

/** A list or an object as text, or null. */
const nullableJson = (value: object | null): string | null => (value === null ? null : JSON.stringify(value))

/** What is written to a row. */
type RowChange = ManagedWorkspaceChange & { readonly closed_at?: Micros.Micros | null }

/** The values that settings have in a row. */
const fieldsOf = ({
  overrides,
  retention,
  ip_allowlist,
  viewer_frame_ancestors,
  anchor_schedule,
  key_access_events,
  viewer,
  ...plain
}: RowChange) => ({
  ...plain,
  ...(overrides === undefined ? {} : { overrides: overridesText(overrides) }),
  ...(retention === undefined ? {} : { retention: JSON.stringify(retention) }),
  ...(ip_allowlist === undefined ? {} : { ip_allowlist: JSON.stringify(ip_allowlist) }),
  ...(viewer_frame_ancestors === undefined
    ? {}
    : { viewer_frame_ancestors: nullableJson(viewer_frame_ancestors) }),
  ...(anchor_schedule === undefined ? {} : { anchor_schedule: nullableJson(anchor_schedule) }),
  ...(key_access_events === undefined ? {} : { key_access_events: key_access_events ? 1 : 0 }),
  ...(viewer === undefined ? {} : { viewer: nullableJson(viewer) })
})

/** Keeps every process from accepting for a workspace, until the scope or the transaction ends. */
export type StopAccepting = (workspaceId: string) => Effect.Effect<unknown, SqlError, Scope.Scope>

const makeManaged = (stopAccepting: StopAccepting) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)
    const readable = readableRows("workspace", decodeRow)

    // SQLite has one writer at a time anyway.
    const lockNames = sql.onDialectOrElse({
      pg: () => sql`LOCK TABLE workspace IN SHARE ROW EXCLUSIVE MODE`,
      orElse: () => Effect.void
    })

    const namesakes = (name: string) =>
      sql`SELECT id FROM workspace WHERE name = ${name} ORDER BY number`.pipe(
        Effect.flatMap(decodeIds),
        Effect.map((rows) => rows.map(({ id }) => id))
      )

    const some = sql`SELECT id FROM workspace LIMIT 2`.pipe(
      Effect.flatMap(decodeIds),
      Effect.map((rows) => rows.map(({ id }) => id))
    )

    const insert = Effect.fnUntraced(function* ({
      id,
      created_at,
      log_origin,
      ...settings
    }: ManagedWorkspace) {
      const fixed = { id, created_at, log_origin }
      const row = { ...fixed, ...fieldsOf(settings), updated_at: created_at }
      const rows = yield* sql`INSERT INTO workspace ${sql.insert(row)} RETURNING number`
      for (const { number } of yield* decodeNumbers(rows)) {
        yield* sql`INSERT INTO head (workspace) VALUES (${number})`
      }
    })

    const create = <E = never>(
      workspace: ManagedWorkspace,
      admit?: (namesakes: ReadonlyArray<string>, some: ReadonlyArray<string>) => Result.Result<void, E>
    ): Effect.Effect<void, E | StorageUnavailable> =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            if (admit !== undefined) {
              yield* lockNames
              const admitted = admit(yield* namesakes(workspace.name), yield* some)
              if (Result.isFailure(admitted)) return admitted
            }
            yield* insert(workspace)
            return Result.void
          })
        )
        .pipe(unavailable("create a workspace"), Effect.flatMap(Effect.fromResult))

    const select = (id: string) =>
      sql`SELECT ${columns} FROM workspace WHERE id = ${id}`.pipe(
        Effect.flatMap(decodeRows),
        Effect.map((rows) => Option.fromNullishOr(rows[0]))
      )

    const get = (id: string) => select(id).pipe(unavailable("read a workspace"))

    const versions = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
      const known = new Map<string, number>()
      for (let at = 0; at < ids.length; at += VERSIONS_AT_ONCE) {
        const some = sql.in("id", ids.slice(at, at + VERSIONS_AT_ONCE))
        const rows = yield* decodeVersions(yield* sql`SELECT id, updated_at FROM workspace WHERE ${some}`)
        for (const { id, updated_at } of rows) known.set(id, updated_at)
      }
      return known
    }, unavailable("read the versions of workspaces"))

    const list = sql`SELECT ${columns} FROM workspace ORDER BY number`.pipe(
      Effect.flatMap(readable),
      unavailable("list workspaces")
    )

    /** The time of a change; later than that of the one before, also for a clock that is behind. */
    const later = (at: Micros.Micros) =>
      sql.onDialectOrElse({
        pg: () => sql`greatest(updated_at + 1, ${at}::bigint)`,
        orElse: () => sql`max(updated_at + 1, ${at})`
      })

    // Only changed columns are written, so that two changes of different fields are both kept.
    const write = (id: string, change: RowChange, at: Micros.Micros) => {
      const fields = fieldsOf(change)
      const changed = Object.keys(fields).length === 0 ? sql`` : sql`, ${sql.update(fields)}`
      return sql`
        UPDATE workspace SET updated_at = ${later(at)}${changed} WHERE id = ${id} RETURNING ${columns}`.pipe(
        Effect.flatMap(decodeRows),
        Effect.map((rows) => Option.fromNullishOr(rows[0]))
      )
    }

    const found = (id: string) => (workspace: Option.Option<ManagedWorkspace>) =>
      Option.isSome(workspace)
        ? Effect.succeed(workspace.value)
        : Effect.fail(new WorkspaceNotFound({ workspaceId: id }))

    const update = Effect.fn("Workspaces.update")(
      (id: string, change: ManagedWorkspaceChange, at: Micros.Micros) =>
        Effect.flatMap(write(id, change, at).pipe(unavailable("update a workspace")), found(id))
    )

    const modify = Effect.fn("Workspaces.modify")(function* <E>(
      id: string,
      change: (before: ManagedWorkspace) => Result.Result<ManagedWorkspaceChange, E>,
      at: Micros.Micros
    ) {
      const modified = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            // The row itself is the lock.
            yield* sql`UPDATE workspace SET updated_at = updated_at WHERE id = ${id}`
            const before = yield* select(id)
            if (Option.isNone(before)) return Result.succeed(Option.none<ManagedWorkspace>())
            const changed = change(before.value)
            return Result.isFailure(changed)
              ? Result.fail(changed.failure)
              : Result.succeed(yield* write(id, changed.success, at))
          })
        )
        .pipe(unavailable("modify a workspace"))
      return yield* Effect.flatMap(Effect.fromResult(modified), found(id))
    })

    const markClosed = Effect.fnUntraced(function* (id: string, at: Micros.Micros) {
      const before = yield* select(id)
      if (Option.getOrUndefined(before)?.closed_at !== null) return before
      yield* stopAccepting(id)
      return yield* write(id, { closed_at: at }, at)
    })

    const close = Effect.fn("Workspaces.close")((id: string, at: Micros.Micros) =>
      // Accepting goes on when the transaction has ended, so it finds what was written.
      Effect.scoped(sql.withTransaction(markClosed(id, at))).pipe(
        unavailable("close a workspace"),
        Effect.flatMap(found(id))
      )
    )

    return ManagedWorkspaces.of({ create, get, list, versions, update, modify, close })
  })

/**
 * The workspaces, in the table `workspace`; a new one gets its row in `head` in the same transaction.
 * `makeStop` makes what keeps processes from accepting.
 */
export const layer = <R>(makeStop: Effect.Effect<StopAccepting, never, R>) =>
  layerWorkspaces.pipe(
    Layer.provideMerge(Layer.effect(ManagedWorkspaces, Effect.flatMap(makeStop, makeManaged)))
  )
