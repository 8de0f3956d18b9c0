/**
 * Port: the exports that were asked for, and how far each has come.
 *
 * An export is `pending` until somebody claims it, `processing` while it is worked on, and then for good
 * `completed` or `failed`. Whoever claims it has it for a while and keeps it by saying so; if they fall
 * silent, the next one begins it anew.
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
  /** How much of the log was looked through, in percent. */
  progress: Schema.Number,
  /** How often it was claimed. */
  attempts: Schema.Number,
  /** Known once completed, as the next. */
  total_rows: Schema.NullOr(Schema.Number),
  /** Bytes. */
  file_size: Schema.NullOr(Schema.Number),
  created_at: Schema.Number,
  /** From this moment on nobody is given the file. */
  expires_at: Schema.Number,
  /** Whether files of it may lie in the store. */
  has_files: Schema.Boolean
})
export type StoredExport = typeof StoredExport.Type

/** What is asked for. */
export type NewExport = Pick<
  StoredExport,
  "id" | "workspace_id" | "format" | "filters" | "created_at" | "expires_at"
>

/** What a workspace may have. */
export interface ExportLimits {
  /** Most that are pending or processing at once. */
  readonly concurrent: number
  /** Most that are created at or after `since`; null is unlimited. */
  readonly quota: number | null
  /** When the month began. */
  readonly since: Micros
}

/** The workspace has as many exports under way as it may. */
export class TooManyExports extends Schema.TaggedError<TooManyExports>()("TooManyExports", {
  /** Most that may be under way. */
  concurrent: Schema.Number
}) {}

/** The workspace has made as many exports this month as it may. */
export class ExportQuotaReached extends Schema.TaggedError<ExportQuotaReached>()("ExportQuotaReached", {
  quota: Schema.Number
}) {}

/** An export that the caller alone is to work on. */
export interface ClaimedExport extends StoredExport {
  /** Distinguishes this claim from every other. */
  readonly claim: string
}

/** What came of an export. */
type ExportOutcome =
  | { readonly status: "completed"; readonly totalRows: number; readonly fileSize: number }
  | { readonly status: "failed" }

/**
 * Contract:
 *
 * - What a call returned is durable. `create` holds both limits whoever asks at once; if it fails, nothing
 *   was stored.
 * - `claim` gives the oldest export that is pending, or whose claim has run out, or lasts longer than any can
 *   (by `CLOCK_SLACK`), to one caller only, in whatever process, and counts the attempt. Before the file of
 *   an attempt can be written, the store knows that there may be one.
 * - `keep` and `settle` count only while the claim holds, and answer whether it did. A claim holds until
 *   another takes the export, or `withdraw` ends it; running out alone does not end it. A settled export
 *   never changes but for its expiry.
 * - A settled export is one of the `untold` until `told` is called, so that whoever crashes before it has
 *   told the webhooks is made up for.
 * - Rows stay after the file is gone, for `createdSince` and so that a link of old is told from one that
 *   never was.
 */
interface ExportsShape {
  readonly create: (
    request: NewExport,
    limits: ExportLimits
  ) => Effect.Effect<StoredExport, TooManyExports | ExportQuotaReached | StorageUnavailable>
  readonly get: (
    workspaceId: string,
    id: string
  ) => Effect.Effect<Option.Option<StoredExport>, StorageUnavailable>
  /** The export of this id, whoever's it is: for a link, which carries its own proof. */
  readonly find: (id: string) => Effect.Effect<Option.Option<StoredExport>, StorageUnavailable>
  readonly claim: (request: {
    readonly claim: string
    readonly at: Micros
    /** Whoever claims has this long before another may. */
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
  /** Settled exports of which nobody has been told yet. */
  readonly untold: (limit: number) => Effect.Effect<ReadonlyArray<StoredExport>, StorageUnavailable>
  /** Notes that those who listen were told of a settled export. */
  readonly told: (id: string) => Effect.Effect<void, StorageUnavailable>
  /** How many a workspace created at or after a moment. */
  readonly createdSince: (workspaceId: string, since: Micros) => Effect.Effect<number, StorageUnavailable>
  /** Exports that have expired and may still have files, the longest expired first. */
  readonly expired: (
    at: Micros,
    limit: number
  ) => Effect.Effect<ReadonlyArray<StoredExport>, StorageUnavailable>
  /** Notes that an export has no files any more. */
  readonly forget: (id: string) => Effect.Effect<void, StorageUnavailable>
  /**
   * For when content was removed: what a workspace has made expires at once and forgets its filters, of long
   * ago too; what is being made is begun anew. One that is not settled and whose filters hold `naming`, if
   * that is not null, fails and forgets them. Answers how many exports expired, began anew or failed.
   */
  readonly withdraw: (
    workspaceId: string,
    at: Micros,
    naming: string | null
  ) => Effect.Effect<number, StorageUnavailable>
  /** Removes rows without files that were created before a moment; answers how many. */
  readonly prune: (before: Micros) => Effect.Effect<number, StorageUnavailable>
}

/** The exports. */
export class Exports extends Context.Service<Exports, ExportsShape>()("@cairn/core/Exports") {}
