/** PostgreSQL for tests: the shared server or a file's own, and a database of its own for each storage. */
import { GeoIp } from "@cairn/core/event"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { Acceptance, ClockGuard, Sequencer } from "@cairn/core/log"
import { ChainVerifier } from "@cairn/core/verification"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { PostgresStorage } from "@cairn/storage-postgres"
import type { StorageOptions } from "@cairn/testing"
import { testWorkspace } from "@cairn/testing"
import {
  emptyDatabases,
  startPostgres,
  type TestDatabases,
  type TestPostgres,
  type TestPostgresOptions
} from "@cairn/testing/EmbeddedPostgres"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { Effect, Layer, Logger, Redacted } from "effect"
import { afterAll, beforeAll } from "vitest"
import type { SeenConfig } from "../src/SeenHeads.ts"

/** The databases of the shared server, which is there before the file's tests. */
export const sharedServer = (): (() => TestDatabases) => {
  let server: TestDatabases | undefined
  beforeAll(async () => {
    server = await sharedPostgres()
  })
  return () => {
    if (server === undefined) throw new Error("the PostgreSQL server does not run yet")
    return server
  }
}

/** Starts a server of the file's own before its tests and stops it after them. */
export const postgresServer = (options: TestPostgresOptions = {}): (() => TestPostgres) => {
  let server: TestPostgres | undefined
  beforeAll(async () => {
    server = await startPostgres(options)
  })
  afterAll(() => server?.stop())
  return () => {
    if (server === undefined) throw new Error("the PostgreSQL server does not run yet")
    return server
  }
}

/** A storage that does not log: each would warn that the shared server does not sync. */
const storageOn = (url: string, inboxCapacity?: number) =>
  PostgresStorage.layer({
    url: Redacted.make(url),
    ...(inboxCapacity === undefined ? {} : { inboxCapacity })
  }).pipe(Layer.provide(Logger.layer([])))

/** Makes the tables of a database. */
const makeTables = (url: string) =>
  Layer.build(storageOn(url)).pipe(
    Effect.provide(Sha256.layer),
    Effect.scoped,
    Effect.asVoid,
    Effect.runPromise
  )

const databases = emptyDatabases(sharedPostgres, makeTables)

let original: Promise<string> | undefined

/**
 * The URL of a new database that has its tables and nothing in them, whoever stays connected to it. A copy
 * takes a fraction of the time of making the tables.
 */
export const copiedDatabase = async (): Promise<string> => {
  const { newDatabase } = await sharedPostgres()
  original ??= newDatabase().then(async (url) => {
    await makeTables(url)
    return url
  })
  return newDatabase(await original)
}

/** A database that has its tables and nothing in them, for as long as the scope lasts. */
const emptyDatabase = Effect.acquireRelease(
  Effect.promise(() => databases.take()),
  (url) => Effect.sync(() => databases.giveBack(url))
)

/** A storage on a database of its own, which has its tables and nothing in them. */
export const emptyStorage = ({ inboxCapacity }: StorageOptions) =>
  Layer.unwrap(Effect.map(emptyDatabase, (url) => storageOn(url, inboxCapacity)))

/** Two storages on one such database, as two processes have them. */
export const twoStorages = Effect.map(emptyDatabase, (url) => [storageOn(url), storageOn(url)] as const)

/** The core's use cases over the database of a URL: what one process of Cairn is. */
export const cairnOn = (url: string, seen?: SeenConfig) =>
  Layer.mergeAll(Acceptance.layer, Sequencer.layer, ChainVerifier.layer).pipe(
    Layer.provide(GeoIp.layerNowhere),
    Layer.provideMerge(ClockGuard.layer),
    Layer.provideMerge(
      Layer.mergeAll(PostgresStorage.layer({ url: Redacted.make(url), seen }), Sha256.layer, Randomness.layer)
    )
  )

/** Makes a workspace with this id. */
export const makeWorkspace = (id: string) =>
  Effect.flatMap(ManagedWorkspaces, ({ create }) => create(testWorkspace({ id })))

/** Accepts events as one request. */
export const accept = (workspaceId: string, bodies: ReadonlyArray<object>) =>
  Effect.flatMap(Acceptance, ({ batch }) =>
    Effect.map(
      batch({ workspaceId, clientAddress: null, keysExpireBefore: null }, { events: bodies }),
      ({ outcomes }) => outcomes
    )
  )

/** Appends everything that waits. */
export const drain = Effect.flatMap(Sequencer, (sequencer) => sequencer.drain)

/** The verification of a whole chain. */
export const verifyChain = (workspaceId: string) =>
  Effect.flatMap(ChainVerifier, ({ verify }) => verify({ workspaceId, limit: 1_000_000 }))
