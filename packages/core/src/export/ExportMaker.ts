/**
 * Making exports in the background: from a waiting export to a file that can be fetched.
 *
 * Any number of processes may run it. One of them claims an export. Each attempt writes a separate file, so
 * that a process that was wrongly taken for dead can do no harm. After a crash the next process starts the
 * export again.
 */
import { Context, Duration, Effect, Layer, Option, Ref, Schema, Stream } from "effect"
import { whileHeld } from "../consumer/KeptHold.ts"
import { gzip } from "../encoding/Gzip.ts"
import * as Micros from "../encoding/Micros.ts"
import { EvidenceExport, type EvidenceExportError } from "../evidence/EvidenceExport.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { EventLog } from "../log/EventLog.ts"
import { LOG_METRICS } from "../log/metric/Families.ts"
import { Meters, type MetricCounter } from "../log/metric/Meters.ts"
import { Replicas, type ReplicasShape } from "../log/Replicas.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { Announcer } from "../outbound/Announcer.ts"
import { ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { retentionStart } from "../workspace/RetentionWindow.ts"
import { exportContent } from "./ExportedEvents.ts"
import { lineFormatOf, storedFile } from "./ExportFile.ts"
import { ExportStore, type ExportStoreUnavailable } from "./ExportStore.ts"
import { type ClaimedExport, Exports, type StoredExport } from "./Exports.ts"
import { type ExportLinkOptions, exportView } from "./ExportView.ts"
import type { LineFormat } from "./LineFormat.ts"

/** Attempts at an export, including those that crashed, before it fails. */
const EXPORT_ATTEMPTS = 5
/** How long the process that makes an export may be silent before another takes over. */
const HOLD: Micros.Micros = 60 * Micros.SECOND
/** How often it renews its claim. */
const KEEP_EVERY = Duration.seconds(5)
/** Rows are kept for longer than the month in which they count. */
const KEEP_ROWS: Micros.Micros = 40 * Micros.DAY
/** In one round, how many expired exports lose their files, and how many settled ones are announced late. */
const CLEAN_UP = 100

/** Another process has taken over the export, or it was withdrawn. */
class ClaimLost extends Schema.TaggedError<ClaimLost>()("ClaimLost", { id: Schema.String }) {}

/** The bytes of a file. */
type Content = Stream.Stream<Uint8Array, EvidenceExportError>

/** How far a file is. */
interface Progress {
  /** The events in it so far. */
  readonly rows: number
  readonly percent: number
}

/** The use case *make exports*. */
interface ExportMakerShape {
  /**
   * Makes one waiting export; returns whether there was one. An error is logged, and the export is tried
   * again later.
   */
  readonly advance: Effect.Effect<boolean, StorageUnavailable>
  /**
   * Announces settled exports that were not announced, and removes the files of expired ones and very old
   * rows. Returns how many exports lost their files.
   */
  readonly cleanUp: Effect.Effect<number, StorageUnavailable | ExportStoreUnavailable>
}

/** What making exports needs. */
interface ExportMakerContext {
  readonly exports: Exports["Service"]
  readonly store: ExportStore["Service"]
  readonly log: EventLog["Service"]
  readonly replicas: ReplicasShape
  readonly evidence: EvidenceExport["Service"]
  readonly workspaces: ManagedWorkspaces["Service"]
  readonly announcer: Announcer["Service"]
  readonly random: Randomness["Service"]
  readonly view: ReturnType<typeof exportView>
  readonly meters: Readonly<Record<"completed" | "retried" | "failed", MetricCounter>>
}

/** Where the retention window begins; null if nothing expires. */
const windowStart = Effect.fnUntraced(function* ({ workspaces }: ExportMakerContext, workspaceId: string) {
  const workspace = Option.getOrUndefined(yield* workspaces.get(workspaceId))
  return workspace === undefined ? null : retentionStart(workspace, yield* Micros.now)
})

const linesContent = (
  { log, replicas }: ExportMakerContext,
  { workspace_id, filters }: ClaimedExport,
  lineFormat: LineFormat,
  visibleFrom: Micros.Micros | null,
  progress: Ref.Ref<Progress>
): Content =>
  replicas.streaming("now", exportContent(log, workspace_id, lineFormat, filters, visibleFrom)).pipe(
    Stream.tap((piece) =>
      Ref.update(progress, ({ rows }) => ({ rows: rows + piece.rows, percent: piece.progress }))
    ),
    Stream.map(({ bytes }) => bytes),
    Stream.filter(({ length }) => length > 0)
  )

/** The bundle of the part of the range that is within the retention window, as `cairn evidence` writes it. */
const bundleContent = (
  { evidence }: ExportMakerContext,
  { workspace_id, filters }: ClaimedExport,
  visibleFrom: Micros.Micros | null,
  progress: Ref.Ref<Progress>
): Content => {
  const asked = filters.from === undefined ? null : (Micros.parse(filters.from) ?? null)
  const from = visibleFrom === null ? asked : Math.max(asked ?? visibleFrom, visibleFrom)
  const to = filters.to === undefined ? undefined : Micros.parse(filters.to)
  const range = { ...(from === null ? {} : { from }), ...(to === undefined ? {} : { to }) }
  const text = Effect.gen(function* () {
    const { events: rows, text } = yield* evidence.open({ workspaceId: workspace_id, ...range })
    yield* Ref.set(progress, { rows, percent: 0 })
    const done = yield* Ref.make(0)
    return Stream.tap(text, (piece) =>
      // A chunk is some hundred events; the rest of a bundle is very small in comparison.
      Effect.flatMap(
        Ref.updateAndGet(done, (lines) => lines + piece.split("\n").length - 1),
        (lines) =>
          Ref.set(progress, { rows, percent: Math.min(99, Math.floor((lines * 100) / Math.max(1, rows))) })
      )
    )
  })
  return gzip(Stream.encodeText(Stream.unwrap(text)))
}

const contentOf = Effect.fnUntraced(function* (
  context: ExportMakerContext,
  claimed: ClaimedExport,
  progress: Ref.Ref<Progress>
) {
  const visibleFrom = yield* windowStart(context, claimed.workspace_id)
  const lineFormat = lineFormatOf(claimed.format)
  return lineFormat === undefined
    ? bundleContent(context, claimed, visibleFrom, progress)
    : linesContent(context, claimed, lineFormat, visibleFrom, progress)
})

const keepClaim = ({ exports }: ExportMakerContext, claimed: ClaimedExport, progress: Ref.Ref<Progress>) =>
  Effect.gen(function* () {
    const until = (yield* Micros.now) + HOLD
    const { percent } = yield* Ref.get(progress)
    const held = yield* exports.keep(claimed, { until, progress: percent })
    if (!held) return yield* new ClaimLost({ id: claimed.id })
  })

const removeFiles = ({ store }: ExportMakerContext, stored: StoredExport, attempts: number) =>
  Effect.forEach(
    Array.from({ length: attempts }, (_, index) => storedFile(stored, index + 1).name),
    store.remove,
    { discard: true }
  )

/** Announces a settled export. Its id is the cause, so it is announced once, however often this is called. */
const tell = Effect.fnUntraced(function* (
  { announcer, view, exports }: ExportMakerContext,
  stored: StoredExport
) {
  const type = stored.status === "completed" ? "export.completed" : "export.failed"
  yield* announcer.announce(stored.workspace_id, { type, data: view(stored, null) }, stored.id)
  yield* exports.told(stored.id)
})

const tellOf = Effect.fnUntraced(function* (
  context: ExportMakerContext,
  { workspace_id, id }: ClaimedExport
) {
  const { exports } = context
  const settled = yield* exports.get(workspace_id, id)
  if (Option.isSome(settled)) yield* tell(context, settled.value)
})

const produce = Effect.fn("ExportMaker.produce")(function* (
  context: ExportMakerContext,
  claimed: ClaimedExport
) {
  const { store, exports } = context
  const { name, contentType } = storedFile(claimed)
  const progress = yield* Ref.make<Progress>({ rows: 0, percent: 0 })
  const bytes = yield* contentOf(context, claimed, progress)
  const writing = store.write(name, contentType, bytes)
  const fileSize = yield* whileHeld(writing, KEEP_EVERY, keepClaim(context, claimed, progress))
  const { rows: totalRows } = yield* Ref.get(progress)
  const outcome = { status: "completed", totalRows, fileSize } as const
  if (!(yield* exports.settle(claimed, outcome))) {
    yield* store.remove(name)
    return yield* new ClaimLost({ id: claimed.id })
  }
  context.meters.completed.value += 1
  // What earlier attempts left is removed together with the export at the latest.
  yield* Effect.ignore(removeFiles(context, claimed, claimed.attempts - 1))
  yield* tellOf(context, claimed)
})

const advance = (context: ExportMakerContext) =>
  Effect.gen(function* () {
    const at = yield* Micros.now
    const found = yield* context.exports.claim({ claim: uuid(context.random), at, until: at + HOLD })
    if (Option.isNone(found)) return false
    const claimed = found.value
    if (claimed.attempts > EXPORT_ATTEMPTS) {
      yield* Effect.logError("An export has failed").pipe(Effect.annotateLogs({ export: claimed.id }))
      context.meters.failed.value += 1
      if (yield* context.exports.settle(claimed, { status: "failed" })) yield* tellOf(context, claimed)
      return true
    }
    yield* produce(context, claimed).pipe(
      Effect.catchTag("ClaimLost", ({ id }) => Effect.logWarning(`Another process makes export ${id} now`)),
      Effect.catch((error) => {
        context.meters.retried.value += 1
        return Effect.logWarning(`Export ${claimed.id} failed and will be tried again`, error)
      })
    )
    return true
  }).pipe(Effect.withSpan("ExportMaker.advance"))

const cleanUp = (context: ExportMakerContext) =>
  Effect.gen(function* () {
    const now = yield* Micros.now
    // A crash came between settling and announcing, or the outbox could not be reached.
    for (const stored of yield* context.exports.untold(CLEAN_UP)) yield* tell(context, stored)
    const expired = yield* context.exports.expired(now, CLEAN_UP)
    for (const stored of expired) {
      yield* removeFiles(context, stored, stored.attempts)
      yield* context.exports.forget(stored.id)
    }
    yield* context.exports.prune(now - KEEP_ROWS)
    return expired.length
  }).pipe(Effect.withSpan("ExportMaker.cleanUp"))

/** Making exports of a log, with a store for the files. */
export class ExportMaker extends Context.Service<ExportMaker, ExportMakerShape>()("@cairn/core/ExportMaker") {
  static readonly layer = (links: ExportLinkOptions) =>
    Layer.effect(
      ExportMaker,
      Effect.gen(function* () {
        const view = exportView(yield* Sha256, links)
        const meters = yield* Meters
        const context: ExportMakerContext = {
          exports: yield* Exports,
          store: yield* ExportStore,
          log: yield* EventLog,
          replicas: yield* Replicas,
          evidence: yield* EvidenceExport,
          workspaces: yield* ManagedWorkspaces,
          announcer: yield* Announcer,
          random: yield* Randomness,
          view,
          meters: {
            completed: meters.counter(LOG_METRICS.exports, { outcome: "completed" }),
            retried: meters.counter(LOG_METRICS.exports, { outcome: "retried" }),
            failed: meters.counter(LOG_METRICS.exports, { outcome: "failed" })
          }
        }
        return ExportMaker.of({ advance: advance(context), cleanUp: cleanUp(context) })
      })
    )
}
