/** `cairn copy` */

import type { StorageUnavailable } from "@cairn/core/log"
import { copyTables } from "@cairn/storage-sql"
import * as Sqlite from "@cairn/storage-sqlite"
import { secretKeyFile } from "@cairn/storage-sqlite"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { layerLog } from "../layers/Log.ts"
import { byKind, type Database, nameOf, readDatabase } from "../settings/Database.ts"
import { CommandFailed } from "./Failure.ts"
import { drawProgress, endProgress } from "./ProgressBar.ts"
import { configuration, json, print } from "./Shared.ts"
import { verifyAll } from "./VerifyAll.ts"

const databaseFlag = (name: string, url: string) => {
  const database = readDatabase(url)
  return database === undefined
    ? Effect.fail(
        new CommandFailed({
          message: `--${name} must be sqlite: and the path of a file, or a postgres:// URL`
        })
      )
    : Effect.succeed(database)
}

/** The adapter, loaded only where it is used. */
const postgres = Effect.promise(() => import("@cairn/storage-postgres"))

const openSource = (database: Database) =>
  byKind(database, {
    sqlite: ({ filename }) => Sqlite.copySource(filename),
    postgres: ({ url }) => Effect.flatMap(postgres, ({ copySource }) => copySource(url, nameOf(database)))
  })

const openTarget = (database: Database, restart: boolean) =>
  byKind(database, {
    sqlite: ({ filename }) => Sqlite.copyTarget(filename, restart),
    postgres: ({ url }) =>
      Effect.flatMap(postgres, ({ copyTarget }) => copyTarget(url, nameOf(database), restart))
  })

/** The message of the innermost cause: the driver's own. */
const reasonOf = (error: unknown): string => {
  if (error instanceof Error && error.cause !== undefined) return reasonOf(error.cause)
  return error instanceof Error ? error.message : String(error)
}

/** One line; where a database cannot be reached or made, also what says where it is. */
const explain = (source: string) => (error: StorageUnavailable) => {
  const where = /^(?:connect to|open) /.test(error.operation)
    ? `. ${source} and --to say where the databases are`
    : ""
  const message = `could not ${error.operation}: ${reasonOf(error)}${where}`
  return Effect.fail(new CommandFailed({ message, kind: "failed" }))
}

/** Copies everything, and closes the target. */
const copyTo = (source: Effect.Success<ReturnType<typeof openSource>>, to: Database, restart: boolean) =>
  Effect.gen(function* () {
    const target = yield* openTarget(to, restart)
    return yield* copyTables(source, target, ({ table, done, total }) => drawProgress(done, total, table))
  }).pipe(Effect.ensuring(Effect.sync(endProgress)), Effect.scoped)

/** The file of a database's secret key; `undefined` where the key comes from the environment alone. */
const keyFileOf = (database: Database) =>
  byKind(database, { sqlite: ({ filename }) => secretKeyFile(filename), postgres: () => undefined })

/** What to do with the key that no database holds. */
const keyAdvice = (isVariable: boolean, from: Database, to: Database): string => {
  const given = "start the servers there with the same CAIRN_SECRET_KEY"
  const file = keyFileOf(from)
  if (isVariable || file === undefined) return `The copy does not contain the secret key: ${given}`
  const target = keyFileOf(to)
  const put = target === undefined ? "" : `copy ${file} to ${target}, or `
  return `The copy does not contain the secret key: ${put}start the servers there with CAIRN_SECRET_KEY set to what is in ${file}`
}

/** `cairn copy` */
export const copyCommand = Command.make(
  "copy",
  {
    from: Flag.String("from").pipe(
      Flag.withDescription("The database to copy: sqlite:PATH or postgres://… (default: CAIRN_DATABASE_URL)"),
      Flag.optional
    ),
    to: Flag.String("to").pipe(Flag.withDescription("The database to fill, which must be empty")),
    restart: Flag.Boolean("restart").pipe(
      Flag.withDescription("Delete what an interrupted run has copied, and begin again"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const from = Option.isSome(flags.from) ? yield* databaseFlag("from", flags.from.value) : settings.database
    const to = yield* databaseFlag("to", flags.to)
    yield* Effect.gen(function* () {
      // Held until the end, so that nothing is written that the copy would not have.
      const source = yield* openSource(from)
      const { tables, rows } = yield* copyTo(source, to, flags.restart)
      const target = { ...settings, database: to, geoipFiles: [] }
      const chains = yield* verifyAll.pipe(Effect.provide(layerLog(target)))
      const broken = chains.filter(({ valid }) => !valid)
      const events = tables.event ?? 0
      const key = keyAdvice(settings.secretKeys.length > 0, from, to)
      yield* print(
        flags.json,
        { from: nameOf(from), to: nameOf(to), events, rows, tables, chains, secret_key: key },
        `${nameOf(to)}: ${events} events in ${chains.length} workspaces, ${rows} rows in all, each the same as in ${nameOf(from)}\n${key}`
      )
      if (broken.length > 0) {
        const ids = broken.map(({ workspace_id }) => workspace_id).join(", ")
        return yield* new CommandFailed({
          message: `the hash chain is broken, in the copy as in the source: ${ids}; see cairn verify`,
          kind: "does_not_hold"
        })
      }
    }).pipe(
      Effect.scoped,
      Effect.catchTag(
        "StorageUnavailable",
        explain(Option.isSome(flags.from) ? "--from" : "CAIRN_DATABASE_URL")
      )
    )
  })
).pipe(
  Command.withExamples([
    { command: "cairn copy --from sqlite:./data/cairn.db --to postgres://cairn@db.example.com/cairn" }
  ]),
  Command.withDescription(
    "Copy everything from one database into another and verify it. Stop the servers first; an interrupted copy continues when it is run again"
  )
)
