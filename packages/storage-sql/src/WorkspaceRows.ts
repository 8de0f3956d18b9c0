/** Workspaces over any SQL client. */
import {
  AnchorSchedule,
  type Micros,
  PlanName,
  PlanOverrides,
  type Workspace,
  type WorkspaceChange,
  WorkspaceNotFound,
  Workspaces
} from "@cairn/core"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { unavailable } from "./StorageFailure.ts"

/** A row of `workspace`; lists and objects are JSON text. */
const WorkspaceRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  plan: PlanName,
  overrides: Schema.fromJsonString(PlanOverrides),
  ip_allowlist: Schema.fromJsonString(Schema.Array(Schema.String)),
  viewer_frame_ancestors: Schema.NullOr(Schema.fromJsonString(Schema.Array(Schema.String))),
  anchor_schedule: Schema.NullOr(Schema.fromJsonString(AnchorSchedule)),
  created_at: Schema.Number
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(WorkspaceRow))

const COLUMNS = "id, name, plan, overrides, ip_allowlist, viewer_frame_ancestors, anchor_schedule, created_at"

/** A list or an object that may be none, as text. */
const nullableJson = (value: object | null): string | null => (value === null ? null : JSON.stringify(value))

/** The workspaces, in the table `workspace`; a new one gets its row in `head` in the same transaction. */
export const layer = Layer.effect(
  Workspaces,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)

    const create = (workspace: Workspace) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`
              INSERT INTO workspace (id, name, plan, overrides, ip_allowlist, viewer_frame_ancestors, anchor_schedule,
                created_at, updated_at)
              VALUES (${workspace.id}, ${workspace.name}, ${workspace.plan}, ${JSON.stringify(workspace.overrides)},
                ${JSON.stringify(workspace.ip_allowlist)}, ${nullableJson(workspace.viewer_frame_ancestors)},
                ${nullableJson(workspace.anchor_schedule)},
                ${workspace.created_at}, ${workspace.created_at})`
            yield* sql`INSERT INTO head (workspace) SELECT number FROM workspace WHERE id = ${workspace.id}`
          })
        )
        .pipe(unavailable("create a workspace"))

    const get = (id: string) =>
      sql`SELECT ${columns} FROM workspace WHERE id = ${id}`.pipe(
        Effect.flatMap(decodeRows),
        Effect.map((rows) => Option.fromNullishOr(rows[0])),
        unavailable("read a workspace")
      )

    const list = sql`SELECT ${columns} FROM workspace ORDER BY number`.pipe(
      Effect.flatMap(decodeRows),
      unavailable("list workspaces")
    )

    const update = Effect.fn("Workspaces.update")(function* (
      id: string,
      change: WorkspaceChange,
      at: Micros.Micros
    ) {
      const { overrides, ip_allowlist, viewer_frame_ancestors, anchor_schedule, ...plain } = change
      const fields = {
        ...plain,
        ...(overrides === undefined ? {} : { overrides: JSON.stringify(overrides) }),
        ...(ip_allowlist === undefined ? {} : { ip_allowlist: JSON.stringify(ip_allowlist) }),
        ...(viewer_frame_ancestors === undefined
          ? {}
          : { viewer_frame_ancestors: nullableJson(viewer_frame_ancestors) }),
        ...(anchor_schedule === undefined ? {} : { anchor_schedule: nullableJson(anchor_schedule) }),
        updated_at: at
      }
      // Only what changes is written, so that two changes of different fields are both kept.
      const [changed] = yield* Effect.flatMap(
        sql`UPDATE workspace SET ${sql.update(fields)} WHERE id = ${id} RETURNING ${columns}`,
        decodeRows
      ).pipe(unavailable("update a workspace"))
      return changed ?? (yield* new WorkspaceNotFound({ workspaceId: id }))
    })

    return Workspaces.of({ create, get, list, update })
  })
)
