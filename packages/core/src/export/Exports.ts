/**
 * Port: the requested exports and their progress.
 *
 * An export is `pending` until a process claims it, `processing` while it is made, and then permanently
 * `completed` or `failed`. A claim lasts for a limited time and must be renewed; if it is not, the next
 * process starts the export again.
 */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { ExportFilters, ExportFormat, ExportStatus } from "../outbound/Export.ts"

/** An export as stored. Times are microseconds since the epoch. */
export const StoredExport = Schema.Struct({
  /** `exp_` and a UUID. */
  id: Schema.String,
  workspace_id: Schema.String,
  format: ExportFormat,
  filters: ExportFilters,
  status: ExportStatus,
  /** How much of the log was read, in percent. */
  progress: Schema.Number,
  /** How often it was claimed. */
  attempts: Schema.Number,
  /** Known once completed, like the next. */
  total_rows: Schema.NullOr(Schema.Number),
  /** Bytes. */
  file_size: Schema.NullOr(Schema.Number),
  created_at: Schema.Number,
  /** From this time on the file cannot be fetched. */
  expires_at: Schema.Number,
  /** Whether the store may still have files of it. */
  has_files: Schema.Boolean
})
export type StoredExport = typeof StoredExport.Type

/** The requested export. */
export type NewExport = Pick<
  StoredExport,
  "id" | "workspace_id" | "format" | "filters" | "created_at" | "expires_at"
>

/** What is stored of an export that is sent while it is made. */
export type SentExport = Pick<StoredExport, "id" | "workspace_id" | "format" | "created_at">

/** How many exports of a month a workspace may make. */
export interface ExportQuota {
  /** Most that may be created at or after `since`; null is unlimited. */
  readonly quota: number | null
  /** When the month began. */
  readonly since: Micros
}

/** The limits of a workspace. */
export interface ExportLimits extends ExportQuota {
  /** Most that may be pending or processing at once. */
  readonly concurrent: number
}

/** The workspace has the most exports in progress that it may. */
export class TooManyExports extends Schema.TaggedError<TooManyExports>()("TooManyExports", {
  /** The most that may be in progress. */
  concurrent: Schema.Number
}) {}

/** The workspace has made the most exports that it may this month. */
export class ExportQuotaReached extends Schema.TaggedError<ExportQuotaReached>()("ExportQuotaReached", {
  quota: Schema.Number
}) {}

/** An export that only the caller may make. */
export interface ClaimedExport extends StoredExport {
  /** Identifies this claim. */
  readonly claim: string
}

/** The result of an export. */
type ExportOutcome =
  | { readonly status: "completed"; readonly totalRows: number; readonly fileSize: number }
  | { readonly status: "failed" }

/**
 * Contract:
 *
 * - When a call returns, its result is durable. `create` enforces both limits for concurrent calls; if it
 *   fails, nothing was stored.
 * - `claim` gives the oldest export that is pending, or whose claim has ended or lasts longer than possible
 *   (by `CLOCK_SLACK`), to one caller only, in any process, and counts the attempt. It records that there may
 *   be a file before the file of an attempt can be written.
 * - `keep` and `settle` take effect only while the claim is valid, and return whether it was. A claim is
 *   valid until another process takes the export or `withdraw` ends it; reaching its end time alone does not
 *   end it. A settled export never changes, except that it may expire.
 * - `count` counts an export that is sent as it is made: in `createdSince` and `create`, for the quota of the
 *   month, and nowhere else. It has no file, nobody claims it, and no list shows it.
 * - A settled export is in `untold` until `told` is called, so that announcing is repeated after a crash.
 * - Rows are kept after the file is removed, for `createdSince` and so that an old link can be distinguished
 *   from one that never existed.
 */
interface ExportsShape {
  readonly create: (
    request: NewExport,
    limits: ExportLimits
  ) => Effect.Effect<StoredExport, TooManyExports | ExportQuotaReached | StorageUnavailable>
  readonly count: (
    sent: SentExport,
    quota: ExportQuota
  ) => Effect.Effect<void, ExportQuotaReached | StorageUnavailable>
  readonly get: (
    workspaceId: string,
    id: string
  ) => Effect.Effect<Option.Option<StoredExport>, StorageUnavailable>
  /** A workspace's exports, newest first by `created_at`: those created before a time, or the newest. */
  readonly page: (
    workspaceId: string,
    request: { readonly before: Micros | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<StoredExport>, StorageUnavailable>
  /** The export with this id, in any workspace: for a link, which carries its own proof. */
  readonly find: (id: string) => Effect.Effect<Option.Option<StoredExport>, StorageUnavailable>
  readonly claim: (request: {
    readonly claim: string
    readonly at: Micros
    /** How long the claim lasts before another process may take over. */
    readonly until: Micros
  }) => Effect.Effect<Option.Option<ClaimedExport>, StorageUnavailable>
  readonly keep: (
    claimed: ClaimedExport,
    state: { readonly until: Micros; readonly progress: number }
  ) => Effect.Effect<boolean, StorageUnavailable>
  readonly settle: (
    claimed: ClaimedExport,
    outcome: ExportOutcome
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** Settled exports that were not announced yet. */
  readonly untold: (limit: number) => Effect.Effect<ReadonlyArray<StoredExport>, StorageUnavailable>
  /** Records that a settled export was announced. */
  readonly told: (id: string) => Effect.Effect<void, StorageUnavailable>
  /** How many a workspace created at or after a time, those that were only counted included. */
  readonly createdSince: (workspaceId: string, since: Micros) => Effect.Effect<number, StorageUnavailable>
  /** How many `page` has, on all pages. */
  readonly total: (workspaceId: string) => Effect.Effect<number, StorageUnavailable>
  /** Exports that have expired and may still have files, the longest expired first. */
  readonly expired: (
    at: Micros,
    limit: number
  ) => Effect.Effect<ReadonlyArray<StoredExport>, StorageUnavailable>
  /** Records that an export has no files any more. */
  readonly forget: (id: string) => Effect.Effect<void, StorageUnavailable>
  /**
   * Used when content was removed: the completed exports of a workspace, including old ones, expire at once
   * and their filters are removed; those in progress are started again. An unsettled export whose filters
   * contain `naming`, if that is not null, fails and its filters are removed. Returns how many exports
   * expired, were started again or failed.
   */
  readonly withdraw: (
    workspaceId: string,
    at: Micros,
    naming: string | null
  ) => Effect.Effect<number, StorageUnavailable>
  /** Removes rows without files that were created before a time, and returns how many. */
  readonly prune: (before: Micros) => Effect.Effect<number, StorageUnavailable>
}

/** The exports. */
export class Exports extends Context.Service<Exports, ExportsShape>()("@cairn/core/Exports") {}
