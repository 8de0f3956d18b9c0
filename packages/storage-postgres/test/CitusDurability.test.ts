/** What a server says at its start of machines that confirm commits before they are on disk. */
import { PostgresClient } from "@cairn/storage-postgres"
import { alterMachine, citusUrl, unlessCitus } from "@cairn/testing/CitusCluster"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, References } from "effect"
import { newCitus, usesCluster } from "./CitusStorage.ts"

const WORKERS = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<{ readonly port: number }>`
    SELECT nodeport AS port FROM pg_dist_node WHERE groupid > 0 ORDER BY groupid`
)

describe.skipIf(citusUrl === "")(`a machine that may forget${unlessCitus}`, () => {
  usesCluster("alone")

  it.live("is warned of by its address, and no other is", () =>
    Effect.gen(function* () {
      const url = yield* newCitus
      const told: Array<unknown> = []
      const logger = Logger.make(({ message, fiber }) => {
        told.push([message, fiber.getRef(References.CurrentLogAnnotations)])
      })
      const client = PostgresClient.layer({ url: Redacted.make(url), maxConnections: 2 }).pipe(
        Layer.provideMerge(Logger.layer([logger]))
      )
      yield* Effect.gen(function* () {
        const [first, ...others] = yield* WORKERS
        for (const { port } of others) yield* altered(port, "on")
        yield* altered(first?.port ?? 0, "off")
        yield* Effect.gen(function* () {
          const isTold = () => JSON.stringify(told).includes(`127.0.0.1:${first?.port}`)
          for (let tries = 0; tries < 200 && !isTold(); tries++) yield* Effect.sleep("50 millis")
          // What is asked of the others has an answer by then.
          yield* Effect.sleep("1 second")
        }).pipe(Effect.provide(Layer.fresh(client)))
        const text = JSON.stringify(told)
        assert.include(text, `"machine":"127.0.0.1:${first?.port}"`)
        assert.match(text, /confirms commits before they are on disk/)
        for (const { port } of others) assert.notInclude(text, `127.0.0.1:${port}`)
      }).pipe(Effect.provide(PostgresClient.layerQuiet({ url: Redacted.make(url), maxConnections: 1 })))
    }).pipe(Effect.scoped)
  )
})

/** Sets a machine so while the scope lasts. */
const altered = (port: number, fsync: "on" | "off") =>
  Effect.acquireRelease(
    Effect.promise(() => alterMachine(port, "fsync", fsync)),
    (restore) => Effect.promise(restore)
  )
