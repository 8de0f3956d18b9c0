import { EventLog } from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { LivePace } from "../../src/http/endpoints/EventLiveEndpoint.ts"
import { breakableStorage } from "./BreakableStorage.ts"
import { type RawAnswer, rawRequest } from "./RawExchange.ts"
import { storage } from "./Storage.ts"
import { EVENT, send, sequence, testServerOver } from "./TestServer.ts"

export const LIVE = "/api/v1/events/live"

/** What was read by the servers of this file. */
export const reads = { heads: 0, counts: 0, others: 0 }

/** A server whose log counts what is read of it, and can be made to fail; what is periodic comes sooner. */
export const liveServer = (pace = { heartbeat: 15_000, check: 200, count: 1_000 }) => {
  const counted = Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) =>
      EventLog.of({
        ...log,
        head: (id) => {
          reads.heads++
          return log.head(id)
        },
        count: (...given) => {
          reads.counts++
          return log.count(...given)
        },
        entries: (...given) => {
          reads.others++
          return log.entries(...given)
        },
        page: (...given) => {
          reads.others++
          return log.page(...given)
        }
      })
    )
  )
  return testServerOver(
    counted.pipe(Layer.provideMerge(breakableStorage), Layer.provideMerge(storage()))
  ).pipe(Layer.provide(Layer.succeed(LivePace, pace)))
}

/** Accepts and sequences events. */
export const accept = Effect.fnUntraced(function* (key: string, count: number, more: object = {}) {
  const events = Array.from({ length: count }, () => ({ ...EVENT, ...more }))
  assert.strictEqual((yield* send({ path: "/api/v1/events/batch", key, body: { events } })).status, 202)
  yield* sequence
})

/** Opens a stream, and waits for its first line. */
export const live = Effect.fnUntraced(function* (
  key: string | undefined,
  query = "",
  headers: Record<string, string> = {}
) {
  const answer = yield* rawRequest({ path: `${LIVE}${query}`, key, headers })
  yield* Effect.promise(() => answer.read((text) => text.includes("retry: 5000\n\n")))
  return answer
})

/** Waits until a stream has this text. */
export const has = (answer: RawAnswer, text: string) =>
  Effect.promise(() => answer.read((read) => read.includes(text)))

/** The counts that a stream has told. */
export const told = (answer: RawAnswer): ReadonlyArray<number> =>
  [...answer.text().matchAll(/event: count\ndata: \{"new":(\d+)\}\n\n/g)].map(([, count]) => Number(count))

/** A viewer token of a key. */
export const token = Effect.fnUntraced(function* (key: string, body: object) {
  const made = yield* send({ path: "/api/v1/viewer-token", key, body })
  return made.json<{ token: string }>().token
})
