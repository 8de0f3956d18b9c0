/**
 * What people set up in a workspace, over any SQL client: each kind has its own table, with the thing itself
 * as JSON.
 */
import { AlertRules, mendStoredRule, StoredAlertRule } from "@cairn/core/alert"
import { LogStreams, StoredLogStream, Webhook, Webhooks } from "@cairn/core/outbound"
import {
  type CollectionItem,
  Member,
  Members,
  ViewerKey,
  ViewerKeys,
  type WorkspaceCollection
} from "@cairn/core/workspace"
import { Effect, Layer, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { aloneInWorkspace } from "./AloneInWorkspace.ts"
import { readableRows } from "./ReadableRows.ts"
import { unavailable } from "./StorageFailure.ts"

const decodeRow = Schema.decodeUnknownEffect(Schema.Struct({ body: Schema.String }))

/**
 * A collection in `table`, whose body is the JSON of `schema`. `mend` converts a body that an earlier version
 * wrote differently.
 *
 * A row that cannot be read does not hide others: lists leave it out, and that is logged once. Reading it by
 * its id fails.
 */
const collection = <A extends CollectionItem>(
  sql: SqlClient.SqlClient,
  name: string,
  schema: Schema.Codec<A, unknown>,
  mend: (body: unknown) => unknown = (body) => body
): WorkspaceCollection<A> => {
  const table = sql.literal(name)
  const parse = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))
  const decode = Schema.decodeUnknownEffect(schema)
  const encode = Schema.encodeEffect(Schema.fromJsonString(schema))
  const read = (body: string) => Effect.flatMap(parse(body), (parsed) => decode(mend(parsed)))
  const items = readableRows(name, (row) => Effect.flatMap(decodeRow(row), ({ body }) => read(body)))

  const select = (workspaceId: string, id: string) =>
    sql`SELECT id, body FROM ${table} WHERE id = ${id} AND workspace_id = ${workspaceId}`.pipe(
      Effect.flatMap(([row]) =>
        row === undefined
          ? Effect.succeed(undefined)
          : Effect.flatMap(decodeRow(row), ({ body }) => read(body))
      )
    )

  const list = (workspaceId: string) =>
    sql`SELECT id, body FROM ${table} WHERE workspace_id = ${workspaceId} ORDER BY created_at DESC, id DESC`.pipe(
      Effect.flatMap(items)
    )

  const alone = <B, E>(workspaceId: string, effect: Effect.Effect<B, E>) =>
    aloneInWorkspace(sql, workspaceId, effect)

  /** An error of the caller's own is not a failure of the store. */
  const unwrap = <B, E, F>(effect: Effect.Effect<Result.Result<B, E>, F>): Effect.Effect<B, E | F> =>
    Effect.flatMap(effect, Effect.fromResult)

  return {
    create: <E>(item: A, admit?: (existing: ReadonlyArray<A>) => Result.Result<void, E>) =>
      unwrap(
        alone(
          item.workspace_id,
          Effect.gen(function* () {
            const admitted: Result.Result<void, E> =
              admit === undefined ? Result.void : admit(yield* list(item.workspace_id))
            if (Result.isFailure(admitted)) return admitted
            const body = yield* encode(item)
            yield* sql`
              INSERT INTO ${table} (id, workspace_id, created_at, body)
              VALUES (${item.id}, ${item.workspace_id}, ${item.created_at}, ${body})`
            return admitted
          })
        ).pipe(unavailable(`create in ${name}`))
      ),
    get: (workspaceId, id) =>
      select(workspaceId, id).pipe(Effect.map(Option.fromNullishOr), unavailable(`read from ${name}`)),
    list: (workspaceId) => list(workspaceId).pipe(unavailable(`list ${name}`)),
    all: sql`SELECT id, body FROM ${table}`.pipe(Effect.flatMap(items), unavailable(`list all of ${name}`)),
    modify: <E>(workspaceId: string, id: string, change: (before: A) => Result.Result<A, E>) =>
      unwrap(
        alone(
          workspaceId,
          Effect.gen(function* () {
            const before = yield* select(workspaceId, id)
            if (before === undefined) return Result.succeed(Option.none<A>())
            const changed = change(before)
            if (Result.isFailure(changed)) return Result.fail(changed.failure)
            const { workspace_id, created_at } = before
            const after = { ...changed.success, id, workspace_id, created_at }
            const body = yield* encode(after)
            yield* sql`UPDATE ${table} SET body = ${body} WHERE id = ${id} AND workspace_id = ${workspaceId}`
            return Result.succeed(Option.some<A>(after))
          })
        ).pipe(unavailable(`change in ${name}`))
      ),
    remove: (workspaceId, id) =>
      sql`DELETE FROM ${table} WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        unavailable(`remove from ${name}`)
      )
  }
}

/**
 * `AlertRules`, `Webhooks`, `LogStreams`, `Members` and `ViewerKeys`, in the database that holds the table
 * `workspace`.
 */
export const layer = Layer.mergeAll(
  Layer.effect(
    AlertRules,
    Effect.map(SqlClient.SqlClient, (sql) => collection(sql, "alert_rule", StoredAlertRule, mendStoredRule))
  ),
  Layer.effect(
    Webhooks,
    Effect.map(SqlClient.SqlClient, (sql) => collection(sql, "webhook", Webhook))
  ),
  Layer.effect(
    LogStreams,
    Effect.map(SqlClient.SqlClient, (sql) => collection(sql, "log_stream", StoredLogStream))
  ),
  Layer.effect(
    Members,
    Effect.map(SqlClient.SqlClient, (sql) => collection(sql, "member", Member))
  ),
  Layer.effect(
    ViewerKeys,
    Effect.map(SqlClient.SqlClient, (sql) => collection(sql, "viewer_key", ViewerKey))
  )
)
