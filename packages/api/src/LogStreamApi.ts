/** The endpoints for log streams. */

import { FieldSchemas as Field } from "@cairn/core/encoding"
import { Page } from "@cairn/core/log"
import { LogStreamInput, LogStreamPatch, LogStreamSettings } from "@cairn/core/outbound"
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { DestinationInput, DestinationPatch, DestinationView } from "./DestinationBodies.ts"
import { BODY_ERRORS, CONFLICT, INVALID_PARAMETER, NOT_FOUND, VALIDATION_FAILED } from "./ErrorBody.ts"
import { describeLimit, limitParameter, PAGE_BOUNDS, pageParameters } from "./Parameters.ts"
import { TEST_WAIT, TestDelivery } from "./WebhookApi.ts"

/** A stream, and its health. */
export const LogStreamView = Schema.Struct({
  id: Field.prefixedId("str", "The stream's id: `str_` and a UUID"),
  ...Struct.map(LogStreamSettings.fields, Schema.toType),
  destination: DestinationView,
  status: Schema.Literals(["healthy", "retrying", "down", "paused", "disabled"]).annotate({
    description:
      "`retrying`: the last attempt failed. `down`: it has failed for long. `paused`: by hand. `disabled`: `enabled` is false"
  }),
  last_error: Field.nullable(Schema.String, "Why the last attempt failed; null after a success"),
  failing_since: Field.nullable(
    Field.timestamp(),
    "Since when every attempt has failed; null after a success"
  ),
  last_success_at: Field.nullable(
    Field.timestamp(),
    "When the destination last took something; null for never"
  ),
  sequence: Schema.Int.annotate({
    description:
      "Every event of the chain up to this one was sent, or is not one of the stream's events; 0 before the first"
  }),
  lag: Field.count("Events of the log after that"),
  checkpoint_size: Field.count(
    "Size of the last checkpoint that was sent, or of the log where the stream began"
  ),
  created_at: Field.timestamp("When it was made"),
  updated_at: Field.timestamp("When it was last changed")
}).annotate({ identifier: "LogStream", description: "A stream, and its health" })
/** A stream as the server shows it: its destination as it is stored. */
export type LogStreamView = Omit<typeof LogStreamView.Type, "destination"> & {
  readonly destination: Readonly<Record<string, unknown>>
}

const Creation = Schema.Struct({ ...LogStreamInput.fields, destination: DestinationInput }).annotate({
  identifier: "LogStreamInput",
  description: "A new stream; what is left out or null has its default"
})

const Change = Schema.Struct({
  ...LogStreamPatch.fields,
  destination: Schema.optionalKey(DestinationPatch)
}).annotate({
  identifier: "LogStreamPatch",
  description: "What to change of a stream; fields that are left out stay"
})

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
  payload: Creation,
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
  payload: Change,
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

const testLogStream = HttpApiEndpoint.post("testLogStream", "/api/v1/log-streams/:id/test", {
  params: streamId,
  query: { wait: limitParameter },
  success: data(TestDelivery)
    .annotate({ description: "The test, and what the destination answered" })
    .pipe(HttpApiSchema.status(202)),
  error: [INVALID_PARAMETER, NOT_FOUND]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Send a test record to a log stream's destination",
    description:
      "Sends one record that is no event, also when the stream is off or paused, and waits for what comes of it: `attempt` has the " +
      "status and the first 1,024 bytes of what the destination answered; of S3 the status and the error's code; of syslog and " +
      "files, which have no status, what happened. It is tried once, and changes neither the stream's place nor its health.",
    transform: describeLimit(
      TEST_WAIT,
      "wait",
      `Seconds to wait for the destination's answer; ${TEST_WAIT.otherwise} unless given`
    )
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
    resumeLogStream,
    testLogStream
  )
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Log streams", description: "Systems that are fed every event" })
  ) {}
