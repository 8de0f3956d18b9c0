/** One PostgreSQL server for a test file; a database of its own for each storage. */
import { PostgresStorage } from "@cairn/storage-postgres"
import type { StorageOptions } from "@cairn/testing"
import { startPostgres, type TestPostgres, type TestPostgresOptions } from "@cairn/testing/EmbeddedPostgres"
import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll } from "vitest"

/** Starts the server before the file's tests and stops it after them. */
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

/** A storage on an empty database. */
export const emptyStorage =
  (server: () => TestPostgres) =>
  ({ inboxCapacity }: StorageOptions) =>
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => server().newDatabase()),
        (url) =>
          PostgresStorage.layer({
            url: Redacted.make(url),
            ...(inboxCapacity === undefined ? {} : { inboxCapacity })
          })
      )
    )
