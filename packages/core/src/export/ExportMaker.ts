/**
 * Making exports: from one that waits to a file that can be fetched, in the background.
 *
 * Any number of processes may run it. An export is claimed by one of them; each attempt writes a file of its
 * own, so that one who was thought dead and is not can spoil nothing. After a crash the next one to come
 * begins the export anew.
 */
import { Context, Duration, Effect, Layer, Option, Schema, Stream } from "effect"
import { gzip } from "../encoding/Gzip.ts"
import * as Micros from "../encoding/Micros.ts"
import { EvidenceExport, type EvidenceExportError } from "../evidence/EvidenceExport.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { EventLog } from "../log/EventLog.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { Announcer } from "../outbound/Announcer.ts"
import { ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { retentionStart } from "../workspace/RetentionWindow.ts"
import { exportContent } from "./ExportedEvents.ts"
import { exportFile, lineFormatOf } from "./ExportFile.ts"
import { ExportStore, type ExportStoreUnavailable } from "./ExportStore.ts"
import { type ClaimedExport, Exports, type StoredExport } from "./Exports.ts"
import { type ExportLinkOptions, exportView } from "./ExportView.ts"
import type { LineFormat } from "./LineFormat.ts"

/** Attempts at an export, crashes included, before it has failed. */
const EXPORT_ATTEMPTS = 5
/** How long whoever makes an export may be silent before another takes it over. */
const HOLD: Micros.Micros = 60 * Micros.SECOND
/** How often they say that they are at it. */
const KEEP_EVERY = Duration.seconds(5)
/** Rows stay for longer than the month that they count for. */
const KEEP_ROWS: Micros.Micros = 40 * Micros.DAY
/** Expired exports whose files are removed in one round, and settled ones that are told of belatedly. */
const CLEAN_UP = 100

/** Another has taken the export over, or it was withdrawn. */
class ClaimLost extends Schema.TaggedError<ClaimLost>()("ClaimLost", { id: Schema.String }) {}

/** The bytes of a file, and how far the making of them has come. */
interface Content {
  readonly bytes: Stream.Stream<Uint8Array, EvidenceExportError>
  /** `rows` are the file's events; `progress` is in percent. */
  readonly state: { rows: number; progress: number }
}

/** The use case *make exports*. */
interface ExportMakerShape {
  /**
   * Makes one export that waits; answers whether there was one. What goes wrong with it is logged, and tried
   * again later.
   */
  readonly advance: Effect.Effect<boolean, StorageUnavailable>
  /**
   * Tells of settled exports that nobody was told of, and removes the files of expired ones, and rows of long
   * ago; answers how many exports lost their files. */
  readonly cleanUp: Effect.Effect<number, StorageUnavailable | ExportStoreUnavailable>
}

/** What making exports works with. */
interface ExportMakerContext {
  readonly exports: Exports["Service"]
  readonly store: ExportStore["Service"]
  readonly log: EventLog["Service"]
  readonly evidence: EvidenceExport["Service"]
  readonly workspaces: ManagedWorkspaces["Service"]
  readonly announcer: Announcer["Service"]
  readonly random: Randomness["Service"]
  readonly view: ReturnType<typeof exportView>
}

/** Where the retention window begins; null when nothing expires. */
const windowStart = Effect.fnUntraced(function* ({ workspaces }: ExportMakerContext, workspaceId: string) {
  const workspace = Option.getOrUndefined(yield* workspaces.get(workspaceId))
  return workspace === undefined ? null : retentionStart(workspace, yield* Micros.now)
})

const linesContent = (
  { log }: ExportMakerContext,
  { workspace_id, filters }: ClaimedExport,
  lineFormat: LineFormat,
  visibleFrom: Micros.Micros | null
): Content => {
  const state = { rows: 0, progress: 0 }
  const bytes = exportContent(log, workspace_id, lineFormat, filters, visibleFrom).pipe(
    Stream.map((piece) => {
      state.rows += piece.rows
      state.progress = piece.progress
      return piece.bytes
    }),
    Stream.filter(({ length }) => length > 0)
  )
  return { bytes, state }
}

/** The bundle of the range that is left within the retention window, as `cairn evidence` writes it. */
const bundleContent = (
  { evidence }: ExportMakerContext,
  { workspace_id, filters }: ClaimedExport,
  visibleFrom: Micros.Micros | null
): Content => {
  const state = { rows: 0, progress: 0 }
  const asked = filters.from === undefined ? null : (Micros.parse(filters.from) ?? null)
  const from = visibleFrom === null ? asked : Math.max(asked ?? visibleFrom, visibleFrom)
  const to = filters.to === undefined ? undefined : Micros.parse(filters.to)
  const range = { ...(from === null ? {} : { from }), ...(to === undefined ? {} : { to }) }
  const text = Effect.map(evidence.open({ workspaceId: workspace_id, ...range }), (bundle) => {
    state.rows = bundle.events
    let done = 0
    return Stream.map(bundle.text, (piece) => {
      // A helping is some hundred events; what else a bundle holds is next to nothing.
      done += piece.split("\n").length - 1
      state.progress = Math.min(99, Math.floor((done * 100) / Math.max(1, bundle.events)))
      return piece
    })
  })
  return { bytes: gzip(Stream.encodeText(Stream.unwrap(text))), state }
}

const contentOf = Effect.fnUntraced(function* (context: ExportMakerContext, claimed: ClaimedExport) {
  const visibleFrom = yield* windowStart(context, claimed.workspace_id)
  const lineFormat = lineFormatOf(claimed.format)
  return lineFormat === undefined
    ? bundleContent(context, claimed, visibleFrom)
    : linesContent(context, claimed, lineFormat, visibleFrom)
})

const keepClaim = (
  { exports }: ExportMakerContext,
  claimed: ClaimedExport,
  state: { readonly progress: number }
) =>
  Effect.gen(function* () {
    const until = (yield* Micros.now) + HOLD
    const held = yield* exports.keep(claimed, { until, progress: state.progress })
    if (!held) return yield* new ClaimLost({ id: claimed.id })
  })

const removeFiles = ({ store }: ExportMakerContext, stored: StoredExport, attempts: number) =>
  Effect.forEach(
    Array.from({ length: attempts }, (_, index) => exportFile(stored, index + 1).name),
    store.remove,
    { discard: true }
  )

/** Tells of a settled export, once however often it is called: its id is the cause. */
const tell = Effect.fnUntraced(function* (
  { announcer, view, exports }: ExportMakerContext,
  stored: StoredExport
) {
  const type = stored.status === "completed" ? "export.completed" : "export.failed"
  yield* announcer.announce(stored.workspace_id, { type, data: view(stored) }, stored.id)
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
  const { name, contentType } = exportFile(claimed)
  const { bytes, state } = yield* contentOf(context, claimed)
  const keeping = Effect.forever(Effect.andThen(Effect.sleep(KEEP_EVERY), keepClaim(context, claimed, state)))
  const fileSize = yield* Effect.raceFirst(store.write(name, contentType, bytes), keeping)
  const outcome = { status: "completed", totalRows: state.rows, fileSize } as const
  if (!(yield* exports.settle(claimed, outcome))) {
    yield* store.remove(name)
    return yield* new ClaimLost({ id: claimed.id })
  }
  // What earlier attempts left is removed with the export at the latest.
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
      if (yield* context.exports.settle(claimed, { status: "failed" })) yield* tellOf(context, claimed)
      return true
    }
    yield* produce(context, claimed).pipe(
      Effect.catchTag("ClaimLost", ({ id }) => Effect.logWarning(`Another process makes export ${id} now`)),
      Effect.catch((error) => Effect.logWarning(`Export ${claimed.id} is tried again later`, error))
    )
    return true
  }).pipe(Effect.withSpan("ExportMaker.advance"))

const cleanUp = (context: ExportMakerContext) =>
  Effect.gen(function* () {
    const now = yield* Micros.now
    // A crash came between the settling and the telling, or the outbox was out of reach.
    for (const stored of yield* context.exports.untold(CLEAN_UP)) yield* tell(context, stored)
    const expired = yield* context.exports.expired(now, CLEAN_UP)
    for (const stored of expired) {
      yield* removeFiles(context, stored, stored.attempts)
      yield* context.exports.forget(stored.id)
    }
    yield* context.exports.prune(now - KEEP_ROWS)
    return expired.length
  }).pipe(Effect.withSpan("ExportMaker.cleanUp"))

/** Making exports of a log, into a store of files. */
export class ExportMaker extends Context.Service<ExportMaker, ExportMakerShape>()("@cairn/core/ExportMaker") {
  static readonly layer = (links: ExportLinkOptions) =>
    Layer.effect(
      ExportMaker,
      Effect.gen(function* () {
        const view = exportView(yield* Sha256, links)
        const context: ExportMakerContext = {
          exports: yield* Exports,
          store: yield* ExportStore,
          log: yield* EventLog,
          evidence: yield* EvidenceExport,
          workspaces: yield* ManagedWorkspaces,
          announcer: yield* Announcer,
          random: yield* Randomness,
          view
        }
        return ExportMaker.of({ advance: advance(context), cleanUp: cleanUp(context) })
      })
    )
}
