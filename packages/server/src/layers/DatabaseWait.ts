/** Waits for a database that is not there yet, as when everything is started at once. */
import { Effect, Layer, Logger, Redacted } from "effect"
import type { Configuration } from "../settings/Configuration.ts"
import { byKind, nameOf } from "../settings/Database.ts"
import { DatabaseUnreachable, passes, reasonOf } from "./DatabaseErrors.ts"

const PAUSE = "1 second"

/** Why PostgreSQL cannot be reached now; undefined if it can, or if waiting does not help. */
const refusal = (url: string) =>
  Effect.gen(function* () {
    const { PostgresClient } = yield* Effect.promise(() => import("@cairn/storage-postgres"))
    const client = PostgresClient.layer({ url: Redacted.make(url), maxConnections: 1 })
    return yield* Layer.build(client).pipe(
      Effect.scoped,
      // Whoever opens the database says what it has to say of it.
      Effect.provide(Logger.layer([])),
      Effect.as(undefined),
      Effect.catch((error) => Effect.succeed(passes(error) ? reasonOf(error) : undefined))
    )
  })

/**
 * Waits until the database can be reached, at most for the seconds that the settings say; what else is wrong
 * with it shows when it is opened. Says in the log that it waits, and when that is over.
 */
export const waitForDatabase = ({
  database,
  databaseWaitSeconds: seconds
}: Pick<Configuration, "database" | "databaseWaitSeconds">): Effect.Effect<void, DatabaseUnreachable> =>
  byKind<Effect.Effect<void, DatabaseUnreachable>>(database, {
    sqlite: () => Effect.void,
    postgres: Effect.fnUntraced(function* ({ url }) {
      const name = nameOf(database)
      const deadline = performance.now() + seconds * 1_000
      let waits = false
      for (;;) {
        const reason = yield* refusal(url)
        if (reason === undefined) break
        if (performance.now() >= deadline)
          return yield* new DatabaseUnreachable({ database: name, reason, seconds })
        if (!waits) yield* Effect.logWarning(`Waiting for ${name}, at most ${seconds} seconds: ${reason}`)
        waits = true
        yield* Effect.sleep(PAUSE)
      }
      if (waits) yield* Effect.logInfo(`${name} can be reached`)
    })
  })
