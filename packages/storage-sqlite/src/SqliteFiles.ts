/**
 * The files of one database: `cairn.db` has the log, `cairn-inbox.db` the waiting events, `cairn-search.db`
 * the search index, and `cairn-consumers.db` the state and effects of the other consumers.
 *
 * Four files have four write locks: an accept never waits for an append, nor an append for the index or an
 * alert. Stored positions make up for the lack of a common transaction, see `SqliteEventLog`.
 */
import { Context, Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { makeFolderOf } from "./DatabaseFolder.ts"
import { recoverFiles, tellDamage } from "./FileRecovery.ts"
import { INBOX_JOURNAL_MIB, MOST_INBOX_PAGES } from "./InboxCheckpoint.ts"
import { migrateInbox } from "./KeyMove.ts"
import { migrate } from "./Migrations.ts"
import { migrateSearch } from "./SearchFile.ts"
import { siblingFile } from "./SiblingFile.ts"
import { make, type SqliteClient } from "./SqliteClient.ts"
import { refuseHalfRestored } from "./UnfinishedRestore.ts"

/** How the files are opened. */
export interface SqliteFilesConfig {
  /** Path of the log's file; the others are next to it. */
  readonly filename: string
}

/** Open connections to the files, which are up to date and from the same time, see `FileRecovery`. */
export class SqliteFiles extends Context.Service<
  SqliteFiles,
  {
    readonly log: SqliteClient
    /** For accepting: a commit waits for the disk. */
    readonly inbox: SqliteClient
    /** For removing what was sequenced: losing that is harmless, so a commit does not wait for the disk. */
    readonly sequenced: SqliteClient
    readonly search: SqliteClient
    readonly consumers: SqliteClient
  }
>()("@cairn/storage-sqlite/SqliteFiles") {
  static readonly layer = ({ filename }: SqliteFilesConfig) =>
    Layer.effect(
      SqliteFiles,
      Effect.gen(function* () {
        yield* makeFolderOf(filename)
        yield* refuseHalfRestored(filename)
        const log = yield* make({ filename, cacheKib: 16_384 })
        // Checkpoints are done by `sequenced`, so that accepts do not pay for them, unless it comes late.
        const inbox = yield* make({
          filename: siblingFile(filename, "inbox"),
          autocheckpoint: MOST_INBOX_PAGES,
          journalMib: INBOX_JOURNAL_MIB,
          secureDelete: "FAST"
        })
        const sequenced = yield* make({
          filename: siblingFile(filename, "inbox"),
          synchronous: "NORMAL",
          autocheckpoint: 0,
          journalMib: INBOX_JOURNAL_MIB,
          // Pages that become free here are soon used again; a removal of content overwrites the rest.
          secureDelete: "FAST"
        })
        const search = yield* make({ filename: siblingFile(filename, "search"), synchronous: "NORMAL" })
        const consumers = yield* make({ filename: siblingFile(filename, "consumers") })
        yield* tellDamage("log", log)
        yield* tellDamage("inbox", inbox)
        yield* tellDamage("consumers", consumers)
        yield* migrate(log, "log")
        yield* migrateInbox(inbox)
        yield* migrateSearch(search)
        yield* migrate(consumers, "consumers")
        yield* recoverFiles({ log, inbox, search, consumers })
        return SqliteFiles.of({ log, inbox, sequenced, search, consumers })
      })
    ).pipe(Layer.provide(Reactivity.layer))
}
