/**
 * Logs with many events, as they would be after years: in the chain, in the search index and in the tree, and
 * read by every consumer.
 */
import { ALERT_CONSUMER } from "@cairn/core/alert"
import { LogTree } from "@cairn/core/checkpoint"
import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { contentParts, decodeEvent, nowhere } from "@cairn/core/event"
import { Randomness, Sha256, uuid } from "@cairn/core/hashing"
import {
  type AppendRequest,
  EventLog,
  extendChain,
  Inbox,
  type PendingEvent,
  SearchIndexer
} from "@cairn/core/log"
import { VERIFICATION_CONSUMER } from "@cairn/core/verification"
import { Effect, Layer, ManagedRuntime, Result } from "effect"
import type { DatabaseServer, LogDatabase } from "./databases/LogDatabase.ts"
import { ordinaryBody } from "./OrdinaryEvent.ts"
import { newTenant, type Tenant } from "./ServerUnderTest.ts"

/** Events of one append. */
const CHUNK = 2_000
/** Microseconds between two events: 10^7 of them are a day. */
const APART: Micros.Micros = 10_000

/** A log and who may read it. */
export interface FilledLog extends Tenant {
  readonly database: LogDatabase
  /** Events in its chain. */
  readonly events: number
}

/**
 * Appends events through the adapter, many at a time: one is accepted, and the chain that it asks for has the
 * others behind it. So the rows are those that the adapter writes, and it takes a twentieth of the time that
 * requests would.
 */
const append = Effect.fnUntraced(function* (workspaceId: string, events: number) {
  const inbox = yield* Inbox
  const log = yield* EventLog
  const sha256 = yield* Sha256
  const random = yield* Randomness
  const begin = (yield* Micros.now) - events * APART
  const pending = (index: number): PendingEvent => ({
    id: uuid(random),
    idempotencyKey: null,
    clientAddress: null,
    content: contentParts(Result.getOrThrow(decodeEvent(ordinaryBody(index))), begin + index * APART)
  })
  const context = { workspaceId, sha256, random, lookup: () => nowhere }
  for (let first = 0; first < events; ) {
    const { sequence } = yield* log.head(workspaceId)
    first = sequence
    const count = Math.min(CHUNK, events - first)
    if (count <= 0) break
    const chunk = Array.from({ length: count }, (_, index) => ({
      inboxId: index,
      acceptedAt: begin + (first + index) * APART,
      events: [pending(first + index)]
    }))
    const [one] = chunk
    if (one === undefined) break
    yield* inbox.accept({
      workspaceId,
      acceptedAt: one.acceptedAt,
      keysExpireBefore: null,
      events: one.events
    })
    const chain: AppendRequest["chain"] = (head, _, now) => extendChain({ ...context, now }, head, chunk)
    yield* log.append([{ workspaceId, chain }], CHUNK)
  }
})

const untilNone = <E, R>(step: Effect.Effect<number, E, R>) =>
  Effect.gen(function* () {
    while ((yield* step) > 0) yield* Effect.yieldNow
  })

/**
 * Brings the search index and the tree up to the end of the log, and lets consumers begin there, which a
 * server would keep busy with it for minutes.
 */
const catchUp = Effect.fnUntraced(function* (workspaceId: string, events: number) {
  const { advance } = yield* SearchIndexer
  const tree = yield* LogTree
  const consumers = yield* Consumers
  for (const consumer of [ALERT_CONSUMER, VERIFICATION_CONSUMER])
    yield* consumers.open({ workspaceId, consumer }, events, yield* Micros.now)
  yield* Effect.all([untilNone(advance), untilNone(tree.advance(workspaceId))], { concurrency: 2 })
})

const say = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

/** Makes a log with this many events. Costs about a minute for 10^6. */
const fill = async (server: DatabaseServer, events: number): Promise<FilledLog> => {
  const begun = performance.now()
  const database = await server.newDatabase()
  const tenant = newTenant(database)
  const layer = LogTree.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(database.storage, Sha256.layer, Randomness.layer))
  )
  const runtime = ManagedRuntime.make(layer)
  // Built first: an adapter makes what it misses.
  await runtime.runPromise(Effect.void)
  await database.bulk(async () => {
    await runtime.runPromise(append(tenant.workspaceId, events))
    await database.settle()
    await runtime.runPromise(catchUp(tenant.workspaceId, events))
  })
  await runtime.dispose()
  await database.settle()
  const seconds = Math.round((performance.now() - begun) / 1000)
  say(`${server.product}: a log of ${events} events was filled in ${seconds} s`)
  return { ...tenant, database, events }
}

/** Logs that several rows use: each is made once, and removed at the end. */
export class FilledLogs {
  readonly #logs = new Map<string, Promise<FilledLog>>()

  /** The log with this many events, or a separate one, with its own name, for a row that changes it. */
  of(server: DatabaseServer, events: number, own = ""): Promise<FilledLog> {
    const name = `${server.product} ${events} ${own}`
    const found = this.#logs.get(name) ?? fill(server, events)
    this.#logs.set(name, found)
    return found
  }

  async remove(): Promise<void> {
    for (const made of await Promise.allSettled(this.#logs.values())) {
      // The caller that asked for one has already got its failure.
      if (made.status === "fulfilled") await made.value.database.remove()
    }
    this.#logs.clear()
  }
}
