/** Checkpoint keys and newest checkpoints, in the tables `checkpoint_key` and `checkpoint`. */
import { type CheckpointKey, Checkpoints, type IssuedCheckpoint } from "@cairn/core"
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
const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(KeyRow))
const decodeCheckpoints = Schema.decodeUnknownEffect(Schema.Array(CheckpointRow))

/** The store over any SQL client. */
export const layer = Layer.effect(
  Checkpoints,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const keys = sql`
      SELECT number, name, public_key, sealed_seed, created_at FROM checkpoint_key ORDER BY number DESC`.pipe(
      Effect.flatMap(decodeKeys),
      Effect.map((rows) =>
        rows.map(
          (row): CheckpointKey => ({
            number: row.number,
            name: row.name,
            publicKey: row.public_key,
            sealedSeed: row.sealed_seed,
            createdAt: row.created_at
          })
        )
      ),
      unavailable("read the checkpoint keys")
    )

    const addKey = ({ number, name, publicKey, sealedSeed, createdAt }: CheckpointKey) =>
      sql`
        INSERT INTO checkpoint_key (number, name, public_key, sealed_seed, created_at)
        VALUES (${number}, ${name}, ${publicKey}, ${sealedSeed}, ${createdAt})
        ON CONFLICT (number) DO NOTHING RETURNING number`.pipe(
        Effect.map((rows) => rows.length > 0),
        unavailable("add a checkpoint key")
      )

    const resealKey = (number: number, sealedSeed: string) =>
      sql`UPDATE checkpoint_key SET sealed_seed = ${sealedSeed} WHERE number = ${number}`.pipe(
        Effect.asVoid,
        unavailable("seal a checkpoint key anew")
      )

    const newest = (workspaceId: string) =>
      sql`SELECT size, root, key_number, note FROM checkpoint WHERE workspace_id = ${workspaceId}`.pipe(
        Effect.flatMap(decodeCheckpoints),
        Effect.map(([row]) =>
          Option.map(
            Option.fromNullishOr(row),
            ({ size, root, key_number, note }): IssuedCheckpoint => ({
              size,
              root,
              keyNumber: key_number,
              note
            })
          )
        ),
        unavailable("read a checkpoint")
      )

    const issue = (workspaceId: string, { size, root, keyNumber, note }: IssuedCheckpoint) =>
      sql`
        INSERT INTO checkpoint (workspace_id, size, root, key_number, note)
        VALUES (${workspaceId}, ${size}, ${root}, ${keyNumber}, ${note})
        ON CONFLICT (workspace_id) DO UPDATE
        SET size = excluded.size, root = excluded.root, key_number = excluded.key_number, note = excluded.note
        WHERE checkpoint.size <= excluded.size`.pipe(Effect.asVoid, unavailable("keep a checkpoint"))

    return Checkpoints.of({ keys, addKey, resealKey, newest, issue })
  })
)
