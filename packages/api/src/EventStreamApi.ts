/** The endpoints whose answers are streams: an export that is sent as it is made, counts of new events. */
import { SENT_FORMATS } from "@cairn/core/export"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Access, Authorization } from "./Authorization.ts"
import { INVALID_PARAMETER, QUOTA_EXCEEDED } from "./ErrorBody.ts"
import { filterParameters } from "./EventApi.ts"
import { type Json, mapRecord } from "./OpenDocument.ts"

/** What is written of a stream of counts. */
const LIVE_COUNTS = {
  type: "string",
  description:
    'Events `count`, whose data is JSON: `{"new": 3}`, how many events of the conditions were recorded since the stream began. And the last ' +
    'one, `end`: `{"reason": "expired"}` where the time of the token, key or member is over, `revoked` where it is let in no more, ' +
    "`stopping` where the server stops: ask again",
  examples: ['event: count\ndata: {"new":3}\n\n']
}

/** An operation whose answer is a stream, as others read it: the generator's own words left out. */
const asStream =
  (schema?: Json) =>
  (operation: Record<string, unknown>): Record<string, unknown> => ({
    ...operation,
    responses: mapRecord(operation.responses, (response) => ({
      ...response,
      ...(response.content === undefined
        ? {}
        : {
            content: mapRecord(response.content, ({ "x-effect-stream": stream, ...media }) =>
              stream === undefined || schema === undefined ? media : { ...media, schema }
            )
          })
    }))
  })

const exportEvents = HttpApiEndpoint.get("exportEvents", "/api/v1/events/export", {
  query: {
    ...filterParameters,
    format: Schema.optionalKey(
      Schema.Literals(SENT_FORMATS).annotate({
        description: "`csv` unless given; `ndjson` is an event a line"
      })
    )
  },
  success: HttpApiSchema.StreamUint8Array({
    contentType: ["text/csv", "application/x-ndjson"]
  }).annotate({ description: "The file, which is sent as it is made" }),
  error: [INVALID_PARAMETER, QUOTA_EXCEEDED]
})
  .annotate(Access, "key_or_viewer")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Export events at once",
      description:
        "The events of the list with the same conditions, as they are when it begins, oldest first: the file that `POST /api/v1/exports` makes, as " +
        "the answer itself. It counts toward the month's exports once, when it begins, whatever becomes of it. An answer that was cut short lacks " +
        "its last chunk: an HTTP client reports that as an error. A workspace has five in progress at a time, a viewer two, and the viewers of a tenant " +
        "no more than are left free; a further one is `429`. " +
        "A client that takes next to nothing for a minute is cut off. A viewer token needs the claim `export`.",
      transform: asStream()
    })
  )

/** Why a stream of counts ends. */
export type LiveCountEnd = "expired" | "revoked" | "stopping"

const liveEvents = HttpApiEndpoint.get("liveEvents", "/api/v1/events/live", {
  query: filterParameters,
  success: HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" }).annotate({
    description: "Server-sent events"
  }),
  error: INVALID_PARAMETER
})
  .annotate(Access, "key_or_viewer")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Follow how many events are new",
      description:
        "Server-sent events. `count` tells how many events of the conditions were recorded since the stream began, at most once a second and " +
        "only when there are more. A comment comes every 15 seconds. `end` is the last event, where the access ends or the server stops. A " +
        "workspace has 100 open at a time, what a viewer token shows 10, and the viewers of a tenant no more than are left free; a further one is " +
        "`429`. `EventSource` sends no `Authorization`: " +
        "read the stream with `fetch`.",
      transform: asStream(LIVE_COUNTS)
    })
  )

/** Streams of events. */
export class EventStreamApi extends HttpApiGroup.make("streams")
  .add(exportEvents, liveEvents)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Streams of events", description: "Answers that are sent as they are made" })
  ) {}
