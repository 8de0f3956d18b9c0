/** What tests of access events over HTTP share. */
import { Micros } from "@cairn/core/encoding"
import { type EventContent, parseContent } from "@cairn/core/event"
import { EventLog } from "@cairn/core/log"
import { manualClock } from "@cairn/testing"
import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { standing } from "./StandingClock.ts"
import { type Sent, send, sequence, testServer } from "./TestServer.ts"

/** Where the API is. */
export const PREFIX = "/api/v1"

/** What an event of the service's own says. */
export interface OwnEvent extends EventContent {}

/** The service's own events of a workspace, oldest first, beside any answer of the API. */
export const ownEvents = Effect.fnUntraced(function* (workspaceId: string) {
  yield* sequence
  const entries = yield* (yield* EventLog).page(workspaceId, {
    filter: { action: "cairn.*" },
    before: null,
    limit: 500
  })
  return entries
    .map(({ content }): OwnEvent => parseContent(content ?? "") ?? assert.fail("no content"))
    .reverse()
})

/** The access events of a workspace, oldest first. */
export const accesses = (workspaceId: string) =>
  Effect.map(ownEvents(workspaceId), (events) =>
    events.filter(({ action }) => action.startsWith("cairn.access."))
  )

/** The id of what an answer shows. */
export const idOf = (text: string): string => (JSON.parse(text) as { data: { id: string } }).data.id

/** A server on a clock of its own, at ten past noon. */
export const withClock = <A, E, R>(
  test: (time: ReturnType<typeof manualClock>) => Effect.Effect<A, E, R>,
  options: Parameters<typeof testServer>[0] = {}
) => {
  const time = manualClock(Micros.parse("2026-05-01T12:10:00Z") ?? 0)
  return test(time).pipe(
    Effect.provide(testServer(options)),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

/** Sends a request to the API. */
export const read = (sent: Omit<Sent, "path">, path = "/events") =>
  send({ path: `${PREFIX}${path}`, ...sent })
