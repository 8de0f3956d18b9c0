/**
 * A log stream's settings: which events are sent, in which format, in batches of which size. The destination
 * is separate.
 */
import { Effect, Result, Schema } from "effect"
import { glob, integer } from "../alert/ParameterSchemas.ts"
import type { PublishedCheckpoint } from "../checkpoint/Checkpoints.ts"
import type { ReadEvent, WholeEvent } from "../consumer/RecentEvents.ts"
import * as Micros from "../encoding/Micros.ts"
import { actionGlob } from "../event/ActionGlob.ts"
import type { Event } from "../event/Event.ts"
import { MAX_IDENTIFIER } from "../event/EventInput.ts"
import { EVENT_FORMATS, EventFormatName } from "../event/formats/FormatTable.ts"
import { describeIssue, type InvalidInput } from "../event/InvalidInput.ts"
import { textFault } from "../event/TextFault.ts"
import { signedCheckpointView } from "../note/SignedCheckpointView.ts"
import type { StreamCheckpoint, StreamRecord, StreamTest } from "./LogStreamSink.ts"
import { TEST_MESSAGE } from "./TestMessage.ts"

const text = (limit: number) =>
  Schema.String.check(
    Schema.makeFilter((value: string) => textFault(value, { least: 1, most: limit }), {
      toJsonSchema: () => ({ minLength: 1, maxLength: limit, pattern: "\\S" })
    })
  )

/** Most events of one batch. */
const MAX_BATCH_EVENTS = 10_000
/** The longest that an event waits for others, in seconds. */
const MAX_BATCH_SECONDS = 900

/** A tenant whose events a stream is of. */
export const tenantId = text(MAX_IDENTIFIER)

/** What a stream's owner decides, except the destination. */
export const LogStreamSettings = Schema.Struct({
  name: text(MAX_IDENTIFIER).annotate({ description: "The stream's name" }),
  enabled: Schema.Boolean.annotate({ description: "Whether it sends; it does unless said otherwise" }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(true))
  ),
  format: EventFormatName.annotate({ description: "How an event is written; `cairn` unless given" }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("cairn"))
  ),
  action: Schema.NullOr(glob)
    .annotate({ description: "Only events whose action matches this pattern; null sends all" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  tenant_id: Schema.NullOr(tenantId)
    .annotate({ description: "Only this tenant's events; null sends all" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  batch_events: Schema.NullOr(integer(1, MAX_BATCH_EVENTS))
    .annotate({
      description: "A batch is sent when it has this many events; null for the destination's default"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  batch_seconds: Schema.NullOr(integer(0, MAX_BATCH_SECONDS))
    .annotate({
      description: "Or when its first event has waited this many seconds; null for the destination's default"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  checkpoints: Schema.NullOr(Schema.Boolean)
    .annotate({
      description:
        "Whether the log's checkpoints are sent too, if the destination has a form for them; null sends them unless the stream is for one tenant"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
}).annotate({ identifier: "LogStreamSettings" })
export type LogStreamSettings = typeof LogStreamSettings.Type

const decodeAll = Schema.decodeUnknownResult(LogStreamSettings, { errors: "all" })

const decode = (body: Readonly<Record<string, unknown>>): Result.Result<LogStreamSettings, InvalidInput> =>
  Result.mapError(decodeAll(body), ({ issue }) => describeIssue(issue))

/**
 * Checks the settings in a body and adds defaults; `null` counts as left out. All faults are named by their
 * paths.
 */
export const decodeLogStreamSettings = (
  body: Readonly<Record<string, unknown>>
): Result.Result<LogStreamSettings, InvalidInput> =>
  decode(Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)))

/** Checks the settings in a body that changes a stream: `null` only where a setting may be none. */
export const decodeLogStreamChange = (
  current: LogStreamSettings,
  body: Readonly<Record<string, unknown>>
): Result.Result<LogStreamSettings, InvalidInput> => decode({ ...current, ...body })

/** Whether a stream with these settings sends an event. */
export const streamFilter = ({
  action,
  tenant_id
}: LogStreamSettings): ((event: Pick<Event, "action" | "tenant_id">) => boolean) => {
  const matches = action === null ? undefined : actionGlob(action)
  return (event) =>
    (tenant_id === null || tenant_id === event.tenant_id) && (matches === undefined || matches(event.action))
}

/**
 * Whether a stream with these settings sends checkpoints: a tenant does not learn how long the whole log is,
 * unless the owner allows it.
 */
export const takesCheckpoints = ({ checkpoints, tenant_id }: LogStreamSettings): boolean =>
  checkpoints ?? tenant_id === null

/** The event in the stream's format. */
export const streamRecord = (
  { format }: LogStreamSettings,
  { sequence, createdAt }: Pick<ReadEvent, "sequence" | "createdAt">,
  { event, text }: WholeEvent
): StreamRecord => ({ sequence, createdAt, event, text: text(format) })

/** The checkpoint in the stream's format. */
export const streamCheckpoint = (
  { format }: LogStreamSettings,
  workspaceId: string,
  checkpoint: PublishedCheckpoint
): StreamCheckpoint => ({
  ...checkpoint,
  text: EVENT_FORMATS[format].encodeCheckpoint(signedCheckpointView(checkpoint), workspaceId)
})

/** A test in the stream's format; `at` is when it was asked for. */
export const streamTest = (
  { format }: LogStreamSettings,
  workspaceId: string,
  { id, at }: Pick<StreamTest, "id" | "at">
): StreamTest => ({
  id,
  at,
  text: EVENT_FORMATS[format].encodeTest(
    { id, sent_at: Micros.format(at), message: TEST_MESSAGE },
    workspaceId
  )
})
