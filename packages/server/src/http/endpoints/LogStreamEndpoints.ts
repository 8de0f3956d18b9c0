/** Log streams, and how they do. */
import { type LogStreamView, TEST_WAIT } from "@cairn/api"
import { Micros } from "@cairn/core/encoding"
import { LogStreamManagement } from "@cairn/core/management"
import { DeliveryReader, type StoredLogStream, type StreamStanding } from "@cairn/core/outbound"
import { Effect } from "effect"
import type { Endpoint } from "../gate/Endpoint.ts"
import { createdAnswer, jsonAnswer } from "../plumbing/Answer.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { moment, shownFault, testView } from "./DeliveryViews.ts"
import { collectionPage, manager, readBody } from "./ManagementRequest.ts"
import { shownAddress } from "./ShownAddress.ts"

const streamView = (
  { id, settings, destination, created_at, updated_at }: StoredLogStream,
  standing: StreamStanding,
  mayChange: boolean
): LogStreamView => ({
  id,
  ...settings,
  destination: shownAddress(destination, mayChange),
  status: standing.status,
  last_error: shownFault(standing.lastError, mayChange),
  failing_since: moment(standing.failingSince),
  last_success_at: moment(standing.lastSuccessAt),
  sequence: Math.max(standing.sequence, 0),
  lag: standing.lag,
  checkpoint_size: standing.checkpointSize,
  created_at: Micros.format(created_at),
  updated_at: Micros.format(updated_at)
})

/** The endpoints, by their names in the contract. */
export const makeLogStreamEndpoints = Effect.gen(function* () {
  const management = yield* LogStreamManagement
  const deliveries = yield* DeliveryReader

  const view = (stream: StoredLogStream, mayChange = true) =>
    Effect.map(management.standing(stream), (standing) => streamView(stream, standing, mayChange))

  const listLogStreams: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const page = yield* readQuery(query, (parameters) => ({
      before: parameters.cursor(),
      limit: parameters.limit()
    }))
    const streams = yield* management.list(identity.workspaceId)
    const mayChange = identity.allows("log_streams:write")
    const { data, pagination } = collectionPage(streams, page, (stream) => view(stream, mayChange))
    return jsonAnswer({ data: yield* Effect.all(data), pagination })
  }, asApiError)

  const createLogStream: Endpoint = Effect.fnUntraced(function* (request) {
    const body = yield* readBody(request)
    const stream = yield* management.create(manager(request), request.identity.workspaceId, body)
    return createdAnswer(yield* view(stream))
  }, asApiError)

  const getLogStream: Endpoint = Effect.fnUntraced(function* ({ id, identity }) {
    const stream = yield* management.find(identity.workspaceId, id)
    return jsonAnswer({ data: yield* view(stream, identity.allows("log_streams:write")) })
  }, asApiError)

  const updateLogStream: Endpoint = Effect.fnUntraced(function* (request) {
    const body = yield* readBody(request)
    const { workspaceId } = request.identity
    const stream = yield* management.change(manager(request), workspaceId, request.id, body)
    return jsonAnswer({ data: yield* view(stream) })
  }, asApiError)

  const deleteLogStream: Endpoint = Effect.fnUntraced(function* (request) {
    const { workspaceId } = request.identity
    const { stream, standing } = yield* management.remove(manager(request), workspaceId, request.id)
    return jsonAnswer({ data: streamView(stream, standing, true) })
  }, asApiError)

  const pauseLogStream: Endpoint = Effect.fnUntraced(function* (request) {
    const { workspaceId } = request.identity
    return jsonAnswer({
      data: yield* view(yield* management.pause(manager(request), workspaceId, request.id))
    })
  }, asApiError)

  const resumeLogStream: Endpoint = Effect.fnUntraced(function* (request) {
    const { workspaceId } = request.identity
    return jsonAnswer({
      data: yield* view(yield* management.resume(manager(request), workspaceId, request.id))
    })
  }, asApiError)

  const testLogStream: Endpoint = Effect.fnUntraced(function* (request) {
    const { workspaceId } = request.identity
    const wait = yield* readQuery(request.query, (parameters) => parameters.limit(TEST_WAIT, "wait"))
    const sent = yield* management.test(manager(request), workspaceId, request.id)
    return jsonAnswer({ data: yield* testView(deliveries, workspaceId, sent, wait) }, 202)
  }, asApiError)

  return {
    listLogStreams,
    createLogStream,
    getLogStream,
    updateLogStream,
    deleteLogStream,
    pauseLogStream,
    resumeLogStream,
    testLogStream
  }
})
