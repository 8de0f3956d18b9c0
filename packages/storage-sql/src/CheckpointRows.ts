/**
 * Checkpoint keys, newest and published checkpoints, in the tables `checkpoint_key`, `checkpoint` and
 * `published_checkpoint`.
 */
import {
  type CheckpointKey,
  Checkpoints,
  type IssuedCheckpoint,
  type PublishedCheckpoint
} from "@cairn/core/checkpoint"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { unavailable } from "./StorageFailure.ts"

const KeyRow = Schema.Struct({
  number: Schema.Number,
  name: Schema.String,
  public_key: Schema.String,
  sealed_seed: Schema.String,
  created_at: Schema.Number
})
const CheckpointRow = Schema.Struct({
  size: Schema.Number,
  root: Schema.String,
  key_number: Schema.Number,
  note: Schema.String
})
const PublishedRow = Schema.Struct({
  size: Schema.Number,
  root: Schema.String,
  note: Schema.String,
  signed_at: Schema.Number
})
const CountRow = Schema.Struct({ count: Schema.Number })
const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(KeyRow))
const decodeCheckpoints = Schema.decodeUnknownEffect(Schema.Array(CheckpointRow))
const decodePublished = Schema.decodeUnknownEffect(Schema.Array(PublishedRow))
const decodeCount = Schema.decodeUnknownEffect(Schema.Array(CountRow))

const toKey = (row: typeof KeyRow.Type): CheckpointKey => ({
  number: row.number,
  name: row.name,
  publicKey: row.public_key,
  sealedSeed: row.sealed_seed,
  createdAt: row.created_at
})

const toIssued = ({ size, root, key_number, note }: typeof CheckpointRow.Type): IssuedCheckpoint => ({
  size,
  root,
  keyNumber: key_number,
  note
})

const published = (rows: unknown) =>
  Effect.map(decodePublished(rows), (found) =>
    found.map(
      ({ size, root, note, signed_at }): PublishedCheckpoint => ({ size, root, note, signedAt: signed_at })
    )
  )

type Store = Checkpoints["Service"]

/** The keys that sign checkpoints, in `checkpoint_key`. */
const checkpointKeys = (
  sql: SqlClient.SqlClient
): Pick<Store, "keys" | "lastSigningKey" | "addKey" | "resealKey"> => ({
  keys: sql`
    SELECT number, name, public_key, sealed_seed, created_at FROM checkpoint_key ORDER BY number DESC`.pipe(
    Effect.flatMap(decodeKeys),
    Effect.map((rows) => rows.map(toKey)),
    unavailable("read the checkpoint keys")
  ),
  // There is one row for each log. This is only read if there is no key.
  lastSigningKey: sql`SELECT coalesce(max(key_number), 0) AS count FROM checkpoint`.pipe(
    Effect.flatMap(decodeCount),
    Effect.map(([row]) => row?.count ?? 0),
    unavailable("read the newest checkpoints")
  ),
  addKey: ({ number, name, publicKey, sealedSeed, createdAt }) =>
    sql`
      INSERT INTO checkpoint_key (number, name, public_key, sealed_seed, created_at)
      VALUES (${number}, ${name}, ${publicKey}, ${sealedSeed}, ${createdAt})
      ON CONFLICT (number) DO NOTHING RETURNING number`.pipe(
      Effect.map((rows) => rows.length > 0),
      unavailable("add a checkpoint key")
    ),
  resealKey: (number, sealedSeed) =>
    sql`UPDATE checkpoint_key SET sealed_seed = ${sealedSeed} WHERE number = ${number}`.pipe(
      Effect.asVoid,
      unavailable("seal a checkpoint key anew")
    )
})

/** The newest checkpoint of each log, in `checkpoint`. */
const newestCheckpoints = (sql: SqlClient.SqlClient): Pick<Store, "newest" | "issue"> => ({
  newest: (workspaceId) =>
    sql`SELECT size, root, key_number, note FROM checkpoint WHERE workspace_id = ${workspaceId}`.pipe(
      Effect.flatMap(decodeCheckpoints),
      Effect.map(([row]) => Option.map(Option.fromNullishOr(row), toIssued)),
      unavailable("read a checkpoint")
    ),
  issue: (workspaceId, { size, root, keyNumber, note }) =>
    sql`
      INSERT INTO checkpoint (workspace_id, size, root, key_number, note)
      VALUES (${workspaceId}, ${size}, ${root}, ${keyNumber}, ${note})
      ON CONFLICT (workspace_id) DO UPDATE
      SET size = excluded.size, root = excluded.root, key_number = excluded.key_number, note = excluded.note
      WHERE checkpoint.size <= excluded.size`.pipe(Effect.asVoid, unavailable("keep a checkpoint"))
})

/** What is published of each log, in `published_checkpoint`; the reads are served by its primary key. */
const publishedCheckpoints = (
  sql: SqlClient.SqlClient
): Pick<Store, "publish" | "publishedAfter" | "publishedPage" | "publishedCount"> => ({
  publish: (workspaceId, { size, root, note, signedAt }) =>
    sql`
      INSERT INTO published_checkpoint (workspace_id, size, root, note, signed_at)
      VALUES (${workspaceId}, ${size}, ${root}, ${note}, ${signedAt})
      ON CONFLICT (workspace_id, size) DO NOTHING`.pipe(Effect.asVoid, unavailable("publish a checkpoint")),
  publishedAfter: (workspaceId, size, limit) =>
    sql`
      SELECT size, root, note, signed_at FROM published_checkpoint
      WHERE workspace_id = ${workspaceId} AND size > ${size} ORDER BY size LIMIT ${limit}`.pipe(
      Effect.flatMap(published),
      unavailable("read published checkpoints")
    ),
  publishedPage: (workspaceId, { before, limit }) =>
    sql`
      SELECT size, root, note, signed_at FROM published_checkpoint
      WHERE workspace_id = ${workspaceId} AND size < ${before ?? Number.MAX_SAFE_INTEGER}
      ORDER BY size DESC LIMIT ${limit}`.pipe(
      Effect.flatMap(published),
      unavailable("list published checkpoints")
    ),
  publishedCount: (workspaceId) =>
    sql`SELECT count(*) AS count FROM published_checkpoint WHERE workspace_id = ${workspaceId}`.pipe(
      Effect.flatMap(decodeCount),
      Effect.map(([row]) => row?.count ?? 0),
      unavailable("count published checkpoints")
    )
})

/** The store over any SQL client. */
export const layer = Layer.effect(
  Checkpoints,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Checkpoints.of({ ...checkpointKeys(sql), ...newestCheckpoints(sql), ...publishedCheckpoints(sql) })
  )
)
