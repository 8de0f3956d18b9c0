/** An export that is sent as it is made, as the answer to the request for it. */
import { readerId } from "@cairn/core/access"
import { Micros } from "@cairn/core/encoding"
import { scopedFilter } from "@cairn/core/event"
import { exportFileName, SENT_FORMATS, SentExports, sentContentType } from "@cairn/core/export"
import { Sha256, type Sha256Shape } from "@cairn/core/hashing"
import { Meters } from "@cairn/core/log"
import { ExportManagement } from "@cairn/core/management"
import { Context, Effect, Schedule, Stream } from "effect"
import { storeFailed } from "../../loops/StoreIncidents.ts"
import { SERVER_METRICS } from "../../metrics/ServerFamilies.ts"
import { type AuthorizedRequest, type Endpoint, visibleFrom } from "../gate/Endpoint.ts"
import { viewerReader } from "../gate/Identity.ts"
import { laterRefusal } from "../gate/LaterRefusal.ts"
import { makeOpenStreams, type StreamLimits } from "../limits/OpenStreams.ts"
import type { Answer } from "../plumbing/Answer.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { parametersOf, readQuery, selection } from "../plumbing/QueryParameters.ts"
import { sentStream } from "../plumbing/SentStream.ts"
import { manager } from "./ManagementRequest.ts"

/** Each holds a piece of its file while its client takes the one before. */
const MOST_OPEN: StreamLimits = { ofWorkspace: 5, ofViewer: 2, ofProcess: 32 }

/** Between two looks whether an export may go on, in milliseconds; to be replaced in tests. */
export const ExportPace = Context.Reference<number>("@cairn/server/ExportPace", { defaultValue: () => 3_000 })

/**
 * Fails once the access of the request is withdrawn, as by a revoked key or a removed member. If only its
 * time is over, an export that began before goes on to its end.
 */
const takenAway = Effect.fnUntraced(function* (request: AuthorizedRequest) {
  const { until = Number.POSITIVE_INFINITY } = request.identity
  const look = Effect.gen(function* () {
    const refusal = yield* laterRefusal(request)
    if (refusal !== undefined && (yield* Micros.now) < until) yield* refusal
  })
  yield* Effect.repeat(look, Schedule.spaced(yield* ExportPace))
})

/** Who is sent it, for the record: of a viewer token, the reader behind it. */
const sentTo = (sha256: Sha256Shape, request: AuthorizedRequest) => {
  const { viewer, identity } = request
  if (viewer === null) return { by: manager(request), metadata: {} }
  const reader = viewerReader(viewer)
  const id = readerId(sha256, identity.workspaceId, reader)
  return { by: { ...manager(request), id, name: reader.name }, metadata: reader.metadata ?? {} }
}

/** The endpoint, by its name in the contract. */
export const makeEventExportEndpoint = Effect.gen(function* () {
  const management = yield* ExportManagement
  const sent = yield* SentExports
  const sha256 = yield* Sha256
  const streams = makeOpenStreams("exports", MOST_OPEN)
  const meters = yield* Meters
  meters.observed(SERVER_METRICS.openAnswers, streams.size, { kind: "exports" })

  const exportEvents: Endpoint = Effect.fnUntraced(function* (request) {
    const { query, identity, viewer, profile, response, now } = request
    const {
      filter: asked,
      time,
      format
    } = yield* readQuery(query, (parameters) => ({
      ...selection(parameters),
      format: parameters.choice("format", SENT_FORMATS) ?? "csv"
    }))
    const filter = viewer === null ? asked : (scopedFilter(asked, viewer) ?? null)
    const answer = { status: 200, contentType: sentContentType(format), compressible: true } as const
    // Nothing is exported to who asks what the answer would be like.
    if (response.req.method === "HEAD") return { ...answer, body: "" }
    yield* streams.open(request)
    const { by, metadata } = sentTo(sha256, request)
    const { workspaceId } = identity
    const conditions = { ...parametersOf(filter ?? asked), ...(time === "recorded" ? {} : { time }) }
    const begun = management.send(by, workspaceId, { format, conditions, metadata })
    // What is recorded is counted, although the client goes away meanwhile.
    const { id, createdAt } = yield* Effect.uninterruptible(begun)
    const text = sent.text({ workspaceId, format, filter, time, visibleFrom: visibleFrom({ profile, now }) })
    const content = text.pipe(
      Stream.tapError((error) => storeFailed("An export was cut short", error)),
      Stream.encodeText,
      Stream.interruptWhen(takenAway(request))
    )
    const named = { id, format, filters: periodOf(filter ?? asked), createdAt }
    const filename = exportFileName(profile.workspace, named)
    return {
      ...answer,
      body: sentStream(response, content),
      headers: { "content-disposition": `attachment; filename="${filename}"` }
    } satisfies Answer
  }, asApiError)

  return { exportEvents }
})

/** The times of a filter, as texts. */
const periodOf = ({ from, to }: { readonly from?: Micros.Micros; readonly to?: Micros.Micros }) => ({
  ...(from === undefined ? {} : { from: Micros.format(from) }),
  ...(to === undefined ? {} : { to: Micros.format(to) })
})
