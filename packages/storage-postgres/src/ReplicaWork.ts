/** The log whose reads go to a replica where the present work allows that, and to the primary otherwise. */
import { EventLog, Inbox, type Needed, type StorageUnavailable } from "@cairn/core/log"
import { Context, type Effect } from "effect"
import type { ReplicaPorts } from "./Replica.ts"

/** A work whose reads replicas may answer. */
export interface ReplicaWork {
  readonly needed: Exclude<Needed, "now">
  /** Whether a replica has answered any. */
  isOfReplica: boolean
}

/** The work that a fiber is part of; null where the primary answers. */
export const CurrentWork = Context.Reference<ReplicaWork | null>("@cairn/storage-postgres/ReplicaWork", {
  defaultValue: () => null
})

type Read<A> = Effect.Effect<A, StorageUnavailable>

/** Reads with a replica or with the primary. */
export type Route = <A>(onReplica: (ports: ReplicaPorts) => Read<A>, onPrimary: Read<A>) => Read<A>

/** The log of the primary, with its reads routed. What writes is the primary's alone. */
export const routedLog = (primary: EventLog["Service"], route: Route): EventLog["Service"] =>
  EventLog.of({
    ...primary,
    head: (...of) => route(({ log }) => log.head(...of), primary.head(...of)),
    storedHead: (...of) => route(({ log }) => log.storedHead(...of), primary.storedHead(...of)),
    get: (...of) => route(({ log }) => log.get(...of), primary.get(...of)),
    page: (...of) => route(({ log }) => log.page(...of), primary.page(...of)),
    moments: (...of) => route(({ log }) => log.moments(...of), primary.moments(...of)),
    count: (...of) => route(({ log }) => log.count(...of), primary.count(...of)),
    facets: (...of) => route(({ log }) => log.facets(...of), primary.facets(...of)),
    occurrences: (...of) => route(({ log }) => log.occurrences(...of), primary.occurrences(...of)),
    occurrenceCounts: (...of) =>
      route(({ log }) => log.occurrenceCounts(...of), primary.occurrenceCounts(...of)),
    occurrenceFacets: (...of) =>
      route(({ log }) => log.occurrenceFacets(...of), primary.occurrenceFacets(...of)),
    entriesOf: (...of) => route(({ log }) => log.entriesOf(...of), primary.entriesOf(...of)),
    entries: (...of) => route(({ log }) => log.entries(...of), primary.entries(...of)),
    hashes: (...of) => route(({ log }) => log.hashes(...of), primary.hashes(...of)),
    sequenceAt: (...of) => route(({ log }) => log.sequenceAt(...of), primary.sequenceAt(...of)),
    sequenceBefore: (...of) => route(({ log }) => log.sequenceBefore(...of), primary.sequenceBefore(...of))
  })

/** The inbox of the primary, in which one event is found by a replica where the present work allows it. */
export const routedInbox = (primary: Inbox["Service"], route: Route): Inbox["Service"] =>
  Inbox.of({
    ...primary,
    find: (...of) => route(({ find }) => find(...of), primary.find(...of))
  })
