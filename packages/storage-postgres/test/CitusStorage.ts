/** Databases over several machines for tests, with Cairn's tables. */
import { MIGRATIONS, migrate, PostgresClient, PostgresStorage } from "@cairn/storage-postgres"
import { FrameEvents } from "@cairn/storage-sql"
import type { StorageOptions } from "@cairn/testing"
import { citusQuery, dropCitusDatabases, holdCluster, newCitusDatabase } from "@cairn/testing/CitusCluster"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Logger, Redacted } from "effect"
import { afterAll, beforeAll } from "vitest"
import { distribute } from "../src/Distribution.ts"
import { numberRows } from "../src/NumberedRows.ts"

const quiet = Logger.layer([])

/** A client of one session. */
export const clientOf = (url: string) =>
  PostgresClient.layerQuiet({ url: Redacted.make(url), maxConnections: 1 }).pipe(Layer.provide(quiet))

/** Shards of a table: fewer than by default are emptied sooner. */
const SHARDS = 4

/** The URL of a new database, with its tables spread. */
const newDatabase = Effect.gen(function* () {
  const url = yield* Effect.promise(newCitusDatabase)
  yield* Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* migrate(MIGRATIONS)
    yield* numberRows
    yield* sql.unsafe(`SET citus.shard_count = ${SHARDS}`)
    yield* distribute
  }).pipe(Effect.provide(clientOf(url)))
  return url
})

/**
 * Empties every table, and counts numbers from 1 again. The triggers that keep the log append-only do not run
 * where a session replays what happened elsewhere.
 */
const EMPTY_SHARDS = `DO $$
DECLARE
  written text;
BEGIN
  SET LOCAL session_replication_role = replica;
  SET LOCAL citus.enable_manual_changes_to_shards = on;
  FOR written IN
    SELECT oid::regclass::text FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname ~ '_[0-9]{6}$'
      AND pg_relation_size(oid) > 0
  LOOP EXECUTE 'DELETE FROM ' || written; END LOOP;
END $$`
const EMPTY = `DO $body$
DECLARE
  written text;
  failed text;
BEGIN
  SELECT string_agg(result, '; ') INTO failed FROM run_command_on_workers($c$${EMPTY_SHARDS}$c$) WHERE NOT success;
  IF failed IS NOT NULL THEN RAISE EXCEPTION 'shards were not emptied: %', failed; END IF;
  FOR written IN
    SELECT oid::regclass::text FROM pg_class c
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'cairn_migration'
      AND relname !~ '_[0-9]{6}$'
      AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid AND partmethod = 'h')
    ORDER BY relname IN ('workspace', 'person'), relname IN ('session', 'anchor_submission')
  LOOP EXECUTE 'DELETE FROM ' || written; END LOOP;
  PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence s JOIN pg_class c ON c.oid = seqrelid
  WHERE c.relnamespace = 'public'::regnamespace;
END $body$`

const unused: Array<string> = []

/** Longest wait for the cluster, in milliseconds: until the tests of others are done. */
const TURN_MILLIS = 900_000

/**
 * Lets the tests of a file use the cluster, and drops what they have made, after them: within the file's
 * `describe`. Tests that harm machines use it `alone`.
 */
export const usesCluster = (how: "alone" | "together"): void => {
  let release = async () => {}
  beforeAll(async () => {
    release = await holdCluster(how)
  }, TURN_MILLIS)
  afterAll(async () => {
    unused.length = 0
    await dropCitusDatabases()
    await release()
  })
}

/** A database that nobody else gets. */
export const newCitus = Effect.orDie(newDatabase)

const take = Effect.suspend(() => {
  const url = unused.pop()
  return url === undefined
    ? newCitus
    : Effect.orDie(
        Effect.as(
          Effect.promise(() => citusQuery(url, EMPTY)),
          url
        )
      )
})

/** A database with its tables and nothing in them, for as long as the scope lasts. */
export const emptyCitus = Effect.acquireRelease(take, (url) => Effect.sync(() => unused.push(url)))

const storageOn = (url: string, inboxCapacity?: number) =>
  PostgresStorage.layer({
    url: Redacted.make(url),
    ...(inboxCapacity === undefined ? {} : { inboxCapacity })
  }).pipe(Layer.provide(quiet))

/** A storage over a database of its own, with nothing in it. */
export const citusStorage = ({ inboxCapacity }: StorageOptions) =>
  Layer.unwrap(Effect.map(emptyCitus, (url) => storageOn(url, inboxCapacity)))

/** The same, with two events a frame, so that a short log has more frames than a group. */
export const framedCitusStorage: typeof citusStorage = (options) =>
  citusStorage(options).pipe(Layer.provide(Layer.succeed(FrameEvents, 2)))

/** Two storages over one such database, as two processes have them. */
export const twoCitusStorages = Effect.map(emptyCitus, (url) => [storageOn(url), storageOn(url)] as const)
