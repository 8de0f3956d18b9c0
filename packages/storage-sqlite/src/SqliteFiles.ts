/**
 * The files of one database: `cairn.db` holds the log, `cairn-inbox.db` what waits, `cairn-search.db` the
 * search index, and `cairn-consumers.db` what the other consumers remember and caused.
 *
 * Four files are four write locks: an accept never waits for an append, nor an append for the index or an
 * alert. What that costs in atomicity is paid back by positions, see `SqliteEventLog`.
 */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Context, Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { recoverFiles, tellDamage } from "./FileRecovery.ts"
import { MIGRATIONS, migrate } from "./Migrations.ts"
import { make, type SqliteClient } from "./SqliteClient.ts"

/** `data/cairn.db` and `inbox` give `data/cairn-inbox.db`. */
export const siblingFile = (filename: string, name: string): string =>
  filename.endsWith(".db") ? `${filename.slice(0, -3)}-${name}.db` : `${filename}-${name}`

/** How the files are opened. */
export interface SqliteFilesConfig {
  /** Path of the log's file; the others lie beside it. */
  readonly filename: string
}

/** Open connections to the files, brought up to date and of one time, see `FileRecovery`. */
export class SqliteFiles extends Context.Service<
  SqliteFiles,
  {
    readonly log: SqliteClient
    /** For accepting: a commit waits for the disk. */
    readonly inbox: SqliteClient
    /** For removing what was sequenced: losing that is harmless, so a commit does not wait. */
    readonly sequenced: SqliteClient
    readonly search: SqliteClient
    readonly consumers: SqliteClient
  }
>()("@cairn/storage-sqlite/SqliteFiles") {
  static readonly layer = ({ filename }: SqliteFilesConfig) =>
    Layer.effect(
      SqliteFiles,
      Effect.gen(function* () {
        yield* Effect.sync(() => mkdirSync(dirname(filename), { recursive: true }))
        const log = yield* make({ filename, cacheKib: 16_384 })
        // Checkpoints are the work of `sequenced`, off the path of an accept.
        const inbox = yield* make({
          filename: siblingFile(filename, "inbox"),
          autocheckpoint: 0,
          secureDelete: "FAST"
        })
        const sequenced = yield* make({
          filename: siblingFile(filename, "inbox"),
          synchronous: "NORMAL",
          autocheckpoint: 0,
          // Pages that come free here are soon used again; a removal of content overwrites the rest.
          secureDelete: "FAST"
        })
        const search = yield* make({ filename: siblingFile(filename, "search"), synchronous: "NORMAL" })
        const consumers = yield* make({ filename: siblingFile(filename, "consumers") })
        yield* tellDamage("log", log)
        yield* tellDamage("inbox", inbox)
        yield* tellDamage("consumers", consumers)
        yield* migrate(log, MIGRATIONS.log)
        yield* migrate(inbox, MIGRATIONS.inbox)
        yield* migrate(search, MIGRATIONS.search)
        yield* migrate(consumers, MIGRATIONS.consumers)
        yield* recoverFiles({ log, inbox, search, consumers })
        return SqliteFiles.of({ log, inbox, sequenced, search, consumers })
      })
    ).pipe(Layer.provide(Reactivity.layer))
}
