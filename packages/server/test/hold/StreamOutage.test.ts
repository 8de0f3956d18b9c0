/** A log stream whose destination is down while events keep coming. */

import { isEndurance } from "@cairn/testing/SeededTrial"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type Received, startWebServer } from "../../../delivery/test/peers/WebServer.ts"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { streamedEvents } from "../support/StreamedEvents.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

killLeftovers()

/** Events sent before the destination goes down. */
const BEFORE = 400
/**
 * Events sent while the destination is down: some hundreds in the short form; `CAIRN_OUTAGE_EVENTS` sets
 * another number.
 */
const DURING = Number(process.env.CAIRN_OUTAGE_EVENTS ?? (isEndurance() ? "60000" : "1200"))
/** Clients that send one event after the other. */
const CLIENTS = 4
/** Milliseconds for what is left to do after it, which is more the more was sent. */
const PATIENCE = 90_000 + DURING * 10
/** Milliseconds that a client rests between two: a load, and not the most there can be. */
const REST = 20

const decodeStream = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({
      id: Schema.String,
      status: Schema.String,
      last_error: Schema.NullOr(Schema.String),
      lag: Schema.Number
    })
  })
)

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Sends so many events; returns the milliseconds that each took to be accepted, in ascending order. */
const load = async (client: ApiClient, events: number): Promise<ReadonlyArray<number>> => {
  const taken: Array<number> = []
  const one = async (number: number) => {
    for (let count = 0; count < events / CLIENTS; count++) {
      const began = performance.now()
      await client.accept({ actor_id: `client-${number}`, action: "load.sent" })
      taken.push(performance.now() - began)
      await pause(REST)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => one(number)))
  return taken.toSorted((a, b) => a - b)
}

const at = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? 0

describe.each(DATABASES)("a log stream that is down under load, on %s", (kind) => {
  const { newDatabase } = testDatabases(kind)

  it.live(
    "delays neither ingestion nor another stream, and catches up in order with nothing missing",
    () =>
      Effect.gen(function* () {
        let down = false
        const acknowledged: Array<Received> = []
        let refused = 0
        const ailing = yield* startWebServer((request, response) => {
          if (down) refused++
          else acknowledged.push(request)
          response.writeHead(down ? 503 : 200).end()
        })
        const well = yield* startWebServer((_, response) => {
          response.writeHead(200).end()
        })
        yield* Effect.promise(async () => {
          const { database } = await newDatabase()
          const variables = { CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8", CAIRN_OUTBOUND_HTTP: "true" }
          const tenant = await makeTenant("Acme", { database, variables })
          // Checkpoints come among the events, as they do once an hour.
          const often = { ...variables, CAIRN_CHECKPOINT_EVERY_SECONDS: "1" }
          const server = await startServer({ database, variables: often })
          const client = apiClient(server.baseUrl, tenant.key)
          const makeStream = async (name: string, port: number) => {
            const destination = { type: "https", url: `http://127.0.0.1:${port}/`, body: "ndjson" }
            const body = { name, start: "beginning", batch_events: 100, batch_seconds: 0, destination }
            return decodeStream((await client.request("POST", "/api/v1/log-streams", body)).body).data.id
          }
          const ailingId = await makeStream("Ailing", ailing.port)
          await makeStream("Well", well.port)
          const standing = async () => decodeStream((await client.get(`/log-streams/${ailingId}`)).body).data

          const before = await load(client, BEFORE)
          await eventually(
            "both have what came before",
            () =>
              [acknowledged, well.received].every((got) => streamedEvents(got).length >= before.length) ||
              undefined,
            90_000
          )
          down = true
          const began = performance.now()
          const during = await load(client, DURING)
          const duringMillis = performance.now() - began
          const accepted = before.length + during.length
          await eventually(
            "the other has all of it, although this one is still down",
            () => streamedEvents(well.received).length >= accepted || undefined,
            PATIENCE
          )
          await eventually("it was tried more than once", () => refused > 1 || undefined, PATIENCE)
          assert.isBelow(streamedEvents(acknowledged).length, accepted - during.length / 2)
          const outage = await standing()
          assert.match(outage.status, /^(?:retrying|down)$/)
          assert.match(outage.last_error ?? "", /503/)
          assert.isAbove(outage.lag, during.length / 2)
          // Twice as long and a quarter of a second more would be the noise of a busy machine; of a few
          // requests, a pause of it.
          assert.isBelow(at(during, 0.5), 2 * at(before, 0.5) + 250)
          assert.isBelow(at(during, 0.99), 2 * at(before, 0.99) + 2_000)
          const cycle = REST + 2 * at(before, 0.5) + 250
          assert.isBelow(duringMillis, (2 * cycle * during.length) / CLIENTS)

          down = false
          await eventually(
            "it has caught up",
            async () => (await standing()).lag === 0 || undefined,
            PATIENCE
          )
          const log = (await client.list()).toReversed()
          assert.isAtLeast(log.length, accepted)
          assert.deepStrictEqual(streamedEvents(acknowledged), log)
          await eventually(
            "so has the other",
            () => streamedEvents(well.received).length === log.length || undefined,
            PATIENCE
          )
          assert.deepStrictEqual(streamedEvents(well.received), log)
          assert.strictEqual((await standing()).status, "healthy")
          await server.stop()
        })
      }).pipe(Effect.scoped),
    { timeout: 6 * PATIENCE }
  )
})
