/** Every port on SQLite, over one set of files. */

import type { Sha256 } from "@cairn/core/hashing"
import { SearchIndexer } from "@cairn/core/log"
import type { StoragePorts } from "@cairn/core/storage-ports"
import {
  AlertRows,
  AnchorRows,
  ApiKeyRows,
  CheckpointRows,
  CollectionRows,
  ConsumerRows,
  ExportRows,
  OutboxRows,
  PeopleRows,
  SessionRows,
  SignInLinkRows,
  TreeTileRows,
  WorkspaceIds,
  WorkspaceRows
} from "@cairn/storage-sql"
import { Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { noteCommit } from "./LogMarks.ts"
import * as PollingSignal from "./PollingSignal.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { markAt } from "./SeenFiles.ts"
import { make } from "./SqliteClient.ts"
import * as SqliteContentRemoval from "./SqliteContentRemoval.ts"
import * as SqliteEventLog from "./SqliteEventLog.ts"
import { SqliteFiles } from "./SqliteFiles.ts"
import * as SqliteInbox from "./SqliteInbox.ts"
import * as SqliteStrayKeys from "./SqliteStrayKeys.ts"
import * as StoreCheck from "./StoreCheck.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** Where the database is, and how many events may wait in its inbox. */
export interface SqliteStorageConfig {
  /** Path of the log's file, created with its folder if missing; the others are next to it. */
  readonly filename: string
  /** Most events that may wait to be sequenced; 100,000 unless set. */
  readonly inboxCapacity?: number
}

/** Events that may wait in the inbox: about 100 MB, and ten seconds of sequencing. */
export const DEFAULT_INBOX_CAPACITY = 100_000

/** The lock of the inbox's file, on a connection of its own. */
const stopAccepting = Effect.map(
  SqliteFiles,
  ({ inbox }) =>
    () =>
      Effect.flatMap(make({ filename: inbox.config.filename }), ({ use }) =>
        use("stop accepting", ({ db }) => db.exec("BEGIN IMMEDIATE"))
      ).pipe(Effect.provide(Reactivity.layer))
)

/**
 * All of `StoragePorts`.
 *
 * Calls are synchronous underneath: run long ones on a thread that accepts nothing. Any number of processes
 * and threads may build this layer over the same files.
 */
export const layer = ({ filename, inboxCapacity }: SqliteStorageConfig) => {
  const sqlClient = Layer.effect(
    SqlClient.SqlClient,
    Effect.map(SqliteFiles, ({ log }) => log as SqlClient.SqlClient)
  )
  const consumersClient = Layer.effect(
    SqlClient.SqlClient,
    Effect.map(SqliteFiles, ({ consumers }) => consumers as SqlClient.SqlClient)
  )
  const consumerRows = Layer.unwrap(
    Effect.map(Effect.all([SqliteFiles, WorkspaceNumbers]), ([{ log, consumers }, numbers]) =>
      ConsumerRows.layer(ConsumerRows.stateRows, ({ workspaceId }, sequence) =>
        Effect.sync(() =>
          noteCommit(consumers.database, workspaceId, sequence, () => {
            const workspace = numbers.number(workspaceId)
            return workspace === undefined ? undefined : markAt(log.database, workspace, sequence)
          })
        )
      )
    )
  )
  const indexer = Layer.effect(
    SearchIndexer,
    Effect.map(SearchIndex, ({ advance }) => SearchIndexer.of({ advance }))
  )
  return Layer.mergeAll(
    SqliteInbox.layer({ capacity: inboxCapacity ?? DEFAULT_INBOX_CAPACITY }),
    SqliteInbox.layerUsage,
    SqliteEventLog.layer,
    SqliteContentRemoval.layer,
    SqliteStrayKeys.layer,
    StoreCheck.layer({ filename }),
    WorkspaceRows.layer(stopAccepting).pipe(Layer.provide(sqlClient)),
    ApiKeyRows.layer.pipe(Layer.provide(sqlClient)),
    AnchorRows.layer.pipe(Layer.provide(sqlClient)),
    CheckpointRows.layer.pipe(Layer.provide(sqlClient)),
    PollingSignal.layer,
    TreeTileRows.layer.pipe(Layer.provide(sqlClient)),
    CollectionRows.layer.pipe(Layer.provide(sqlClient)),
    ExportRows.layer.pipe(Layer.provide(sqlClient)),
    Layer.mergeAll(PeopleRows.layer, SessionRows.layer, SignInLinkRows.layer).pipe(Layer.provide(sqlClient)),
    Layer.mergeAll(consumerRows, AlertRows.layer, OutboxRows.layer).pipe(Layer.provide(consumersClient))
  ).pipe(
    Layer.provideMerge(indexer),
    Layer.provide(SearchIndex.layer),
    Layer.provide(WorkspaceNumbers.layer),
    Layer.provide(WorkspaceIds.layer),
    Layer.provide(SqliteFiles.layer({ filename }))
  ) satisfies Layer.Layer<StoragePorts, unknown, Sha256>
}
