import type { Micros } from "@cairn/core/encoding"
import type { Head, InboxRow, LogEntry } from "@cairn/core/log"
import type { ApiKey, ManagedWorkspace } from "@cairn/core/workspace"
import { Context, Layer } from "effect"

/** A workspace's log. */
export interface MemoryLog {
  head: Head
  /** In ascending order of sequence, legacy events first. */
  events: Array<LogEntry>
  /** Ids that are taken. */
  readonly ids: Set<string>
}

/** Who holds an idempotency key, and since when. */
interface KeyHolder {
  readonly eventId: string
  readonly acceptedAt: Micros.Micros
}

/** A workspace's place in the inbox. */
export interface MemoryInbox {
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
    readonly logs: () => ReadonlyArray<MemoryLog>
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
      logs: () => [...logs.values()],
      log: (id) => find(logs, id, () => ({ head: nothing, events: [], ids: new Set() })),
      inbox: (id) => find(inboxes, id, () => ({ keys: new Map(), usage: new Map(), rows: [] })),
      inboxes
    }
  })
}
