/** API keys over any SQL client. */

import type { Micros } from "@cairn/core/encoding"
import { type ApiKey, ApiKeyNotFound, ApiKeys, Scope } from "@cairn/core/workspace"
import { Effect, Layer, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { aloneInWorkspace } from "./AloneInWorkspace.ts"
import { readableRows } from "./ReadableRows.ts"
import { isStorable } from "./StorableText.ts"
import { unavailable } from "./StorageFailure.ts"

const nullableNumber = Schema.NullOr(Schema.Number)

/** A row of `api_key`; the scopes are JSON text. */
const ApiKeyRow = Schema.Struct({
  id: Schema.String,
  public_id: Schema.String,
  workspace_id: Schema.String,
  name: Schema.NullOr(Schema.String),
  scopes: Schema.fromJsonString(Schema.Array(Scope)),
  hash: Schema.String,
  created_by: Schema.NullOr(Schema.String),
  created_at: Schema.Number,
  last_used_at: nullableNumber,
  expires_at: nullableNumber,
  revoked_at: nullableNumber
})
const decodeRow = Schema.decodeUnknownEffect(ApiKeyRow)
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(ApiKeyRow))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

const COLUMNS =
  "id, public_id, workspace_id, name, scopes, hash, created_by, created_at, last_used_at, expires_at, revoked_at"

type Keys = ApiKeys["Service"]

const insert = (sql: SqlClient.SqlClient, key: ApiKey) => sql`
  INSERT INTO api_key (${sql.literal(COLUMNS)})
  VALUES (${key.id}, ${key.public_id}, ${key.workspace_id}, ${key.name}, ${JSON.stringify(key.scopes)}, ${key.hash},
    ${key.created_by}, ${key.created_at}, ${key.last_used_at}, ${key.expires_at}, ${key.revoked_at})`

/** The keys of a workspace. */
const workspaceKeys = (sql: SqlClient.SqlClient): Pick<Keys, "create" | "list"> => {
  const readable = readableRows("api_key", decodeRow)

  const rowsOf = (workspaceId: string) =>
    sql`
      SELECT ${sql.literal(COLUMNS)} FROM api_key
      WHERE workspace_id = ${workspaceId} ORDER BY created_at DESC, id DESC`.pipe(Effect.flatMap(readable))

  return {
    create: <E>(key: ApiKey, admit?: (existing: ReadonlyArray<ApiKey>) => Result.Result<void, E>) =>
      aloneInWorkspace(
        sql,
        key.workspace_id,
        Effect.gen(function* () {
          const admitted: Result.Result<void, E> =
            admit === undefined ? Result.void : admit(yield* rowsOf(key.workspace_id))
          if (Result.isSuccess(admitted)) yield* insert(sql, key)
          return admitted
        })
      ).pipe(unavailable("create an API key"), Effect.flatMap(Effect.fromResult)),
    list: (workspaceId) => rowsOf(workspaceId).pipe(unavailable("list API keys"))
  }
}

/** Single keys. */
const lookUps = (sql: SqlClient.SqlClient): Pick<Keys, "findByPublicId" | "get"> => {
  const columns = sql.literal(COLUMNS)
  return {
    findByPublicId: (publicId) =>
      !isStorable(publicId)
        ? Effect.succeedNone
        : sql`SELECT ${columns} FROM api_key WHERE public_id = ${publicId}`.pipe(
            Effect.flatMap(decodeRows),
            Effect.map((rows) => Option.fromNullishOr(rows[0])),
            unavailable("find an API key")
          ),
    get: (workspaceId, id) =>
      !isStorable(id)
        ? Effect.succeedNone
        : sql`SELECT ${columns} FROM api_key WHERE workspace_id = ${workspaceId} AND id = ${id}`.pipe(
            Effect.flatMap(decodeRows),
            Effect.map((rows) => Option.fromNullishOr(rows[0])),
            unavailable("read an API key")
          )
  }
}

/** Restrictions of keys: what ends their use, or ends it earlier. */
const restrictions = (
  sql: SqlClient.SqlClient,
  get: Keys["get"]
): Pick<Keys, "revoke" | "shorten" | "restrictedSince"> => ({
  revoke: Effect.fn("ApiKeys.revoke")(function* (workspaceId: string, id: string, at: Micros.Micros) {
    if (!isStorable(id)) return yield* new ApiKeyNotFound({ keyId: id })
    yield* sql`
      UPDATE api_key SET revoked_at = ${at}
      WHERE workspace_id = ${workspaceId} AND id = ${id} AND revoked_at IS NULL`.pipe(
      unavailable("revoke an API key")
    )
    const key = yield* get(workspaceId, id)
    return Option.isSome(key) ? key.value : yield* new ApiKeyNotFound({ keyId: id })
  }),
  shorten: (workspaceId, ids, end, at) =>
    sql
      .withTransaction(
        Effect.forEach(
          ids.filter(isStorable),
          (id) => sql`
            UPDATE api_key SET expires_at = ${end}, shortened_at = ${at}
            WHERE workspace_id = ${workspaceId} AND id = ${id} AND (expires_at IS NULL OR expires_at > ${end})`,
          { discard: true }
        )
      )
      .pipe(unavailable("shorten API keys")),
  // By the indexes api_key_revoked and api_key_shortened.
  restrictedSince: (since) =>
    sql`
      SELECT id FROM api_key WHERE revoked_at >= ${since}
      UNION SELECT id FROM api_key WHERE shortened_at >= ${since}`.pipe(
      Effect.flatMap(decodeIds),
      Effect.map((rows) => rows.map(({ id }) => id)),
      unavailable("read restrictions of API keys")
    )
})

/** What is stored of the use of keys. */
const usage = (sql: SqlClient.SqlClient): Pick<Keys, "rehash" | "touch"> => ({
  rehash: (id, from, to) =>
    sql`UPDATE api_key SET hash = ${to} WHERE id = ${id} AND hash = ${from}`.pipe(
      Effect.asVoid,
      unavailable("replace the hash of an API key")
    ),
  touch: (used) =>
    used.size === 0
      ? Effect.void
      : sql
          .withTransaction(
            Effect.forEach(
              used,
              ([id, at]) => sql`UPDATE api_key SET last_used_at = ${at} WHERE id = ${id}`,
              { discard: true }
            )
          )
          .pipe(unavailable("note the use of API keys"))
})

/** The keys, in the table `api_key`. */
export const layer = Layer.effect(
  ApiKeys,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const found = lookUps(sql)
    return ApiKeys.of({
      ...workspaceKeys(sql),
      ...found,
      ...restrictions(sql, found.get),
      ...usage(sql)
    })
  })
)
