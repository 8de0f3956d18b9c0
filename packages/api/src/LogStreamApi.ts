/** The endpoints for log streams. */

import { Page } from "@cairn/core/log"
import { DestinationView, LogStreamInput, LogStreamPatch, LogStreamSettings } from "@cairn/core/outbound"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScope } from "./Authorization.ts"
import { BODY_ERRORS, CONFLICT, INVALID_PARAMETER, NOT_FOUND, VALIDATION_FAILED } from "./ErrorBody.ts"
import { describeLimit, PAGE_BOUNDS, pageParameters } from "./Parameters.ts"

/** A stream, and its health. */
export const LogStreamView = Schema.Struct({
  id: Schema.String.annotate({ description: "`str_` and a UUID" }),
  ...LogStreamSettings.fields,
  destination: DestinationView,
  status: Schema.Literals(["healthy", "retrying", "down", "paused", "disabled"]),
  last_error: Schema.NullOr(Schema.String),
  failing_since: Schema.NullOr(Schema.String),
  last_success_at: Schema.NullOr(Schema.String),
  sequence: Schema.Int.annotate({
    description: "Every event up to this one was sent, or is none of the stream's"
  }),
  lag: Schema.Int.annotate({ description: "Events of the log after that" }),
  checkpoint_size: Schema.Int.annotate({
    description: "Size of the last checkpoint that was sent, or of the log where the stream began"
  }),
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "LogStream" })
export type LogStreamView = typeof LogStreamView.Type

const data = <S extends Schema.Top>(schema: S) => Schema.Struct({ data: schema })
const streamId = { id: Schema.String.annotate({ description: "The stream's id, `str_…`" }) }

const listLogStreams = HttpApiEndpoint.get("listLogStreams", "/api/v1/log-streams", {
  query: pageParameters,
  success: Page(LogStreamView).annotate({ description: "A page of log streams" }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({ summary: "List log streams, newest first", transform: describeLimit(PAGE_BOUNDS) })
)

const createLogStream = HttpApiEndpoint.post("createLogStream", "/api/v1/log-streams", {
  payload: LogStreamInput,
  success: data(LogStreamView).annotate({ description: "The stream" }).pipe(HttpApiSchema.status(201)),
  error: [...BODY_ERRORS, VALIDATION_FAILED, CONFLICT]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Create a log stream",
    description: "Events leave in the order of the chain, each at least once."
  })
)

const getLogStream = HttpApiEndpoint.get("getLogStream", "/api/v1/log-streams/:id", {
  params: streamId,
  success: data(LogStreamView).annotate({ description: "The stream and how it does" }),
  error: NOT_FOUND
}).annotateMerge(OpenApi.annotations({ summary: "Get one log stream" }))

const updateLogStream = HttpApiEndpoint.patch("updateLogStream", "/api/v1/log-streams/:id", {
  params: streamId,
  payload: LogStreamPatch,
  success: data(LogStreamView).annotate({ description: "The stream as it is now" }),
  error: [...BODY_ERRORS, VALIDATION_FAILED, NOT_FOUND]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Change a log stream",
    description:
      "It goes on where it stands. A secret is kept by `***` only while the destination's address stays the same."
  })
)

const deleteLogStream = HttpApiEndpoint.delete("deleteLogStream", "/api/v1/log-streams/:id", {
  params: streamId,
  success: data(LogStreamView).annotate({ description: "The stream that was" }),
  error: NOT_FOUND
}).annotateMerge(OpenApi.annotations({ summary: "Delete a log stream" }))

const pauseLogStream = HttpApiEndpoint.post("pauseLogStream", "/api/v1/log-streams/:id/pause", {
  params: streamId,
  success: data(LogStreamView).annotate({ description: "The stream, paused" }),
  error: NOT_FOUND
}).annotateMerge(
  OpenApi.annotations({ summary: "Pause a log stream", description: "It stops where it stands." })
)

const resumeLogStream = HttpApiEndpoint.post("resumeLogStream", "/api/v1/log-streams/:id/resume", {
  params: streamId,
  success: data(LogStreamView).annotate({ description: "The stream, on its way again" }),
  error: NOT_FOUND
}).annotateMerge(
  OpenApi.annotations({
    summary: "Resume a log stream",
    description: "It goes on where it stopped; nothing is missing."
  })
)

/** Log streams. */
export class LogStreamApi extends HttpApiGroup.make("logStreams")
  .add(
    listLogStreams,
    createLogStream,
    getLogStream,
    updateLogStream,
    deleteLogStream,
    pauseLogStream,
    resumeLogStream
  )
  .middleware(Authorization)
  .annotateEndpoints(RequiredScope, "admin")
  .annotateMerge(
    OpenApi.annotations({ title: "Log streams", description: "Systems that are fed every event" })
  ) {}
