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
import { SqlClient, type Statement } from "effect/sql"
import { againIfMadeMeanwhile, isUniqueViolation, unavailable } from "./StorageFailure.ts"
import { isOf, type KeyedTables, WorkspaceKeys } from "./WorkspaceKeys.ts"

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
      unavailable("reseal a checkpoint key")
    )
})

/** The newest checkpoint of each log, in `checkpoint`. */
const newestCheckpoints = (tables: KeyedTables): Pick<Store, "newest" | "issue"> => {
  const { sql, keys } = tables
  const read = Effect.fnUntraced(function* (which: Statement.Fragment) {
    const rows = yield* sql`SELECT size, root, key_number, note FROM checkpoint WHERE ${which}`
    const [row] = yield* decodeCheckpoints(rows)
    return Option.map(Option.fromNullishOr(row), toIssued)
  })
  return {
    newest: Effect.fnUntraced(function* (workspaceId) {
      const found = yield* read(yield* isOf(tables, workspaceId))
      if (Option.isSome(found) || keys.column === "workspace_id") return found
      // That of a log whose workspace somebody has removed, or recreated under another number.
      return yield* read(sql`workspace_id = ${workspaceId}`)
    }, unavailable("read a checkpoint")),
    issue: Effect.fnUntraced(function* (workspaceId, { size, root, keyNumber, note }) {
      const key = yield* keys.of(workspaceId)
      const row = { ...key, size, root, key_number: keyNumber, note }
      const write = sql`
          INSERT INTO checkpoint ${sql.insert(row)} ON CONFLICT (${sql.literal(keys.column)}) DO UPDATE
          SET size = excluded.size, root = excluded.root, key_number = excluded.key_number, note = excluded.note
          WHERE checkpoint.size <= excluded.size`
      // That of the same log, from before somebody recreated its workspace under another number: `newest` has
      // shown it to the signer.
      const replace = sql`
          DELETE FROM checkpoint WHERE workspace_id = ${workspaceId} AND size <= ${size}
            AND ${sql.literal(keys.column)} IS DISTINCT FROM ${key[keys.column]}`
      yield* againIfMadeMeanwhile(write).pipe(
        Effect.catchIf(isUniqueViolation, () => sql.withTransaction(Effect.andThen(replace, write)))
      )
    }, unavailable("keep a checkpoint"))
  }
}

/** What is published of each log, in `published_checkpoint`; the reads are served by its primary key. */
const publishedCheckpoints = (
  tables: KeyedTables
): Pick<Store, "publish" | "publishedAfter" | "publishedPage" | "publishedCount"> => {
  const { sql, keys } = tables
  const within = (workspaceId: string) => isOf(tables, workspaceId)
  return {
    publish: Effect.fnUntraced(function* (workspaceId, { size, root, note, signedAt }) {
      const row = { ...(yield* keys.of(workspaceId)), size, root, note, signed_at: signedAt }
      yield* sql`INSERT INTO published_checkpoint ${sql.insert(row)} ON CONFLICT DO NOTHING`
    }, unavailable("publish a checkpoint")),
    publishedAfter: Effect.fnUntraced(function* (workspaceId, size, limit) {
      const rows = yield* sql`
        SELECT size, root, note, signed_at FROM published_checkpoint
        WHERE ${yield* within(workspaceId)} AND size > ${size} ORDER BY size LIMIT ${limit}`
      return yield* published(rows)
    }, unavailable("read published checkpoints")),
    publishedPage: Effect.fnUntraced(function* (workspaceId, { before, limit }) {
      const rows = yield* sql`
        SELECT size, root, note, signed_at FROM published_checkpoint
        WHERE ${yield* within(workspaceId)} AND size < ${before ?? Number.MAX_SAFE_INTEGER}
        ORDER BY size DESC LIMIT ${limit}`
      return yield* published(rows)
    }, unavailable("list published checkpoints")),
    publishedCount: Effect.fnUntraced(function* (workspaceId) {
      const rows = yield* sql`
        SELECT count(*) AS count FROM published_checkpoint WHERE ${yield* within(workspaceId)}`
      const [row] = yield* decodeCount(rows)
      return row?.count ?? 0
    }, unavailable("count published checkpoints"))
  }
}

/** The store over any SQL client. */
export const layer = Layer.effect(
  Checkpoints,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = { sql, keys: yield* WorkspaceKeys }
    return Checkpoints.of({
      ...checkpointKeys(sql),
      ...newestCheckpoints(tables),
      ...publishedCheckpoints(tables)
    })
  })
)
