/** `Exports` in memory. */

import type { Micros } from "@cairn/core/encoding"
import {
  ExportQuotaReached,
  Exports,
  type SentExport,
  type StoredExport,
  TooManyExports
} from "@cairn/core/export"
import { CLOCK_SLACK } from "@cairn/core/log"
import { Effect, Layer, Option } from "effect"

interface MemoryExport {
  stored: StoredExport
  claim: string | undefined
  /** Whether it is still to be announced that it was settled. */
  untold: boolean
  heldUntil: Micros.Micros
}

/** The exports, by id, in the order in which they were created. */
class Table {
  readonly entries = new Map<string, MemoryExport>()
  /** Those that only count. */
  readonly sent: Array<SentExport> = []
  readonly all = () => Array.from(this.entries.values())
  readonly of = (workspaceId: string) =>
    this.all().filter(({ stored }) => stored.workspace_id === workspaceId)
  readonly since = (workspaceId: string, moment: Micros.Micros) =>
    [...this.of(workspaceId).map(({ stored }) => stored), ...this.sent].filter(
      ({ workspace_id, created_at }) => workspace_id === workspaceId && created_at >= moment
    ).length
}

const isActive = ({ stored: { status } }: MemoryExport) => status === "pending" || status === "processing"

type Service = Exports["Service"]

type Requests = Pick<Service, "create" | "count" | "get" | "page" | "find" | "createdSince" | "total">

const requests = (table: Table): Requests => {
  const { of, since, entries } = table
  return {
    create: (request, { concurrent, quota, since: month }) =>
      Effect.suspend((): Effect.Effect<StoredExport, TooManyExports | ExportQuotaReached> => {
        if (entries.has(request.id)) throw new Error(`there is an export ${request.id} already`)
        const { workspace_id: workspaceId } = request
        if (of(workspaceId).filter(isActive).length >= concurrent)
          return Effect.fail(new TooManyExports({ concurrent }))
        if (quota !== null && since(workspaceId, month) >= quota)
          return Effect.fail(new ExportQuotaReached({ quota }))
        const stored: StoredExport = {
          ...request,
          status: "pending",
          progress: 0,
          attempts: 0,
          total_rows: null,
          file_size: null,
          has_files: false
        }
        entries.set(request.id, { stored, claim: undefined, untold: false, heldUntil: 0 })
        return Effect.succeed(stored)
      }),
    count: (sent, { quota, since: month }) =>
      Effect.suspend(() => {
        if (quota !== null && since(sent.workspace_id, month) >= quota)
          return Effect.fail(new ExportQuotaReached({ quota }))
        table.sent.push(sent)
        return Effect.void
      }),
    total: (workspaceId) => Effect.sync(() => of(workspaceId).length),
    get: (workspaceId, id) =>
      Effect.sync(() =>
        Option.filter(
          Option.fromNullishOr(entries.get(id)?.stored),
          ({ workspace_id }) => workspace_id === workspaceId
        )
      ),
    page: (workspaceId, { before, limit }) =>
      Effect.sync(() =>
        of(workspaceId)
          .map(({ stored }) => stored)
          .filter(({ created_at }) => before === null || created_at < before)
          .sort((one, other) => other.created_at - one.created_at)
          .slice(0, limit)
      ),
    find: (id) => Effect.sync(() => Option.fromNullishOr(entries.get(id)?.stored)),
    createdSince: (workspaceId, moment) => Effect.sync(() => since(workspaceId, moment))
  }
}

const making = ({ all, entries }: Table): Pick<Service, "claim" | "keep" | "settle" | "untold" | "told"> => {
  /** Changes the export that a claim holds; returns whether it holds it. */
  const whileHeld = (
    { id, claim }: { readonly id: string; readonly claim: string },
    change: (entry: MemoryExport) => void
  ) =>
    Effect.sync(() => {
      const entry = entries.get(id)
      if (entry?.claim !== claim) return false
      change(entry)
      return true
    })

  return {
    claim: ({ claim, at, until }) =>
      Effect.sync(() => {
        const [entry] = all()
          .filter((each) => isActive(each) && (each.heldUntil <= at || each.heldUntil > until + CLOCK_SLACK))
          .sort((one, other) => one.stored.created_at - other.stored.created_at)
        if (entry === undefined) return Option.none()
        entry.claim = claim
        entry.heldUntil = until
        entry.stored = {
          ...entry.stored,
          status: "processing",
          attempts: entry.stored.attempts + 1,
          progress: 0,
          has_files: true
        }
        return Option.some({ ...entry.stored, claim })
      }),
    keep: (claimed, { until, progress }) =>
      whileHeld(claimed, (entry) => {
        entry.heldUntil = until
        entry.stored = { ...entry.stored, progress }
      }),
    settle: (claimed, outcome) =>
      whileHeld(claimed, (entry) => {
        entry.claim = undefined
        entry.untold = true
        entry.stored =
          outcome.status === "failed"
            ? { ...entry.stored, status: "failed", progress: claimed.progress }
            : {
                ...entry.stored,
                status: "completed",
                progress: 100,
                total_rows: outcome.totalRows,
                file_size: outcome.fileSize
              }
      }),
    untold: (limit) =>
      Effect.sync(() =>
        all()
          .filter(({ untold }) => untold)
          .map(({ stored }) => stored)
          .slice(0, limit)
      ),
    told: (id) =>
      Effect.sync(() => {
        const entry = entries.get(id)
        if (entry !== undefined) entry.untold = false
      })
  }
}

const leaving = ({
  all,
  entries,
  sent,
  of
}: Table): Pick<Service, "expired" | "forget" | "withdraw" | "prune"> => ({
  expired: (at, limit) =>
    Effect.sync(() =>
      all()
        .filter((entry) => entry.stored.has_files && entry.stored.expires_at <= at && !isActive(entry))
        .map(({ stored }) => stored)
        .sort((one, other) => one.expires_at - other.expires_at)
        .slice(0, limit)
    ),
  forget: (id) =>
    Effect.sync(() => {
      const entry = entries.get(id)
      if (entry !== undefined) entry.stored = { ...entry.stored, has_files: false }
    }),
  withdraw: (workspaceId, at, naming) =>
    Effect.sync(() => {
      let count = 0
      for (const entry of of(workspaceId)) {
        const { filters, expires_at } = entry.stored
        const named = naming !== null && JSON.stringify(filters).includes(JSON.stringify(naming).slice(1, -1))
        if (named && isActive(entry)) {
          entry.claim = undefined
          entry.stored = { ...entry.stored, status: "failed" }
        }
        if (!isActive(entry)) {
          entry.stored = { ...entry.stored, expires_at: Math.min(at, expires_at), filters: {} }
          if (expires_at > at) count++
        } else if (entry.stored.status === "processing") {
          entry.claim = undefined
          entry.heldUntil = 0
          entry.stored = { ...entry.stored, status: "pending", progress: 0 }
          count++
        }
      }
      return count
    }),
  prune: (before) =>
    Effect.sync(() => {
      const old = all().filter(
        (entry) => !entry.stored.has_files && entry.stored.created_at < before && !isActive(entry)
      )
      for (const { stored } of old) entries.delete(stored.id)
      const kept = sent.filter(({ created_at }) => created_at >= before)
      const forgotten = sent.splice(0, sent.length, ...kept).length - kept.length
      return old.length + forgotten
    })
})

/** The port. */
export const layerExports = Layer.sync(Exports, () => {
  const table = new Table()
  return Exports.of({ ...requests(table), ...making(table), ...leaving(table) })
})
