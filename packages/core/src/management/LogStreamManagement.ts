/** Creating, changing, removing, pausing, resuming and testing log streams. */

import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import { BEFORE_FIRST_EVENT, Consumers } from "../consumer/Consumers.ts"
import * as Micros from "../encoding/Micros.ts"
import { bothInvalid, InvalidInput, unlessInvalid } from "../event/InvalidInput.ts"
import { knownMembers } from "../event/KnownMembers.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { EventLog } from "../log/EventLog.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { streamTestDelivery } from "../outbound/Announcement.ts"
import { Destinations } from "../outbound/Destinations.ts"
import { LogStreamInput, LogStreamPatch, StreamStart } from "../outbound/LogStreamInput.ts"
import { decodeLogStreamChange, decodeLogStreamSettings } from "../outbound/LogStreamSettings.ts"
import { LogStreams, MAX_LOG_STREAMS, type StoredLogStream, streamConsumer } from "../outbound/LogStreams.ts"
import { Outbox } from "../outbound/Outbox.ts"
import { type StreamStanding, streamStanding } from "../outbound/StreamHealth.ts"
import { withinLimit } from "../workspace/WorkspaceCollection.ts"
import { makeCreationTime } from "./CreationTime.ts"
import { difference } from "./Difference.ts"
import { liftedBy } from "./LiftedRestrictions.ts"
import { ManagementEvents, type Manager, onceKey } from "./ManagementEvent.ts"
import { NotFound } from "./NotFound.ts"
import { changeRecorded, createRecorded, inTurn, makeTurns } from "./RecordedCreation.ts"

const admit = withinLimit("log streams", MAX_LOG_STREAMS)

type Body = Readonly<Record<string, unknown>>

const isBody = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isStart = Schema.is(StreamStart)

const invalid = (path: string, reason: string) => new InvalidInput({ path, reason })

const unknownInInput = knownMembers(LogStreamInput)
const unknownInPatch = knownMembers(LogStreamPatch)

const asBody = (value: unknown) =>
  isBody(value) ? Effect.succeed(value) : Effect.fail(invalid("", "must be an object"))

const readStart = ({ start }: Body): Result.Result<StreamStart, InvalidInput> => {
  const given = start ?? "now"
  return isStart(given)
    ? Result.succeed(given)
    : Result.fail(invalid("start", `must be one of ${StreamStart.literals.join(", ")}`))
}

type Parts<A> = { readonly [K in keyof A]: Result.Result<A[K], InvalidInput> }

/** What the parts of a body say, or all that is wrong with them. */
const allOf = <A extends Readonly<Record<string, unknown>>>(
  parts: Parts<A>
): Result.Result<A, InvalidInput> => {
  const wrong = Object.values(parts)
    .map((part: Result.Result<unknown, InvalidInput>) => (Result.isFailure(part) ? part.failure : undefined))
    .reduce(bothInvalid, undefined)
  return wrong === undefined
    ? (Result.all(parts) as unknown as Result.Result<A, InvalidInput>)
    : Result.fail(wrong)
}

/** Restrictions on the events that a stream sends. */
const RESTRICTIONS = ["tenant_id", "action"]

const lifted = liftedBy(RESTRICTIONS, "stream")

const resource = ({ id, settings: { name } }: StoredLogStream) => ({ type: "log_stream", id, name })

/**
 * What the log records of a destination: only its type and address, because other members may contain a
 * secret that is not known as one.
 */
const address = ({ type, url, endpoint, bucket, host, port, path }: Body): Body => {
  const origin = (value: unknown) =>
    typeof value === "string" && URL.canParse(value) ? new URL(value).origin : value
  const told = { type, url: origin(url), endpoint: origin(endpoint), bucket, host, port, path }
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined && value !== null))
}

const told = ({ settings, destination }: StoredLogStream) => ({
  ...settings,
  destination: address(destination)
})

/** What the use cases need. */
const loadServices = Effect.gen(function* () {
  const streams = yield* LogStreams
  const consumers = yield* Consumers
  const log = yield* EventLog
  const outbox = yield* Outbox
  const destinations = yield* Destinations
  const events = yield* ManagementEvents
  const random = yield* Randomness
  const now = makeCreationTime()
  const turns = makeTurns()
  const context = yield* Effect.context<Consumers | EventLog>()
  return { streams, consumers, log, outbox, destinations, events, random, now, turns, context }
})
type Services = Effect.Success<typeof loadServices>

const standingOf =
  (services: Services) =>
  (stream: StoredLogStream): Effect.Effect<StreamStanding, StorageUnavailable> =>
    Effect.provide(streamStanding(stream), services.context)

const keyOf = ({ id, workspace_id }: StoredLogStream) => ({
  workspaceId: workspace_id,
  consumer: streamConsumer(id)
})

const readDestination =
  (services: Services) => (id: string, stored: StoredLogStream | null, given: unknown) =>
    isBody(given)
      ? services.destinations.read(id, stored, given)
      : Result.fail(invalid("destination", given === undefined ? "is required" : "must be an object"))

const find = (services: Services) =>
  Effect.fnUntraced(function* (workspaceId: string, id: string) {
    const found = yield* services.streams.get(workspaceId, id)
    return Option.isSome(found) ? found.value : yield* new NotFound({ what: "log stream", id })
  })

const create = (services: Services) =>
  Effect.fn("LogStreamManagement.create")(function* (by: Manager, workspaceId: string, given: unknown) {
    const body = yield* asBody(given)
    const id = `str_${uuid(services.random)}`
    const { settings, start, destination } = yield* Effect.fromResult(
      unlessInvalid(
        allOf({
          settings: decodeLogStreamSettings(body),
          start: readStart(body),
          destination: readDestination(services)(id, null, body.destination)
        }),
        unknownInInput(body),
        lifted(body, null)
      )
    )
    const at = yield* services.now
    const stream: StoredLogStream = {
      id,
      workspace_id: workspaceId,
      settings,
      ...destination,
      after: start === "now" ? (yield* services.log.head(workspaceId)).sequence : BEFORE_FIRST_EVENT,
      created_at: at,
      updated_at: at
    }
    const change = {
      workspaceId,
      action: "cairn.log_stream.created",
      resource: resource(stream),
      metadata: { ...told(stream), start }
    }
    yield* createRecorded(services, by, change, { things: services.streams, item: stream, admit })
    return stream
  })

const merge = (services: Services) => (before: StoredLogStream, body: Body) => {
  const { destination: shown, sealed } = before
  const read = allOf({
    settings: decodeLogStreamChange(before.settings, body),
    destination:
      body.destination === undefined
        ? Result.succeed({ destination: shown, sealed })
        : readDestination(services)(before.id, before, body.destination)
  })
  return Result.map(
    unlessInvalid(read, unknownInPatch(body), lifted(body, before.settings)),
    ({ settings, destination }) => ({ ...before, settings, ...destination })
  )
}

const change = (services: Services) =>
  Effect.fn("LogStreamManagement.change")(function* (
    by: Manager,
    workspaceId: string,
    id: string,
    given: unknown
  ) {
    const body = yield* asBody(given)
    const before = yield* find(services)(workspaceId, id)
    const after = yield* Effect.fromResult(merge(services)(before, body))
    const changed = {
      ...difference(told(before), told(after)),
      // A given destination may contain a new secret; only that fact is recorded.
      ...(body.destination === undefined
        ? {}
        : { destination: { from: told(before).destination, to: told(after).destination } })
    }
    if (Object.keys(changed).length === 0) return before
    const record = {
      workspaceId,
      action: "cairn.log_stream.updated",
      resource: resource(before),
      metadata: { changed }
    }
    const updated_at = yield* services.now
    const { destination, sealed } = after
    const modify = services.streams.modify(workspaceId, id, (current) =>
      Result.map(decodeLogStreamChange(current.settings, body), (settings) => ({
        ...current,
        settings,
        ...(body.destination === undefined ? {} : { destination, sealed }),
        updated_at
      }))
    )
    return yield* changeRecorded(services, by, record, "log stream", modify)
  }, inTurn(services))

const remove = (services: Services) =>
  Effect.fn("LogStreamManagement.remove")(function* (by: Manager, workspaceId: string, id: string) {
    const stream = yield* find(services)(workspaceId, id)
    const standing = yield* standingOf(services)(stream)
    yield* services.events.record(by, {
      workspaceId,
      action: "cairn.log_stream.deleted",
      resource: resource(stream),
      metadata: told(stream),
      idempotencyKey: onceKey("cairn.log_stream.deleted", id, by)
    })
    yield* services.streams.remove(workspaceId, id)
    yield* services.consumers.remove(keyOf(stream))
    return { stream, standing }
  }, inTurn(services))

/** Pauses or resumes it; recorded if that changes anything. */
const halt = (services: Services) => (paused: boolean) =>
  Effect.fnUntraced(function* (by: Manager, workspaceId: string, id: string) {
    const stream = yield* find(services)(workspaceId, id)
    const at = yield* Micros.now
    const key = keyOf(stream)
    const position = yield* services.consumers.open(key, stream.after, at)
    if (position.paused === paused) return stream
    yield* services.events.record(by, {
      workspaceId,
      action: paused ? "cairn.log_stream.paused" : "cairn.log_stream.resumed",
      resource: resource(stream),
      metadata: { sequence: position.sequence }
    })
    yield* paused ? services.consumers.pause(key, at) : services.consumers.resume(key, at)
    return stream
  }, inTurn(services))

/** Asks for a test; the outbox sends it, also of a stream that is off or paused. */
const test = (services: Services) =>
  Effect.fn("LogStreamManagement.test")(function* (by: Manager, workspaceId: string, id: string) {
    const stream = yield* find(services)(workspaceId, id)
    yield* services.events.record(by, {
      workspaceId,
      action: "cairn.log_stream.tested",
      resource: resource(stream),
      metadata: {}
    })
    const delivery = streamTestDelivery(stream, `dlv_${uuid(services.random)}`, yield* Micros.now)
    yield* services.outbox.put([delivery])
    const stored = yield* services.outbox.get(workspaceId, delivery.id)
    return Option.isSome(stored) ? stored.value : yield* new NotFound({ what: "delivery", id: delivery.id })
  })

const make = Effect.map(loadServices, (services) => ({
  find: find(services),
  list: services.streams.list,
  standing: standingOf(services),
  create: create(services),
  change: change(services),
  remove: remove(services),
  pause: halt(services)(true),
  resume: halt(services)(false),
  test: test(services)
}))

/** The use cases. Each checks its input, records the change in the workspace's log, and makes it. */
export class LogStreamManagement extends Context.Service<LogStreamManagement, Effect.Success<typeof make>>()(
  "@cairn/core/LogStreamManagement"
) {
  static readonly layer = Layer.effect(LogStreamManagement, make)
}
