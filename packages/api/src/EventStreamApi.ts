/** The endpoints whose answers are streams of events: an export that is sent as it is made. */
import { SENT_FORMATS } from "@cairn/core/export"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Access, Authorization } from "./Authorization.ts"
import { INVALID_PARAMETER, QUOTA_EXCEEDED } from "./ErrorBody.ts"
import { filterParameters } from "./EventApi.ts"

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
        "its last chunk: an HTTP client reports that as an error. A workspace has five under way at a time, a viewer two; a further one is `429`. " +
        "A client that takes next to nothing for a minute is cut off. A viewer token needs the claim `export`."
    })
  )

/** Streams of events. */
export class EventStreamApi extends HttpApiGroup.make("streams")
  .add(exportEvents)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Streams of events", description: "Answers that are sent as they are made" })
  ) {}
