/** Every port on PostgreSQL, over one database. */
import type { Sha256 } from "@cairn/core/hashing"
import { SearchIndexer, StoreClock } from "@cairn/core/log"
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
  unavailable,
  WorkspaceRows
} from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { STORE_NOW } from "./Append.ts"
import { stateRows } from "./ConsumerStateRows.ts"
import * as FencedClient from "./FencedClient.ts"
import { MIGRATIONS, migrate } from "./Migrations.ts"
import { CLOSING, slotOf } from "./migrations/0033_closing_lock.ts"
import * as NumberedKeys from "./NumberedKeys.ts"
import { numberRows } from "./NumberedRows.ts"
import { Places } from "./Places.ts"
import * as PostgresClient from "./PostgresClient.ts"
import * as PostgresContentRemoval from "./PostgresContentRemoval.ts"
import * as PostgresContinuity from "./PostgresContinuity.ts"
import * as PostgresEventLog from "./PostgresEventLog.ts"
import * as PostgresInbox from "./PostgresInbox.ts"
import * as PostgresRateBuckets from "./PostgresRateBuckets.ts"
import * as PostgresReplicas from "./PostgresReplicas.ts"
import * as PostgresSignal from "./PostgresSignal.ts"
import * as PostgresStoreCheck from "./PostgresStoreCheck.ts"
import * as PostgresStrayKeys from "./PostgresStrayKeys.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { type SeenConfig, SeenHeads } from "./SeenHeads.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** Where the database is, and how many events may wait in its inbox. */
export interface PostgresStorageConfig extends PostgresClient.PostgresClientConfig {
  /** Most events that may wait to be sequenced; 100,000 unless set. */
  readonly inboxCapacity?: number
  /**
   * How the threads of a server share what they have seen of the database. Without it each adapter only knows
   * what it has seen itself.
   */
  readonly seen?: SeenConfig | undefined
  /** Read replicas; none unless set. */
  readonly replicas?: PostgresReplicas.ReplicasConfig | undefined
}

/** Events that may wait in the inbox: about 100 MB, and ten seconds of sequencing. */
export const DEFAULT_INBOX_CAPACITY = 100_000

const storeClock = Layer.effect(
  StoreClock,
  Effect.map(PgClient.PgClient, (sql) => {
    const ask = sql<{ readonly now: number }>`SELECT ${sql.literal(STORE_NOW)} AS now`
    return StoreClock.of({
      now: Effect.map(ask, ([row]) => row?.now ?? 0).pipe(unavailable("read the database's clock"))
    })
  })
)

/** Waits for commits that accept, and keeps others waiting until the transaction ends. */
const stopAccepting = Effect.map(
  PgClient.PgClient,
  (sql) => (workspaceId: string) =>
    sql`
    SELECT pg_advisory_xact_lock(${CLOSING}, ${sql.literal(slotOf("number"))})
    FROM workspace WHERE id = ${workspaceId}`
)

/**
 * `Inbox`, `EventLog`, `Continuity`, `Workspaces`, `ApiKeys`, `Anchors`, `Checkpoints`, `TreeStore`,
 * `SearchIndexer`, `InboxSignal`, `StoreClock` and `RateBuckets`; `Consumers`, `Alerts` and `Outbox`;
 * `AlertRules`, `Webhooks`, `LogStreams` and `Members`; `People`, `Sessions` and `SignInLinks`; `Exports`,
 * `EventUsage`, `ContentRemoval`, `StrayKeys` and `StoreCheck`; `Replicas` where there are some. Building it
 * brings the database up to date.
 *
 * Any number of processes may build this layer over the same database.
 */
export const layer = ({ inboxCapacity, seen, replicas, ...given }: PostgresStorageConfig) => {
  const timeline = seen?.timeline ?? new SharedArrayBuffer(8)
  const client = { ...given, timeline, tells: seen?.tells ?? true }
  const searchIndex = SearchIndex.layer.pipe(Layer.provide(FencedClient.layer))
  const indexer = Layer.effect(
    SearchIndexer,
    Effect.map(SearchIndex, ({ advance }) => SearchIndexer.of({ advance }))
  )
  // Accepting and appending compare the database with what was seen in their own statements.
  const fenced = Layer.mergeAll(
    PostgresContentRemoval.layer,
    WorkspaceRows.layer(stopAccepting),
    ApiKeyRows.layer,
    AnchorRows.layer,
    CheckpointRows.layer,
    TreeTileRows.layer,
    CollectionRows.layer,
    ConsumerRows.layer(stateRows),
    AlertRows.layer,
    OutboxRows.layer,
    ExportRows.layer,
    PeopleRows.layer,
    SessionRows.layer,
    SignInLinkRows.layer,
    PostgresRateBuckets.layer,
    indexer
  ).pipe(Layer.provide(searchIndex), Layer.provide(FencedClient.layer))
  const upToDate = Layer.effectDiscard(Effect.andThen(migrate(MIGRATIONS), numberRows))
  const accepting = Layer.mergeAll(
    PostgresInbox.layer({ capacity: inboxCapacity ?? DEFAULT_INBOX_CAPACITY }),
    PostgresInbox.layerUsage,
    PostgresEventLog.layer
  )
  return Layer.mergeAll(
    replicas === undefined ? accepting : PostgresReplicas.layer(replicas).pipe(Layer.provideMerge(accepting)),
    PostgresStrayKeys.layer,
    PostgresStoreCheck.layer(client),
    PostgresSignal.layer,
    PostgresContinuity.layer,
    storeClock
  ).pipe(
    Layer.provideMerge(fenced),
    Layer.provide(searchIndex),
    Layer.provide(PostgresSignal.InboxAnnouncer.layer),
    Layer.provide(NumberedKeys.layer),
    Layer.provide(WorkspaceNumbers.layer),
    Layer.provide(SeenHeads.layer(seen, timeline)),
    Layer.provide(Places.layer),
    Layer.provide(upToDate),
    Layer.provide(PostgresClient.layer(client))
  ) satisfies Layer.Layer<StoragePorts, unknown, Sha256>
}
