import { get, type IncomingMessage } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, type Server, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

/** An answer, of which nothing is read before `read` is called. */
interface Answer {
  readonly response: IncomingMessage
  /** Whether it has ended, whole or not. */
  readonly closed: () => true | undefined
  /** Takes what comes; gives what has come so far. */
  readonly read: () => () => string
}

const open = (server: Server, path: string, key: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const url = `${server.baseUrl}/api/v1/events/${path}`
    get(url, { agent: false, headers: { authorization: `Bearer ${key}` } }, (response) => {
      let isClosed: true | undefined
      // One that is cut fails before it closes.
      response
        .on("error", () => {})
        .on("close", () => {
          isClosed = true
        })
      const read = () => {
        const pieces: Array<Buffer> = []
        response.on("data", (piece: Buffer) => pieces.push(piece))
        return () => Buffer.concat(pieces).toString()
      }
      resolve({ response, closed: () => isClosed, read })
    }).on("error", reject)
  })

/** A machine under load may need long for them. */
const TOLD_MILLIS = 60_000

/** So much that the systems of both sides do not hold all of it. */
const BATCHES = 10
const events = (batch: number) =>
  Array.from({ length: 100 }, (_, index) => ({
    actor_id: "ada",
    action: "document.read",
    metadata: { index: batch * 100 + index, text: "é".repeat(8_000) }
  }))

describe("answers that go on and on", () => {
  killLeftovers()
  for (const database of DATABASES) {
    const { newDatabase } = testDatabases(database)

    it.concurrent(`are whole on ${database}, tell what is new, and end as the server stops`, async () => {
      const options = await newDatabase()
      const { key } = await makeTenant("Streams", options)
      const server = await startServer(options)
      const client = apiClient(server.baseUrl, key)
      const live = await open(server, "live?actor_id=ada", key)
      const told = live.read()
      for (let batch = 0; batch < BATCHES; batch++) await client.acceptBatch(events(batch))
      const isTold = () => told().includes('data: {"new":1000}') || undefined
      await eventually("all are told", isTold, TOLD_MILLIS)

      const whole = await open(server, "export?format=ndjson&actor_id=ada", key)
      const text = whole.read()
      await eventually("the export ends", whole.closed, TOLD_MILLIS)
      assert.isTrue(whole.response.complete)
      const lines = text().trimEnd().split("\n")
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).metadata.index),
        Array.from({ length: BATCHES * 100 }, (_, index) => index)
      )

      const held = await open(server, "export?format=ndjson", key)
      const began = performance.now()
      const stopped = server.stop()
      await eventually("the counts end", live.closed)
      // Well before the grace of 15 seconds is over.
      assert.isBelow(performance.now() - began, 10_000)
      assert.isTrue(live.response.complete)
      assert.isTrue(told().endsWith('event: end\ndata: {"reason":"stopping"}\n\n'), told().slice(-200))
      // Nobody takes the rest of the export: it is cut when the grace is over, and says so.
      assert.deepStrictEqual(await stopped, { code: 0, signal: null }, server.stderr())
      const rest = held.read()
      await eventually("what was sent of the export is read", held.closed)
      assert.isFalse(held.response.complete)
      assert.isBelow(rest().length, text().length)
    })
  }
})
