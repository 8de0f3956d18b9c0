/**
 * Accepts and sequences as fast as it can until it is killed, and prints the ids of each request once they
 * are acknowledged, a request a line: what a crash may not take back. The storage part of the server, without
 * the second that the rest takes to start.
 *
 * Arguments: path of the database, ids of the workspaces with commas, a word that no other run has.
 */
import { writeSync } from "node:fs"
import { GeoIp, nowhere } from "@cairn/core/event"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { Acceptance, ClockGuard, Sequencer } from "@cairn/core/log"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { Effect, Layer } from "effect"

const [filename = "", workspaces = "", run = ""] = process.argv.slice(2)

/** Requests in progress at once; every third is a batch. */
const CLIENTS = 12
const BATCH = 5

/** Clients take the workspaces in turn. */
const ids = workspaces.split(",")
const contextOf = (number: number) => ({
  workspaceId: ids[number % ids.length] ?? "",
  clientAddress: null,
  keysExpireBefore: null
})

/** The session tells which request an event came with. */
const body = (session: string, item: number) => ({
  actor_id: "load",
  action: "load.generated",
  session_id: session,
  idempotency_key: `${session}-${item}`,
  metadata: { item }
})

const client = (number: number) =>
  Effect.gen(function* () {
    const acceptance = yield* Acceptance
    const context = contextOf(number)
    for (let count = 0; ; count++) {
      const isBatch = (count + number) % 3 === 0
      const session = `${run}-${number}-${count}-${isBatch ? BATCH : 1}`
      const events = Array.from({ length: isBatch ? BATCH : 1 }, (_, item) => body(session, item))
      const outcomes = isBatch
        ? (yield* acceptance.batch(context, { events })).outcomes
        : [yield* acceptance.one(context, events[0] ?? {})]
      const ids = outcomes.map((outcome) => ("id" in outcome ? outcome.id : "refused"))
      // Straight to the pipe: what was acknowledged must be known even when the next instruction is never
      // run.
      writeSync(1, `${ids.join(" ")}\n`)
    }
  })

const sequence = Effect.gen(function* () {
  const { drain } = yield* Sequencer
  yield* Effect.forever(Effect.andThen(drain, Effect.sleep("1 millis")))
})

const layers = Layer.mergeAll(Acceptance.layer, Sequencer.layer).pipe(
  Layer.provide(SqliteStorage.layer({ filename })),
  Layer.provide(
    Layer.mergeAll(
      Sha256.layer,
      Randomness.layer,
      ClockGuard.layer,
      Layer.succeed(GeoIp, { lookup: () => nowhere })
    )
  )
)

const clients = Array.from({ length: CLIENTS }, (_, number) => client(number))
await Effect.runPromise(
  Effect.all([sequence, ...clients], { concurrency: "unbounded", discard: true }).pipe(Effect.provide(layers))
)
