/** Shared token buckets: one row a bucket, and one statement to settle. */
import { RateBuckets, type RateUsage } from "@cairn/core/workspace"
import { unavailable } from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schedule } from "effect"

/** Seconds after which a process that has not settled no longer counts. */
const SHARING = 60

/** Seconds after which a bucket is full again, whatever was taken: one that is not there begins full. */
const KEPT = 3_600

/** How often full buckets are removed: every viewer token and every network that signs in has one. */
const PRUNE_EVERY = "10 minutes"

/** The buckets. */
export const layer = Layer.effect(
  RateBuckets,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const settle = Effect.fnUntraced(function* ({ key, process, used, perMinute }: RateUsage) {
      const [row] = yield* sql.unsafe<{ readonly tokens: number; readonly sharers: number }>(
        `INSERT INTO rate_bucket AS b (key, tokens, at, sharers)
         SELECT $1::text, $4::float8 - $3::float8, now, jsonb_build_object($2::text, now)
         FROM (SELECT extract(epoch FROM clock_timestamp())::float8 AS now) t
         ON CONFLICT (key) DO UPDATE SET
           tokens = least($4::float8, b.tokens + greatest(0, excluded.at - b.at) * $4::float8 / 60) - $3::float8,
           at = greatest(b.at, excluded.at),
           sharers = excluded.sharers || (
             SELECT coalesce(jsonb_object_agg(name, seen), '{}') FROM jsonb_each(b.sharers) AS s (name, seen)
             WHERE seen::float8 > excluded.at - ${SHARING} AND name <> $2::text)
         RETURNING tokens, (SELECT count(*) FROM jsonb_object_keys(sharers)) AS sharers`,
        [key, process, used, perMinute]
      )
      return { tokens: row?.tokens ?? 0, sharers: row?.sharers ?? 1 }
    }, unavailable("settle a rate limit"))

    const prune = sql.unsafe(
      `DELETE FROM rate_bucket WHERE at < extract(epoch FROM clock_timestamp())::float8 - ${KEPT}`
    )
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(prune), Schedule.spaced(PRUNE_EVERY)))

    return RateBuckets.of({ settle })
  })
)
