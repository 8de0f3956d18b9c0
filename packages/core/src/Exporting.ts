/**
 * Exporting: from a request to a file that can be fetched, in the background.
 *
 * Any number of processes may run it. An export is claimed by one of them; each attempt writes a file of its own, so that one who was
 * thought dead and is not can spoil nothing. After a crash the next one to come begins the export anew.
 */
import { Context, Duration, Effect, Layer, Option, Schema, Stream } from "effect"
import { Announcer } from "./Announcer.ts"
import { monthOf, monthStart } from "./CalendarMonth.ts"
import { EventLog } from "./EventLog.ts"
import { csvTable, type EventTable, ndjsonTable } from "./EventTable.ts"
import type { Export, ExportFilters, ExportFormat, ExportStatus } from "./Export.ts"
import { exportContent } from "./ExportContent.ts"
import { signLink } from "./ExportLink.ts"
import { ExportStore, type ExportStoreUnavailable } from "./ExportStore.ts"
import {
  type ClaimedExport,
  type ExportQuotaReached,
  Exports,
  type StoredExport,
  type TooManyExports
} from "./Exports.ts"
import * as Micros from "./Micros.ts"
import { limitsOf } from "./Plan.ts"
import { Randomness, uuid } from "./Randomness.ts"
import { Sha256 } from "./Sha256.ts"
import type { StorageUnavailable } from "./Storage.ts"
import { Workspaces } from "./Workspace.ts"

/** Exports of a workspace that may be under way at once. */
export const CONCURRENT_EXPORTS = 5
/** How long after its creation an export can be fetched. */
export const EXPORT_LIFETIME: Micros.Micros = 7 * Micros.DAY
/** Attempts at an export, crashes included, before it has failed. */
export const EXPORT_ATTEMPTS = 5
/** How long whoever makes an export may be silent before another takes it over. */
const HOLD: Micros.Micros = 60 * Micros.SECOND
/** How often they say that they are at it. */
const KEEP_EVERY = Duration.seconds(5)
/** Rows stay for longer than the month that they count for. */
const KEEP_ROWS: Micros.Micros = 40 * Micros.DAY
/** Expired exports whose files are removed in one round. */
const CLEAN_UP = 100

/** The formats that are made of single events. */
const TABLES: Partial<Record<ExportFormat, EventTable>> = { csv: csvTable, ndjson: ndjsonTable }

/** The export is not there to be fetched: not yet, or it failed. */
export class ExportNotReady extends Schema.TaggedError<ExportNotReady>()("ExportNotReady", {
  status: Schema.Literals(["pending", "processing", "failed"]) satisfies Schema.Schema<ExportStatus>
}) {}

/** The export's seven days are over, or what it held was removed. */
export class ExportExpired extends Schema.TaggedError<ExportExpired>()("ExportExpired", {
  /** ISO 8601. */
  expiredAt: Schema.String
}) {}

/** A completed export's file. */
export interface ExportFile {
  /** In the `ExportStore`. */
  readonly name: string
  readonly filename: string
  readonly contentType: string
}

/** Settings. */
export interface ExportingOptions {
  /** What links begin with, without a slash at the end. */
  readonly baseUrl: string
  /** Signs the links; whoever has it can make one. */
  readonly linkKey: string | Uint8Array
}

const fileOf = ({ workspace_id, id, attempts, format }: StoredExport, attempt = attempts): ExportFile => ({
  name: `${workspace_id}/${id}.${attempt}.${TABLES[format]?.extension ?? format}`,
  filename: `${id}.${TABLES[format]?.extension ?? format}`,
  contentType: TABLES[format]?.contentType ?? "application/octet-stream"
})

/** The use case *export*. */
export interface ExportingShape {
  /** Queues an export whose filters are valid. */
  readonly request: (
    workspaceId: string,
    asked: { readonly format: ExportFormat; readonly filters: ExportFilters }
  ) => Effect.Effect<Export, TooManyExports | ExportQuotaReached | StorageUnavailable>
  readonly get: (workspaceId: string, id: string) => Effect.Effect<Option.Option<Export>, StorageUnavailable>
  /**
   * The file of an export, to be fetched now; none when there is no such export. `workspaceId` is null for whoever shows a link, which
   * must have been checked.
   */
  readonly file: (
    workspaceId: string | null,
    id: string
  ) => Effect.Effect<Option.Option<ExportFile>, ExportNotReady | ExportExpired | StorageUnavailable>
  /** Makes one export that waits; answers whether there was one. What goes wrong with it is logged, and tried again later. */
  readonly advance: Effect.Effect<boolean, StorageUnavailable>
  /** Removes the files of expired exports, and rows of long ago; answers how many exports lost their files. */
  readonly cleanUp: Effect.Effect<number, StorageUnavailable | ExportStoreUnavailable>
}

/** Another has taken the export over, or it was withdrawn. */
class ClaimLost extends Schema.TaggedError<ClaimLost>()("ClaimLost", { id: Schema.String }) {}

/** Exporting over a log and a store of files. */
export class Exporting extends Context.Service<Exporting, ExportingShape>()("@cairn/core/Exporting") {
  static readonly layer = ({ baseUrl, linkKey }: ExportingOptions) =>
    Layer.effect(
      Exporting,
      Effect.gen(function* () {
        const exports = yield* Exports
        const store = yield* ExportStore
        const log = yield* EventLog
        const workspaces = yield* Workspaces
        const announcer = yield* Announcer
        const sha256 = yield* Sha256
        const random = yield* Randomness

        const toExport = (stored: StoredExport): Export => {
          const { id, status, expires_at } = stored
          const completed = status === "completed"
          const query = signLink(sha256, linkKey, "export", id, expires_at)
          return {
            id,
            status,
            format: stored.format,
            filters: stored.filters,
            progress: stored.progress,
            total_rows: stored.total_rows,
            file_size: stored.file_size,
            download_url: completed ? `${baseUrl}/api/v1/exports/${id}/download?${query}` : null,
            created_at: Micros.format(stored.created_at),
            expires_at: completed ? Micros.format(expires_at) : null
          }
        }

        const limits = (workspaceId: string) =>
          Effect.map(
            workspaces.get(workspaceId),
            Option.match({
              onNone: () => limitsOf("enterprise", {}),
              onSome: ({ plan, overrides }) => limitsOf(plan, overrides)
            })
          )

        const request = Effect.fn("Exporting.request")(function* (
          workspaceId: string,
          { format, filters }: { readonly format: ExportFormat; readonly filters: ExportFilters }
        ) {
          const now = yield* Micros.now
          const { exports_per_month: quota } = yield* limits(workspaceId)
          const stored = yield* exports.create(
            {
              id: `exp_${uuid(random)}`,
              workspace_id: workspaceId,
              format,
              filters,
              created_at: now,
              expires_at: now + EXPORT_LIFETIME
            },
            { concurrent: CONCURRENT_EXPORTS, quota, since: monthStart(monthOf(now)) }
          )
          return toExport(stored)
        })

        const file = Effect.fn("Exporting.file")(function* (workspaceId: string | null, id: string) {
          const found = yield* workspaceId === null ? exports.find(id) : exports.get(workspaceId, id)
          if (Option.isNone(found)) return Option.none<ExportFile>()
          const { status, expires_at } = found.value
          if (expires_at <= (yield* Micros.now)) {
            return yield* new ExportExpired({ expiredAt: Micros.format(expires_at) })
          }
          if (status !== "completed") return yield* new ExportNotReady({ status })
          return Option.some(fileOf(found.value))
        })

        /** The bytes of an export, counted, while whoever makes it says every so often that they are at it. */
        const contentOf = Effect.fnUntraced(function* (claimed: ClaimedExport, table: EventTable) {
          const { workspace_id, filters } = claimed
          const { retention_days: days } = yield* limits(workspace_id)
          const visibleFrom = days === null ? null : (yield* Micros.now) - days * Micros.DAY
          const state = { rows: 0, progress: 0 }
          const bytes = exportContent(log, workspace_id, table, filters, visibleFrom).pipe(
            Stream.map((piece) => {
              state.rows += piece.rows
              state.progress = piece.progress
              return piece.bytes
            }),
            Stream.filter(({ length }) => length > 0)
          )
          return { bytes, state }
        })

        const keepClaim = (claimed: ClaimedExport, state: { readonly progress: number }) =>
          Effect.gen(function* () {
            const until = (yield* Micros.now) + HOLD
            const held = yield* exports.keep(claimed, { until, progress: state.progress })
            if (!held) return yield* new ClaimLost({ id: claimed.id })
          })

        const removeFiles = (stored: StoredExport, attempts: number) =>
          Effect.forEach(
            Array.from({ length: attempts }, (_, index) => fileOf(stored, index + 1).name),
            store.remove,
            { discard: true }
          )

        const produce = Effect.fn("Exporting.produce")(function* (claimed: ClaimedExport, table: EventTable) {
          const { name, contentType } = fileOf(claimed)
          const { bytes, state } = yield* contentOf(claimed, table)
          const keeping = Effect.forever(Effect.andThen(Effect.sleep(KEEP_EVERY), keepClaim(claimed, state)))
          const fileSize = yield* Effect.raceFirst(store.write(name, contentType, bytes), keeping)
          const outcome = { status: "completed", totalRows: state.rows, fileSize } as const
          if (!(yield* exports.settle(claimed, outcome))) {
            yield* store.remove(name)
            return yield* new ClaimLost({ id: claimed.id })
          }
          // What earlier attempts left is removed with the export at the latest.
          yield* Effect.ignore(removeFiles(claimed, claimed.attempts - 1))
          const completed = yield* exports.get(claimed.workspace_id, claimed.id)
          if (Option.isNone(completed)) return
          const event = { type: "export.completed", data: toExport(completed.value) } as const
          yield* announcer.announce(claimed.workspace_id, event, claimed.id)
        })

        const advance = Effect.gen(function* () {
          const at = yield* Micros.now
          const found = yield* exports.claim({ claim: uuid(random), at, until: at + HOLD })
          if (Option.isNone(found)) return false
          const claimed = found.value
          const table = TABLES[claimed.format]
          if (table === undefined || claimed.attempts > EXPORT_ATTEMPTS) {
            yield* Effect.logError("An export has failed").pipe(Effect.annotateLogs({ export: claimed.id }))
            yield* exports.settle(claimed, { status: "failed" })
            return true
          }
          yield* produce(claimed, table).pipe(
            Effect.catchTag("ClaimLost", ({ id }) =>
              Effect.logWarning(`Another process makes export ${id} now`)
            ),
            Effect.catchTag(["StorageUnavailable", "ExportStoreUnavailable"], (error) =>
              Effect.logWarning(`Export ${claimed.id} is tried again later`, error)
            )
          )
          return true
        }).pipe(Effect.withSpan("Exporting.advance"))

        const cleanUp = Effect.gen(function* () {
          const now = yield* Micros.now
          const expired = yield* exports.expired(now, CLEAN_UP)
          for (const stored of expired) {
            yield* removeFiles(stored, stored.attempts)
            yield* exports.forget(stored.id)
          }
          yield* exports.prune(now - KEEP_ROWS)
          return expired.length
        }).pipe(Effect.withSpan("Exporting.cleanUp"))

        return Exporting.of({
          request,
          get: (workspaceId, id) => Effect.map(exports.get(workspaceId, id), Option.map(toExport)),
          file,
          advance,
          cleanUp
        })
      })
    )
}
