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

/** The keys, in the table `api_key`. */
export const layer = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)
    const readable = readableRows("api_key", decodeRow)

    const insert = (key: ApiKey) => sql`
      INSERT INTO api_key (${columns})
      VALUES (${key.id}, ${key.public_id}, ${key.workspace_id}, ${key.name}, ${JSON.stringify(key.scopes)}, ${key.hash},
        ${key.created_by}, ${key.created_at}, ${key.last_used_at}, ${key.expires_at}, ${key.revoked_at})`

    const rowsOf = (workspaceId: string) =>
      sql`SELECT ${columns} FROM api_key WHERE workspace_id = ${workspaceId} ORDER BY created_at DESC, id DESC`.pipe(
        Effect.flatMap(readable)
      )

    const create = <E>(key: ApiKey, admit?: (existing: ReadonlyArray<ApiKey>) => Result.Result<void, E>) =>
      aloneInWorkspace(
        sql,
        key.workspace_id,
        Effect.gen(function* () {
          const admitted: Result.Result<void, E> =
            admit === undefined ? Result.void : admit(yield* rowsOf(key.workspace_id))
          if (Result.isSuccess(admitted)) yield* insert(key)
          return admitted
        })
      ).pipe(unavailable("create an API key"), Effect.flatMap(Effect.fromResult))

    const findByPublicId = (publicId: string) =>
      !isStorable(publicId)
        ? Effect.succeedNone
        : sql`SELECT ${columns} FROM api_key WHERE public_id = ${publicId}`.pipe(
            Effect.flatMap(decodeRows),
            Effect.map((rows) => Option.fromNullishOr(rows[0])),
            unavailable("find an API key")
          )

    const get = (workspaceId: string, id: string) =>
      !isStorable(id)
        ? Effect.succeedNone
        : sql`SELECT ${columns} FROM api_key WHERE workspace_id = ${workspaceId} AND id = ${id}`.pipe(
            Effect.flatMap(decodeRows),
            Effect.map((rows) => Option.fromNullishOr(rows[0])),
            unavailable("read an API key")
          )

    const list = (workspaceId: string) => rowsOf(workspaceId).pipe(unavailable("list API keys"))

    const revoke = Effect.fn("ApiKeys.revoke")(function* (
      workspaceId: string,
      id: string,
      at: Micros.Micros
    ) {
      if (!isStorable(id)) return yield* new ApiKeyNotFound({ keyId: id })
      yield* sql`
        UPDATE api_key SET revoked_at = ${at}
        WHERE workspace_id = ${workspaceId} AND id = ${id} AND revoked_at IS NULL`.pipe(
        unavailable("revoke an API key")
      )
      const key = yield* get(workspaceId, id)
      return Option.isSome(key) ? key.value : yield* new ApiKeyNotFound({ keyId: id })
    })

    const shorten = (
      workspaceId: string,
      ids: ReadonlyArray<string>,
      end: Micros.Micros,
      at: Micros.Micros
    ) =>
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
        .pipe(unavailable("shorten API keys"))

    // By the indexes api_key_revoked and api_key_shortened.
    const restrictedSince = (since: Micros.Micros) =>
      sql`
        SELECT id FROM api_key WHERE revoked_at >= ${since}
        UNION SELECT id FROM api_key WHERE shortened_at >= ${since}`.pipe(
        Effect.flatMap(decodeIds),
        Effect.map((rows) => rows.map(({ id }) => id)),
        unavailable("read restrictions of API keys")
      )

    const rehash = (id: string, from: string, to: string) =>
      sql`UPDATE api_key SET hash = ${to} WHERE id = ${id} AND hash = ${from}`.pipe(
        Effect.asVoid,
        unavailable("replace the hash of an API key")
      )

    const touch = (used: ReadonlyMap<string, Micros.Micros>) =>
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

    return ApiKeys.of({ create, findByPublicId, get, list, revoke, shorten, restrictedSince, rehash, touch })
  })
)
