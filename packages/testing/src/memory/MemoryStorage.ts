/**
 * All ports of the core in memory: for tests, and for reading what the ports ask in the fewest words.
 *
 * Nothing outlives the layer. Every call is one synchronous step, so that nothing can come between its parts.
 */

import { TreeStore } from "@cairn/core/checkpoint"
import { contentSize, Micros, monthOf } from "@cairn/core/encoding"
import { type EventContent, type EventFilter, matches, parseContent } from "@cairn/core/event"
import {
  type AcceptRequest,
  ChainStarted,
  type CountedOutcome,
  ENOUGH_TO_APPEND,
  ENOUGH_TO_LIST,
  ENOUGH_TO_READ,
  EventLog,
  EventUsage,
  type Head,
  Inbox,
  InboxFull,
  type InboxRow,
  type PageRequest,
  type PendingEvent,
  QuotaReached,
  type StoredEvent,
  upToEnough
} from "@cairn/core/log"
import { TILE_WIDTH, type Tile } from "@cairn/core/merkle"
import { ContentRemoval } from "@cairn/core/retention"
import {
  type ApiKey,
  ApiKeyNotFound,
  ApiKeys,
  layerWorkspaces,
  type ManagedWorkspace,
  type ManagedWorkspaceChange,
  ManagedWorkspaces,
  soundOverrides,
  WorkspaceNotFound
} from "@cairn/core/workspace"
import { Context, Effect, Layer, Option, Result } from "effect"
import { layerCheckpoints } from "./MemoryCheckpoints.ts"
import { layerCollections } from "./MemoryCollections.ts"
import { layerConsumption } from "./MemoryConsumers.ts"
import { layerExports } from "./MemoryExports.ts"

/** A workspace's log. */
export interface MemoryLog {
  head: Head
  /** In ascending order of sequence, legacy events first. */
  events: Array<StoredEvent>
  /** Ids that are taken. */
  readonly ids: Set<string>
}

/** Who holds an idempotency key, and since when. */
interface KeyHolder {
  readonly eventId: string
  readonly acceptedAt: Micros.Micros
}

/** A workspace's place in the inbox. */
interface MemoryInbox {
  readonly keys: Map<string, KeyHolder>
  /** New events by month. */
  readonly usage: Map<string, number>
  rows: Array<InboxRow>
}

/** The tables themselves, for a test to look into and to tamper with. */
export class MemoryTables extends Context.Service<
  MemoryTables,
  {
    readonly workspaces: Map<string, ManagedWorkspace>
    /** By id. */
    readonly apiKeys: Map<string, ApiKey>
    readonly log: (workspaceId: string) => MemoryLog
    readonly inbox: (workspaceId: string) => MemoryInbox
    readonly inboxes: ReadonlyMap<string, MemoryInbox>
  }
>()("@cairn/testing/MemoryTables") {
  static readonly layer = Layer.sync(MemoryTables, () => {
    const logs = new Map<string, MemoryLog>()
    const inboxes = new Map<string, MemoryInbox>()
    const find = <A>(table: Map<string, A>, id: string, make: () => A): A => {
      const found = table.get(id) ?? make()
      table.set(id, found)
      return found
    }
    const nothing: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }
    return {
      workspaces: new Map(),
      apiKeys: new Map(),
      log: (id) => find(logs, id, () => ({ head: nothing, events: [], ids: new Set() })),
      inbox: (id) => find(inboxes, id, () => ({ keys: new Map(), usage: new Map(), rows: [] })),
      inboxes
    }
  })
}

/** Settings of the storage. */
export interface MemoryStorageOptions {
  /** Most events that may wait to be sequenced; unlimited unless set. */
  readonly inboxCapacity?: number
}

const eventsIn = (rows: ReadonlyArray<InboxRow>): number =>
  rows.reduce((sum, row) => sum + row.events.length, 0)

const layerInbox = (capacity: number) =>
  Layer.effect(
    Inbox,
    Effect.map(MemoryTables, ({ inbox, inboxes }) => {
      let lastInboxId = 0

      const waitingEvents = (): number => {
        let depth = 0
        for (const { rows } of inboxes.values()) depth += eventsIn(rows)
        return depth
      }

      const accept = (request: AcceptRequest) =>
        Effect.suspend((): Effect.Effect<ReadonlyArray<CountedOutcome>, InboxFull> => {
          const { workspaceId, acceptedAt, keysExpireBefore, quota = null } = request
          const table = inbox(workspaceId)
          const month = monthOf(acceptedAt)
          const used = table.usage.get(month) ?? 0
          const fresh: Array<PendingEvent> = []
          const outcomes = request.events.map((event): CountedOutcome => {
            const holder = event.idempotencyKey === null ? undefined : table.keys.get(event.idempotencyKey)
            if (
              holder !== undefined &&
              !(keysExpireBefore !== null && holder.acceptedAt < keysExpireBefore)
            ) {
              return { id: holder.eventId, duplicate: true }
            }
            if (quota !== null && used + fresh.length >= quota) return new QuotaReached({ quota, month })
            fresh.push(event)
            return { id: event.id, duplicate: false }
          })
          const depth = waitingEvents()
          if (fresh.length === 0) return Effect.succeed(outcomes)
          if (depth + fresh.length > capacity) return Effect.fail(new InboxFull({ depth, capacity }))
          for (const { id, idempotencyKey } of fresh) {
            if (idempotencyKey !== null) table.keys.set(idempotencyKey, { eventId: id, acceptedAt })
          }
          table.usage.set(month, used + fresh.length)
          table.rows.push({ inboxId: ++lastInboxId, acceptedAt, events: fresh })
          return Effect.succeed(outcomes)
        })

      const find = (workspaceId: string, eventId: string) =>
        Effect.sync(() => {
          for (const { acceptedAt, events } of inbox(workspaceId).rows) {
            const offset = events.findIndex(({ id }) => id === eventId)
            const event = events[offset]
            if (event !== undefined) return Option.some({ event, acceptedAt, offset })
          }
          return Option.none()
        })

      return Inbox.of({ accept, find, depth: Effect.sync(waitingEvents) })
    })
  )

const layerEventUsage = Layer.effect(
  EventUsage,
  Effect.map(MemoryTables, ({ inbox }) =>
    EventUsage.of({
      accepted: (workspaceId, month) => Effect.sync(() => inbox(workspaceId).usage.get(month) ?? 0)
    })
  )
)

/** The oldest rows that together hold `maxEvents` events or a little more; at least one. */
const oldest = (rows: ReadonlyArray<InboxRow>, maxEvents: number): ReadonlyArray<InboxRow> => {
  let count = 0
  let events = 0
  let size = 0
  for (const row of rows) {
    if (count > 0 && (events >= maxEvents || size >= ENOUGH_TO_APPEND)) break
    count++
    events += row.events.length
    for (const { content } of row.events) size += content.head.length + content.tail.length
  }
  return rows.slice(0, count)
}

/** Contents already read, by the row they stand in. */
const contents = new WeakMap<StoredEvent, EventContent>()

const contentOf = (event: StoredEvent): EventContent | undefined => {
  const known = contents.get(event)
  if (known !== undefined || event.content === null) return known
  const content = parseContent(event.content)
  if (content !== undefined) contents.set(event, content)
  return content
}

const satisfies = (event: StoredEvent, filter: EventFilter): boolean => {
  const content = contentOf(event)
  return content !== undefined && matches(filter, content, event.createdAt)
}

/** The newest events of a filter. */
const newest = (log: MemoryLog, { filter, before, limit }: PageRequest): ReadonlyArray<StoredEvent> =>
  log.events
    .filter((event) => (before === null || event.createdAt < before) && satisfies(event, filter))
    .toReversed()
    .slice(0, limit)

/** Puts events at the end of the log; what is there already is never replaced. */
const extend = (log: MemoryLog, events: ReadonlyArray<StoredEvent>, head: Head): void => {
  let last = log.events.at(-1)
  for (const event of events) {
    if (log.ids.has(event.id)) throw new Error(`there is an event ${event.id} already`)
    if (last !== undefined && (event.sequence <= last.sequence || event.createdAt <= last.createdAt)) {
      throw new Error(`event ${event.id} does not come after event ${last.id}`)
    }
    last = event
  }
  log.events = [...log.events, ...events]
  for (const { id } of events) log.ids.add(id)
  log.head = head
}

const enoughToRead = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<StoredEvent> =>
  upToEnough(events, contentSize, ENOUGH_TO_READ)

const layerEventLog = Layer.effect(
  EventLog,
  Effect.map(MemoryTables, ({ log, inbox, inboxes }) =>
    EventLog.of({
      append: (workspaceId, maxEvents, chain) =>
        Effect.map(Micros.now, (now) => {
          const table = inbox(workspaceId)
          if (table.rows.length === 0) return { count: 0, more: false }
          const rows = oldest(table.rows, maxEvents)
          const chained = chain(log(workspaceId).head, rows, now)
          if (chained === undefined) return { count: 0, more: true }
          const { events, head } = chained
          extend(log(workspaceId), events, head)
          table.rows = table.rows.slice(rows.length)
          return { count: events.length, more: table.rows.length > 0 }
        }),
      waiting: Effect.sync(() =>
        Array.from(inboxes).flatMap(([workspaceId, { rows }]) => (rows.length > 0 ? [workspaceId] : []))
      ),
      importLegacy: (workspaceId, legacy) =>
        Effect.suspend(() => {
          const { head: before } = log(workspaceId)
          if (before.sequence > 0)
            return Effect.fail(new ChainStarted({ workspaceId, sequence: before.sequence }))
          const { events, head } = legacy(before)
          extend(log(workspaceId), events, head)
          return Effect.void
        }),
      head: (workspaceId) => Effect.sync(() => log(workspaceId).head),
      storedHead: (workspaceId) => Effect.sync(() => Option.some(log(workspaceId).head)),
      get: (workspaceId, eventId) =>
        Effect.sync(() => Option.fromNullishOr(log(workspaceId).events.find(({ id }) => id === eventId))),
      page: (workspaceId, request) =>
        Effect.sync(() => upToEnough(newest(log(workspaceId), request), contentSize, ENOUGH_TO_LIST)),
      moments: (workspaceId, request) =>
        Effect.sync(() => newest(log(workspaceId), request).map(({ createdAt }) => createdAt)),
      count: (workspaceId, filter, { from, to }) =>
        Effect.sync(
          () =>
            log(workspaceId).events.filter(
              (event) => event.sequence >= from && event.sequence <= to && satisfies(event, filter)
            ).length
        ),
      entries: (workspaceId, from, limit) =>
        Effect.sync(() =>
          log(workspaceId)
            .events.filter(({ sequence }) => sequence >= from)
            .slice(0, limit)
        ).pipe(Effect.map(enoughToRead)),
      scan: (workspaceId, from, limit) =>
        Effect.sync(() =>
          log(workspaceId)
            .events.filter(({ sequence }) => sequence >= from)
            .slice(0, limit)
        ).pipe(Effect.map(enoughToRead)),
      hashes: (workspaceId, from, to) =>
        Effect.sync(() => {
          const found = log(workspaceId).events.filter(({ sequence }) => sequence >= from && sequence <= to)
          const gap = found.findIndex(({ sequence }, index) => sequence !== from + index)
          return (gap < 0 ? found : found.slice(0, gap)).map(({ eventHash }) => eventHash ?? "")
        }),
      // By time and not by place, as an index finds it: in a log that was tampered with the two may differ.
      sequenceAt: (workspaceId, micros) =>
        Effect.sync(() => {
          const later = log(workspaceId).events.filter(({ createdAt }) => createdAt >= micros)
          return later.length === 0
            ? null
            : later.reduce((first, event) => (event.createdAt < first.createdAt ? event : first)).sequence
        }),
      sequenceBefore: (workspaceId, micros, among) =>
        Effect.sync(() => {
          const earlier = log(workspaceId).events.filter(({ createdAt }) => createdAt < micros)
          const last = earlier.toSorted((one, other) => one.createdAt - other.createdAt).slice(-among)
          return last.length === 0 ? null : Math.max(...last.map(({ sequence }) => sequence))
        })
    })
  )
)

/** What is left of an event's values once its content is gone. */
const NO_COLUMNS: StoredEvent["columns"] = {
  action: "",
  actorId: "",
  resourceType: null,
  resourceId: null,
  tenantId: null,
  sessionId: null,
  targets: []
}

/** Of the log and the idempotency keys; alerts and messages stay as they are. */
const layerContentRemoval = Layer.effect(
  ContentRemoval,
  Effect.map(MemoryTables, ({ log, inbox }) => {
    let unfinished = false
    return ContentRemoval.of({
      remove: (workspaceId, events, record) =>
        Effect.map(Micros.now, (now) => {
          unfinished ||= events.length > 0
          const table = log(workspaceId)
          const hashes = new Map(events.map(({ sequence, contentHash }) => [sequence, contentHash]))
          if (record !== null) {
            const appended = record(table.head, now)
            extend(table, appended.events, appended.head)
          }
          table.events = table.events.map((event) => {
            const contentHash = hashes.get(event.sequence)
            return contentHash === undefined || event.content === null
              ? event
              : { ...event, content: null, salt: null, contentHash, columns: NO_COLUMNS }
          })
          const ids = new Set(events.map(({ id }) => id))
          const { keys } = inbox(workspaceId)
          for (const [key, { eventId }] of keys) if (ids.has(eventId)) keys.delete(key)
        }),
      // Nothing is ever parked here.
      discardParked: () => Effect.succeed(0),
      forget: () => Effect.succeed(0),
      forgetActors: () => Effect.void,
      unfinished: Effect.sync(() => unfinished),
      scrub: Effect.sync(() => {
        unfinished = false
      })
    })
  })
)

const sound = (workspace: ManagedWorkspace): ManagedWorkspace => ({
  ...workspace,
  overrides: soundOverrides(workspace.overrides)
})

const modifyWorkspace = <E>(
  workspaces: Map<string, ManagedWorkspace>,
  id: string,
  change: (before: ManagedWorkspace) => Result.Result<ManagedWorkspaceChange, E>
) =>
  Effect.suspend((): Effect.Effect<ManagedWorkspace, E | WorkspaceNotFound> => {
    const before = workspaces.get(id)
    if (before === undefined) return Effect.fail(new WorkspaceNotFound({ workspaceId: id }))
    const changed = change(before)
    if (Result.isFailure(changed)) return Effect.fail(changed.failure)
    const after = sound({ ...before, ...changed.success })
    workspaces.set(id, after)
    return Effect.succeed(after)
  })

const layerManagedWorkspaces = Layer.effect(
  ManagedWorkspaces,
  Effect.map(MemoryTables, ({ workspaces }) =>
    ManagedWorkspaces.of({
      create: (workspace) =>
        Effect.sync(() => {
          if (workspaces.has(workspace.id)) throw new Error(`there is a workspace ${workspace.id} already`)
          workspaces.set(workspace.id, sound(workspace))
        }),
      get: (id) => Effect.sync(() => Option.fromNullishOr(workspaces.get(id))),
      list: Effect.sync(() => Array.from(workspaces.values()).sort((a, b) => a.created_at - b.created_at)),
      update: (id, change) => modifyWorkspace(workspaces, id, () => Result.succeed(change)),
      modify: (id, change) => modifyWorkspace(workspaces, id, change)
    })
  )
)

const layerApiKeys = Layer.effect(
  ApiKeys,
  Effect.map(MemoryTables, ({ apiKeys }) => {
    const all = () => Array.from(apiKeys.values())
    const find = (workspaceId: string, id: string) =>
      all().find((key) => key.id === id && key.workspace_id === workspaceId)
    return ApiKeys.of({
      create: (key) =>
        Effect.sync(() => {
          if (all().some(({ id, public_id }) => id === key.id || public_id === key.public_id)) {
            throw new Error(`there is a key ${key.public_id} already`)
          }
          apiKeys.set(key.id, key)
        }),
      findByPublicId: (publicId) =>
        Effect.sync(() => Option.fromNullishOr(all().find(({ public_id }) => public_id === publicId))),
      get: (workspaceId, id) => Effect.sync(() => Option.fromNullishOr(find(workspaceId, id))),
      list: (workspaceId) =>
        Effect.sync(() =>
          all()
            .filter(({ workspace_id }) => workspace_id === workspaceId)
            .sort((a, b) => b.created_at - a.created_at)
        ),
      revoke: (workspaceId, id, at) =>
        Effect.suspend(() => {
          const key = find(workspaceId, id)
          if (key === undefined) return Effect.fail(new ApiKeyNotFound({ keyId: id }))
          const revoked = { ...key, revoked_at: key.revoked_at ?? at }
          apiKeys.set(id, revoked)
          return Effect.succeed(revoked)
        }),
      revokedSince: (since) =>
        Effect.sync(() =>
          all()
            .filter(({ revoked_at }) => revoked_at !== null && revoked_at >= since)
            .map(({ id }) => id)
        ),
      touch: (used) =>
        Effect.sync(() => {
          for (const [id, at] of used) {
            const key = apiKeys.get(id)
            if (key !== undefined) apiKeys.set(id, { ...key, last_used_at: at })
          }
        })
    })
  })
)

/** The tiles alone. */
export const layerTreeStore = Layer.sync(TreeStore, () => {
  const trees = new Map<string, Map<string, Tile>>()
  const treeOf = (workspaceId: string) => trees.get(workspaceId) ?? new Map<string, Tile>()
  const keyOf = (level: number, index: number) => `${level}/${index}`
  return TreeStore.of({
    leaves: (workspaceId) =>
      Effect.sync(
        () => Array.from(treeOf(workspaceId).values()).filter(({ level }) => level === 0).length * TILE_WIDTH
      ),
    read: (workspaceId, tiles) =>
      Effect.sync(() =>
        tiles.flatMap(({ level, index }) => treeOf(workspaceId).get(keyOf(level, index)) ?? [])
      ),
    write: (workspaceId, tiles) =>
      Effect.sync(() => {
        const tree = treeOf(workspaceId)
        for (const tile of tiles) {
          const key = keyOf(tile.level, tile.index)
          if ((tree.get(key)?.hashes.length ?? 0) < tile.hashes.length) tree.set(key, tile)
        }
        trees.set(workspaceId, tree)
      })
  })
})

/** The ports, and the tables beneath them. */
export const layer = (options: MemoryStorageOptions = {}) =>
  Layer.mergeAll(
    layerInbox(options.inboxCapacity ?? Number.POSITIVE_INFINITY),
    layerEventUsage,
    layerEventLog,
    layerContentRemoval,
    layerWorkspaces.pipe(Layer.provideMerge(layerManagedWorkspaces)),
    layerApiKeys,
    layerTreeStore,
    layerCheckpoints,
    layerConsumption,
    layerCollections,
    layerExports
  ).pipe(Layer.provideMerge(MemoryTables.layer))
