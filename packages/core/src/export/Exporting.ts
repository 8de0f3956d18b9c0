/**
 * Exports as a workspace uses them: requested, listed and fetched. {@link ExportMaker} makes them in the
 * background.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { monthOf, monthStart } from "../encoding/CalendarMonth.ts"
import * as Micros from "../encoding/Micros.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import * as Cursor from "../log/Cursor.ts"
import type { Page } from "../log/Page.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type { Export, ExportFilters, ExportFormat, ExportStatus } from "../outbound/Export.ts"
import { ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { limitsOf } from "../workspace/Plan.ts"
import { type ExportFile, storedFile } from "./ExportFile.ts"
import { exportFileName } from "./ExportName.ts"
import { ExportQuotaReached, Exports, type StoredExport, TooManyExports } from "./Exports.ts"
import { type ExportLinkOptions, exportView, type LinkHolder } from "./ExportView.ts"

/** Exports of a workspace that may be in progress at once. */
const CONCURRENT_EXPORTS = 5
/** The newest of a workspace, among which those in progress are looked for. */
const LOOKED_AT = 50
/** How long after its creation an export can be fetched. */
const EXPORT_LIFETIME: Micros.Micros = 7 * Micros.DAY

/** The export cannot be fetched: it is not complete yet, or it failed. */
export class ExportNotReady extends Schema.TaggedError<ExportNotReady>()("ExportNotReady", {
  status: Schema.Literals(["pending", "processing", "failed"]) satisfies Schema.Schema<ExportStatus>
}) {}

/** The export's seven days are over, or contents in it were removed. */
export class ExportExpired extends Schema.TaggedError<ExportExpired>()("ExportExpired", {
  /** ISO 8601. */
  expiredAt: Schema.String
}) {}

/** The use case *export*. */
interface ExportingShape {
  /** Fails where a request would be refused now. */
  readonly mayRequest: (
    workspaceId: string
  ) => Effect.Effect<void, TooManyExports | ExportQuotaReached | StorageUnavailable>
  /** The same for an export that is sent as it is made. */
  readonly maySend: (workspaceId: string) => Effect.Effect<void, ExportQuotaReached | StorageUnavailable>
  /** The id of a new export. */
  readonly newId: Effect.Effect<string>
  /** Counts an export that is sent as it is made, with an id from `newId`; returns when it began. */
  readonly count: (
    workspaceId: string,
    sent: { readonly id: string; readonly format: ExportFormat }
  ) => Effect.Effect<Micros.Micros, ExportQuotaReached | StorageUnavailable>
  /** Queues an export whose filters are valid, with an id from `newId`. */
  readonly request: (
    workspaceId: string,
    asked: { readonly id: string; readonly format: ExportFormat; readonly filters: ExportFilters }
  ) => Effect.Effect<Export, TooManyExports | ExportQuotaReached | StorageUnavailable>
  /** An export, with a link for `holder`. */
  readonly get: (
    workspaceId: string,
    id: string,
    holder: LinkHolder | null
  ) => Effect.Effect<Option.Option<Export>, StorageUnavailable>
  /** A page of a workspace's exports, newest first, with links for `holder`; `before` is a decoded cursor. */
  readonly list: (
    workspaceId: string,
    page: { readonly before: Micros.Micros | null; readonly limit: number },
    holder: LinkHolder | null
  ) => Effect.Effect<Page<Export>, StorageUnavailable>
  /**
   * The file of an export, to be fetched now; none if there is no such export. `workspaceId` is null for a
   * request with a link, which must have been checked.
   */
  readonly file: (
    workspaceId: string | null,
    id: string
  ) => Effect.Effect<Option.Option<ExportFile>, ExportNotReady | ExportExpired | StorageUnavailable>
}

/** How many exports a workspace may make a month; null is unlimited. */
const makeQuota =
  ({ get }: ManagedWorkspaces["Service"]) =>
  (workspaceId: string) =>
    Effect.map(
      get(workspaceId),
      Option.match({
        onNone: () => null,
        onSome: ({ plan, overrides }) => limitsOf(plan, overrides).exports_per_month
      })
    )

/** What is asked and counted before an export is sent as it is made. */
const makeSending = (
  exports: Exports["Service"],
  quotaOf: ReturnType<typeof makeQuota>
): Pick<ExportingShape, "maySend" | "count"> => ({
  maySend: Effect.fn("Exporting.maySend")(function* (workspaceId) {
    const quota = yield* quotaOf(workspaceId)
    const since = monthStart(monthOf(yield* Micros.now))
    if (quota !== null && (yield* exports.createdSince(workspaceId, since)) >= quota)
      return yield* new ExportQuotaReached({ quota })
  }),
  count: Effect.fn("Exporting.count")(function* (workspaceId, { id, format }) {
    const now = yield* Micros.now
    const quota = { quota: yield* quotaOf(workspaceId), since: monthStart(monthOf(now)) }
    yield* exports.count({ id, workspace_id: workspaceId, format, created_at: now }, quota)
    return now
  })
})

/** The file of an export that is complete, with the name under which it is downloaded. */
const makeFile =
  ({ get }: ManagedWorkspaces["Service"]) =>
  (stored: StoredExport) =>
    Effect.map(get(stored.workspace_id), (workspace): ExportFile => {
      const named = Option.getOrElse(workspace, () => ({ id: stored.workspace_id, name: "" }))
      return {
        ...storedFile(stored),
        filename: exportFileName(named, { ...stored, createdAt: stored.created_at })
      }
    })

/** What reads exports. */
const makeReading = (
  exports: Exports["Service"],
  fileOf: ReturnType<typeof makeFile>,
  view: ReturnType<typeof exportView>
): Pick<ExportingShape, "get" | "list" | "file"> => {
  const file = Effect.fn("Exporting.file")(function* (workspaceId: string | null, id: string) {
    const found = yield* workspaceId === null ? exports.find(id) : exports.get(workspaceId, id)
    if (Option.isNone(found)) return Option.none<ExportFile>()
    const { status, expires_at } = found.value
    if (expires_at <= (yield* Micros.now)) {
      return yield* new ExportExpired({ expiredAt: Micros.format(expires_at) })
    }
    if (status !== "completed") return yield* new ExportNotReady({ status })
    return Option.some(yield* fileOf(found.value))
  })

  const list = Effect.fn("Exporting.list")(function* (
    workspaceId: string,
    { before, limit }: { readonly before: Micros.Micros | null; readonly limit: number },
    holder: LinkHolder | null
  ) {
    const rows = yield* exports.page(workspaceId, { before, limit: limit + 1 })
    const data = rows.slice(0, limit)
    const last = rows.length > limit ? data.at(-1) : undefined
    return {
      data: data.map((stored) => view(stored, holder)),
      pagination: {
        has_more: last !== undefined,
        next_cursor: last === undefined ? null : Cursor.encode(last.created_at),
        total: yield* exports.total(workspaceId)
      }
    }
  })

  return {
    get: (workspaceId, id, holder) =>
      Effect.map(
        exports.get(workspaceId, id),
        Option.map((stored) => view(stored, holder))
      ),
    list,
    file
  }
}

/** Exports, over the port. */
export class Exporting extends Context.Service<Exporting, ExportingShape>()("@cairn/core/Exporting") {
  static readonly layer = (links: ExportLinkOptions) =>
    Layer.effect(
      Exporting,
      Effect.gen(function* () {
        const exports = yield* Exports
        const workspaces = yield* ManagedWorkspaces
        const quotaOf = makeQuota(workspaces)
        const { maySend, count } = makeSending(exports, quotaOf)
        const random = yield* Randomness
        const view = exportView(yield* Sha256, links)

        const mayRequest = Effect.fn("Exporting.mayRequest")(function* (workspaceId: string) {
          yield* maySend(workspaceId)
          const newest = yield* exports.page(workspaceId, { before: null, limit: LOOKED_AT })
          const begun = newest.filter(({ status }) => status === "pending" || status === "processing")
          if (begun.length >= CONCURRENT_EXPORTS)
            return yield* new TooManyExports({ concurrent: CONCURRENT_EXPORTS })
        })

        let lastCreatedAt = 0

        const request = Effect.fn("Exporting.request")(function* (
          workspaceId: string,
          {
            id,
            format,
            filters
          }: { readonly id: string; readonly format: ExportFormat; readonly filters: ExportFilters }
        ) {
          // A page of the list ends at a time, so no two exports may have the same.
          const now = Math.max(yield* Micros.now, lastCreatedAt + 1)
          lastCreatedAt = now
          const stored = yield* exports.create(
            {
              id,
              workspace_id: workspaceId,
              format,
              filters,
              created_at: now,
              expires_at: now + EXPORT_LIFETIME
            },
            {
              concurrent: CONCURRENT_EXPORTS,
              quota: yield* quotaOf(workspaceId),
              since: monthStart(monthOf(now))
            }
          )
          return view(stored, null)
        })

        return Exporting.of({
          mayRequest,
          maySend,
          count,
          newId: Effect.sync(() => `exp_${uuid(random)}`),
          request,
          ...makeReading(exports, makeFile(workspaces), view)
        })
      })
    )
}
