/**
 * What every contract suite uses: a fresh storage for each test, the core's use cases over it, and a small
 * driver.
 *
 * Tests use the live clock, because an adapter may wait for a real disk or thread. Operations that depend on
 * time get it as an argument.
 */

import type { TreeStore } from "@cairn/core/checkpoint"
import type { Micros } from "@cairn/core/encoding"
import {
  contentParts,
  decodeEvent,
  decodeOwnEvent,
  type EventInput,
  GeoIp,
  nowhere,
  type Place
} from "@cairn/core/event"
import { Randomness, Sha256, uuid } from "@cairn/core/hashing"
import {
  Acceptance,
  type Append,
  type AppendRequest,
  ClockGuard,
  EventLog,
  type EventUsage,
  extendChain,
  extendHistory,
  type Head,
  Inbox,
  type InboxRow,
  type LogEntry,
  type PendingEvent,
  QuotaReached,
  SearchIndexer,
  Sequencer,
  type Workspaces
} from "@cairn/core/log"
import { ChainVerifier } from "@cairn/core/verification"
import { type ApiKeys, ManagedWorkspaces } from "@cairn/core/workspace"
import { it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { layerSeededRandomness } from "../generators/SeededRandom.ts"
import { testWorkspace } from "../generators/TestWorkspace.ts"

/** The ports that the suites of the log need. `StoragePorts` of the core lists all. */
export type StorageServices =
  | Inbox
  | EventUsage
  | EventLog
  | ManagedWorkspaces
  | Workspaces
  | ApiKeys
  | TreeStore

/** What a test may require of its storage. */
export interface StorageOptions {
  /** Most events that may wait to be sequenced; by default more than a thousand. */
  readonly inboxCapacity?: number
}

/** Makes the layer of an empty storage. It is called once for each test, and its layer is built once. */
export type StorageLayer = (options: StorageOptions) => Layer.Layer<StorageServices, unknown>

/** The same with a search index. */
export type IndexedStorageLayer = (
  options: StorageOptions
) => Layer.Layer<StorageServices | SearchIndexer, unknown>

/** The same storage with a search index that indexes every append at once. */
export const indexedAtOnce =
  (storage: IndexedStorageLayer): StorageLayer =>
  (options) =>
    Layer.effect(
      EventLog,
      Effect.gen(function* () {
        const log = yield* EventLog
        const { advance } = yield* SearchIndexer
        const catchUp = Effect.orDie(Effect.repeat(advance, { while: (count) => count > 0 }))
        return EventLog.of({
          ...log,
          append: (...request) => Effect.tap(log.append(...request), () => catchUp)
        })
      })
    ).pipe(Layer.provideMerge(storage(options)))

/** Two networks for documentation (RFC 5737) are in a country each, all other addresses nowhere. */
const lookup = (address: string): Place => {
  if (address.startsWith("203.0.113.")) return { country: "DE", city: "Köln" }
  return address.startsWith("198.51.100.") ? { country: "FR", city: null } : nowhere
}

/** The core's use cases over a storage. */
export const useCases = <Services>(storage: Layer.Layer<StorageServices | Services, unknown>) =>
  Layer.mergeAll(Acceptance.layer, Sequencer.layer, ChainVerifier.layer).pipe(
    Layer.provide([ClockGuard.layer, Layer.succeed(GeoIp, { lookup })]),
    Layer.provideMerge(Layer.mergeAll(storage, Sha256.layer, layerSeededRandomness(1)))
  )

/** What a test of a contract may use. */
export type ContractServices = Layer.Success<ReturnType<typeof useCases<never>>>

/** Registers a test that runs over a storage of its own. */
export const storageTest =
  (storage: StorageLayer) =>
  <A, E>(name: string, test: Effect.Effect<A, E, ContractServices>, options: StorageOptions = {}): void =>
    it.live(name, () => Effect.suspend(() => Effect.provide(test, useCases(storage(options)))))

/** When the first event of a test is accepted: 2024-05-01T12:00:00Z in microseconds. */
export const NOON: Micros.Micros = 1_714_564_800_000_000

/** A new workspace's id. */
export const makeWorkspace = Effect.gen(function* () {
  const workspaces = yield* ManagedWorkspaces
  const id = `wsp_${uuid(yield* Randomness)}`
  yield* workspaces.create(testWorkspace({ id, created_at: NOON }))
  return id
})

/** Makes workspaces with these ids. */
export const makeWorkspaces = (...ids: ReadonlyArray<string>) =>
  Effect.flatMap(ManagedWorkspaces, ({ create }) =>
    Effect.forEach(ids, (id) => create(testWorkspace({ id, created_at: NOON })), { discard: true })
  )

/** A body as it waits in the inbox; throws if the body is invalid. */
export const makePending = (id: string, body: EventInput, acceptedAt: Micros.Micros): PendingEvent => ({
  id,
  idempotencyKey: body.idempotency_key ?? null,
  clientAddress: body.ip_address ?? null,
  content: contentParts(Result.getOrThrow(decodeEvent(body)), acceptedAt)
})

/** When a request is accepted, and since when its idempotency keys count. */
export interface AcceptTimes {
  readonly acceptedAt?: Micros.Micros
  readonly keysExpireBefore?: Micros.Micros
}

/** Passes one request to the inbox; returns one outcome an event. */
export const accept = Effect.fnUntraced(function* (
  workspaceId: string,
  bodies: ReadonlyArray<EventInput>,
  times: AcceptTimes = {}
) {
  const inbox = yield* Inbox
  const random = yield* Randomness
  const { acceptedAt = NOON, keysExpireBefore = null } = times
  const events = bodies.map((body) => makePending(uuid(random), body, acceptedAt))
  const outcomes = yield* inbox.accept({ workspaceId, acceptedAt, keysExpireBefore, events })
  return outcomes.map((outcome) => {
    if (outcome instanceof QuotaReached) throw new Error("there is no quota")
    return outcome
  })
})

/** Passes events of the service's own to the inbox, at {@link NOON}. */
export const acceptOwn = Effect.fnUntraced(function* (
  workspaceId: string,
  ...bodies: ReadonlyArray<EventInput>
) {
  const inbox = yield* Inbox
  const random = yield* Randomness
  const events = bodies.map((body) => ({
    id: uuid(random),
    idempotencyKey: null,
    clientAddress: null,
    content: contentParts(Result.getOrThrow(decodeOwnEvent(body)), NOON)
  }))
  yield* inbox.accept({ workspaceId, acceptedAt: NOON, keysExpireBefore: null, events })
})

/** An event with only the required members, or with an idempotency key as well. */
export const plainEvent = (idempotencyKey?: string): EventInput => ({
  actor_id: "actor",
  action: "thing.done",
  ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey })
})

/** `count` plain events. */
export const plainEvents = (count: number): ReadonlyArray<EventInput> =>
  Array.from({ length: count }, () => plainEvent())

/** One append, with the arguments and the result of `chain`. */
export interface ObservedAppend {
  readonly count: number
  readonly more: boolean
  readonly head: Head | undefined
  readonly rows: ReadonlyArray<InboxRow>
  readonly events: ReadonlyArray<LogEntry>
}

/**
 * The arguments for extending the chain, at a time later than every row's: the store's clock advances with
 * the requests.
 */
const chainContext = Effect.fnUntraced(function* (workspaceId: string) {
  const sha256 = yield* Sha256
  const random = yield* Randomness
  return (rows: ReadonlyArray<InboxRow>) => {
    const now = rows.reduce((latest, { acceptedAt }) => Math.max(latest, acceptedAt), 0)
    return { workspaceId, sha256, random, lookup, now }
  }
})

/** Appends one chunk as the sequencer would, and returns what was passed to `chain` and what it returned. */
export const observeAppend = Effect.fnUntraced(function* (workspaceId: string, maxEvents = 1_000) {
  const log = yield* EventLog
  const context = yield* chainContext(workspaceId)
  let seen: Pick<ObservedAppend, "head" | "rows" | "events"> = { head: undefined, rows: [], events: [] }
  const chain: AppendRequest["chain"] = (head, rows) => {
    const append = extendChain(context(rows), head, rows)
    seen = { head, rows, events: append.events }
    return append
  }
  const [appended = { count: 0, more: false }] = yield* log.append([{ workspaceId, chain }], maxEvents)
  return { ...seen, ...appended } satisfies ObservedAppend
})

/** Imports legacy events, recorded 1 ms apart from `firstAt` on, and returns what the adapter got. */
export const importHistory = Effect.fnUntraced(function* (
  workspaceId: string,
  bodies: ReadonlyArray<EventInput>,
  firstAt: Micros.Micros
) {
  const log = yield* EventLog
  const random = yield* Randomness
  const context = yield* chainContext(workspaceId)
  const rows = bodies.map((body, index): InboxRow => {
    const acceptedAt = firstAt + index * 1_000
    return { inboxId: index, acceptedAt, events: [makePending(uuid(random), body, acceptedAt)] }
  })
  let seen: { readonly before: Head; readonly append: Append } | undefined
  yield* log.importLegacy(workspaceId, (before) => {
    const append = extendHistory(context(rows), before, rows)
    seen = { before, append }
    return append
  })
  return seen ?? (yield* Effect.die(new Error("the import was not asked for its events")))
})

/** Appends everything that waits. */
export const sequenceAll = Effect.flatMap(Sequencer, ({ drain }) => drain)

/** Every row of a log, oldest first. */
export const readLog = Effect.fnUntraced(function* (workspaceId: string) {
  const log = yield* EventLog
  const found: Array<LogEntry> = []
  for (let from = Number.MIN_SAFE_INTEGER; ; ) {
    const chunk = yield* log.entries(workspaceId, from, 1_000_000)
    found.push(...chunk)
    const last = found.at(-1)
    if (last === undefined || chunk.length === 0) return found
    from = last.sequence + 1
  }
})

/** The verification of a whole chain. */
export const verifyChain = (workspaceId: string) =>
  Effect.flatMap(ChainVerifier, ({ verify }) => verify({ workspaceId, limit: 1_000_000 }))
